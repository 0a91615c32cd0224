// SPDX-License-Identifier: MIT
// First every version's directory is locked, so that nothing has been changed where a program still runs; then the
// receipt goes, which is the commit: a launch now says that nothing is installed. What is left after a kill is not
// referenced by anything, and the next uninstall or install removes it. A damaged receipt is not asked for anything:
// what to remove follows from the directories.
#include "home/uninstaller.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "home/command_link.h"
#include "home/compile_cache.h"
#include "home/lifecycle_lock.h"
#include "home/managed.h"
#include "home/receipts.h"
#include "home/versions.h"
#include "os/beneath.h"
#include "os/lock.h"

namespace piship {
namespace {

// What can't be looked up counts as there: whatever is done with it then says why.
bool Exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

// The names of all directories in apps/<id>; none where it is missing.
Result<std::vector<std::string>> VersionNames(const std::string& app_directory) {
  std::vector<std::string> names;
  const auto directory = OpenFile(app_directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) {
    if (directory.error().code == ErrorCode::kFileNotFound) return names;
    return Fail(directory.error());
  }
  std::vector<DirectoryEntry> entries;
  if (const int error = ReadDirectory(directory->get(), entries); error != 0) {
    return Fail(SystemError("read the directory '" + app_directory + "'", -error));
  }
  for (const DirectoryEntry& entry : entries) {
    if (entry.type == DT_DIR) names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<LockedVersion>> LockAll(const std::string& app_directory, const std::vector<std::string>& names) {
  std::vector<LockedVersion> versions;
  for (const std::string& name : names) {
    const std::string path = JoinPath(app_directory, name);
    LockedVersion version{name, UniqueFd()};
    PISHIP_TRY(version.directory, OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    PISHIP_TRY(const LockOutcome outcome, TryLock(version.directory.get(), LockMode::kExclusive, path));
    if (outcome == LockOutcome::kHeld) {
      return Fail(ErrorCode::kInUse, "'" + path + "' is used by " + DescribeLockHolder(version.directory.get()),
                  "end that program and try again");
    }
    versions.push_back(std::move(version));
  }
  return versions;
}

Status RemoveFile(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  return Fail(SystemError("remove '" + path + "'", errno));
}

Status RemoveInstalled(const Homes& homes, const std::string& id) {
  const std::string app_directory = AppDirectory(homes.install, id);
  Removed removed;
  {
    PISHIP_TRY(const LifecycleLock lock, LifecycleLock::Take(homes.install, id, IfHeld::kWait));
    PISHIP_TRY(const std::vector<std::string> names, VersionNames(app_directory));
    PISHIP_TRY(std::vector<LockedVersion> versions, LockAll(app_directory, names));
    PISHIP_CHECK(RemoveFile(ReceiptPath(homes.install, id)));
    PISHIP_CHECK(RemoveCommandLinks(homes, id, ""));
    for (LockedVersion& version : versions) {
      PISHIP_CHECK(MoveAside(app_directory, std::move(version), removed));
    }
    CollectUnreferenced(lock, app_directory, nullptr, removed);
    PISHIP_CHECK(RemoveFile(LauncherPath(homes.install, id)));
  }
  removed.Delete(app_directory);
  auto last = LifecycleLock::Take(homes.install, id, IfHeld::kFail);
  if (last && !Exists(ReceiptPath(homes.install, id))) RemoveEmptyAppDirectory(*std::move(last), app_directory);
  return {};
}

Status Purge(const Homes& homes, const std::string& id) {
  // What updates are verified with is kept till here, so that installing again can't be led back.
  for (const std::string& home : {homes.state, ParentPath(TrustDirectory(homes.install, id))}) {
    if (!Exists(JoinPath(home, id))) continue;
    PISHIP_TRY(const UniqueFd directory, OpenFile(home, O_RDONLY | O_DIRECTORY));
    if (const int error = RemoveBeneath(directory.get(), id.c_str()); error != 0) {
      return Fail(SystemError("remove '" + JoinPath(home, id) + "'", -error));
    }
  }
  return {};
}

}  // namespace

Result<UninstallReport> Uninstall(const Homes& homes, const std::string& id, State state, DryRun dry_run) {
  UninstallReport report;
  const std::string app_directory = AppDirectory(homes.install, id);
  report.was_installed = Exists(ReceiptPath(homes.install, id));
  report.state_directory = JoinPath(homes.state, id);
  report.state_exists = Exists(report.state_directory);
  PISHIP_TRY(report.versions, VersionNames(app_directory));
  std::erase_if(report.versions, [](const std::string& name) { return name.starts_with('.'); });
  PISHIP_TRY(report.commands, CommandLinks(homes, id));
  const auto receipt = FindReceipt(homes.install, id);
  if (receipt && *receipt) PISHIP_CHECK(CheckChangeable(**receipt, Change::kRemove));
  if (receipt && *receipt && Exists(JoinPath(homes.bin, (*receipt)->command)) &&
      std::find(report.commands.begin(), report.commands.end(), (*receipt)->command) == report.commands.end()) {
    report.commands_left.push_back(JoinPath(homes.bin, (*receipt)->command));
  }
  const bool anything = report.was_installed || Exists(app_directory) || !report.commands.empty();
  const bool purges = state == State::kPurge && (report.state_exists || Exists(TrustDirectory(homes.install, id)));
  if (!anything && !purges) {
    return Fail(ErrorCode::kNotInstalled, "'" + id + "' is not installed in '" + homes.install + "'",
                "'piship list' shows what is");
  }
  report.state_removed = purges;
  if (dry_run == DryRun::kYes) return report;
  if (anything) PISHIP_CHECK(RemoveInstalled(homes, id));
  if (anything) BoundCompileCaches(homes.state, id, nullptr);
  report.state_exists = Exists(report.state_directory);
  if (purges) PISHIP_CHECK(Purge(homes, id));
  return report;
}

}  // namespace piship
