// SPDX-License-Identifier: MIT
#include "home/versions.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "os/beneath.h"
#include "os/lock.h"

namespace piship {
namespace {

constexpr std::string_view kRemovedPrefix = ".removed-";
constexpr std::string_view kRepairPrefix = ".repair-";
constexpr std::string_view kTemporaryPrefix = ".tmp-";

// ".tmp-<random>" of the same directory, under a prefix of its own.
std::string UnusedName(const std::string& app_directory, std::string_view prefix) {
  return std::string(prefix) +
         std::string(FileName(TemporaryNameFor(JoinPath(app_directory, "x"))).substr(kTemporaryPrefix.size()));
}

}  // namespace

void Removed::Delete(const std::string& app_directory, const Stop& stop) {
  const auto directory = OpenFile(app_directory, O_RDONLY | O_DIRECTORY);
  if (!directory) return;
  for (const LockedVersion& version : versions_) {
    if (RemoveBeneath(directory->get(), version.name.c_str(), stop) == -ECANCELED) break;
  }
  versions_.clear();
}

Status MoveAside(const std::string& app_directory, LockedVersion version, Removed& removed) {
  const std::string from = JoinPath(app_directory, version.name);
  version.name = UnusedName(app_directory, kRemovedPrefix);
  if (rename(from.c_str(), JoinPath(app_directory, version.name).c_str()) != 0) {
    return Fail(SystemError("move '" + from + "' aside", errno));
  }
  removed.Add(std::move(version));
  return {};
}

Result<LockedVersion> ClaimVersion(const std::string& app_directory, const std::string& version, Removed& removed) {
  const std::string path = JoinPath(app_directory, version);
  if (mkdir(path.c_str(), 0755) != 0) {
    if (errno != EEXIST) return Fail(SystemError("make the directory '" + path + "'", errno));
    LockedVersion old{version, UniqueFd()};
    PISHIP_TRY(old.directory, OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    PISHIP_TRY(const LockOutcome outcome, TryLock(old.directory.get(), LockMode::kExclusive, path));
    if (outcome == LockOutcome::kHeld) {
      return Fail(ErrorCode::kLockHeld,
                  "'" + path + "' is being installed or still used by " + DescribeLockHolder(old.directory.get()),
                  "wait until that has finished and try again");
    }
    if (outcome == LockOutcome::kUnsupported) {
      return Fail(ErrorCode::kInUse,
                  "'" + path + "' exists, and this file system has no locks that would tell whether it is in use",
                  "remove that directory if nothing installs it or runs from it, and try again");
    }
    PISHIP_CHECK(MoveAside(app_directory, std::move(old), removed));
    if (mkdir(path.c_str(), 0755) != 0) return Fail(SystemError("make the directory '" + path + "'", errno));
  }
  LockedVersion claimed{version, UniqueFd()};
  PISHIP_TRY(claimed.directory, OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (fchmod(claimed.directory.get(), 0755) != 0) return Fail(SystemError("set the mode of '" + path + "'", errno));
  // Nobody else can hold it: whoever claims or removes does so under the lifecycle lock, and no receipt leads here.
  PISHIP_TRY(const LockOutcome outcome, TryLock(claimed.directory.get(), LockMode::kExclusive, path));
  if (outcome == LockOutcome::kHeld) {
    return Fail(ErrorCode::kLockHeld, "'" + path + "' is locked by " + DescribeLockHolder(claimed.directory.get()),
                "wait until that has finished and try again");
  }
  return claimed;
}

Result<LockedVersion> ClaimRepair(const std::string& app_directory, Removed& removed) {
  return ClaimVersion(app_directory, UnusedName(app_directory, kRepairPrefix), removed);
}

Status NameRepair(const std::string& app_directory, LockedVersion& repair, const std::string& version) {
  const std::string path = JoinPath(app_directory, version);
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode) && unlink(path.c_str()) != 0) {
    return Fail(SystemError("remove '" + path + "'", errno));
  }
  if (rename(JoinPath(app_directory, repair.name).c_str(), path.c_str()) == 0) {
    repair.name = version;
    return {};
  }
  if (errno == EEXIST || errno == ENOTEMPTY) {
    return Fail(ErrorCode::kLockHeld, "another process has just made '" + path + "'", "try again");
  }
  return Fail(SystemError("make '" + path + "'", errno));
}

void CollectUnreferenced(const LifecycleLock& lock, const std::string& app_directory, const Receipt* receipt,
                         Removed& removed) {
  if (!lock.kernel_locks()) return;
  const auto directory = OpenFile(app_directory, O_RDONLY | O_DIRECTORY);
  std::vector<DirectoryEntry> entries;
  if (!directory || ReadDirectory(directory->get(), entries) != 0) return;
  for (const DirectoryEntry& entry : entries) {
    if (entry.type == DT_REG && entry.name.starts_with(kTemporaryPrefix)) {
      // Written under the lifecycle lock only, so its writer is gone.
      static_cast<void>(unlinkat(directory->get(), entry.name.c_str(), 0));
    }
    if (entry.type != DT_DIR || (receipt != nullptr && receipt->Find(entry.name) != nullptr)) continue;
    auto opened = OpenFile(JoinPath(app_directory, entry.name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!opened) continue;
    LockedVersion version{entry.name, *std::move(opened)};
    const auto outcome = TryLock(version.directory.get(), LockMode::kExclusive, entry.name);
    if (!outcome || *outcome != LockOutcome::kAcquired) continue;
    if (entry.name.starts_with(kRemovedPrefix)) {
      removed.Add(std::move(version));
    } else {
      static_cast<void>(MoveAside(app_directory, std::move(version), removed));
    }
  }
}

}  // namespace piship
