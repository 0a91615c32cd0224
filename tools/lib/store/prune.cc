// SPDX-License-Identifier: MIT
// Pruning and checking. Both may run while builds use the store; what they take from a running build is missed by it,
// and the epoch, which is rewritten before the first removal and again after the last, lets every edge that began in
// between run again.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>

#include "base/parallel.h"
#include "os/beneath.h"
#include "os/lock.h"
#include "store/impl.h"

namespace piship {
namespace {

struct Found {
  std::string path;  // relative to the store
  std::uint64_t size = 0;
  std::int64_t used = 0;  // seconds since 1970
};

struct Listing {
  std::vector<std::string> directories;  // the lowest ones: objects/ab, memos/<kind>/ab, uses
  std::vector<std::string> strange;      // what is neither a directory nor a temporary file where directories belong
  std::vector<std::string> loose;        // temporary files above the lowest directories
};

bool IsTemporary(std::string_view name) { return name.starts_with(kTemporaryPrefix); }

// The names in a directory of the store; none where it does not exist.
Result<std::vector<DirectoryEntry>> List(int root, const std::string& path) {
  std::vector<DirectoryEntry> entries;
  const int fd = OpenBeneath(root, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (fd == -ENOENT) return entries;
  if (fd < 0) return Fail(SystemError("read '" + path + "' in the store", -fd));
  const UniqueFd directory(fd);
  if (const int error = ReadDirectory(fd, entries); error != 0) {
    return Fail(SystemError("read '" + path + "' in the store", -error));
  }
  return entries;
}

// Goes `levels` directories down from `path`.
Status ListLevels(int root, const std::string& path, int levels, Listing& listing) {
  if (levels == 0) {
    listing.directories.push_back(path);
    return {};
  }
  PISHIP_TRY(const auto entries, List(root, path));
  for (const DirectoryEntry& entry : entries) {
    const std::string below = path + "/" + entry.name;
    if (entry.type == DT_DIR) {
      PISHIP_CHECK(ListLevels(root, below, levels - 1, listing));
    } else {
      (IsTemporary(entry.name) ? listing.loose : listing.strange).push_back(below);
    }
  }
  return {};
}

Result<Listing> ListStore(int root) {
  Listing listing;
  PISHIP_CHECK(ListLevels(root, "objects", 1, listing));
  PISHIP_CHECK(ListLevels(root, "memos", 2, listing));
  listing.directories.emplace_back("uses");
  std::sort(listing.directories.begin(), listing.directories.end());
  return listing;
}

class Deadline {
 public:
  explicit Deadline(std::uint64_t seconds)
      : end_(std::chrono::steady_clock::now() + std::chrono::seconds(std::min<std::uint64_t>(seconds, 1'000'000'000))) {
  }
  bool Passed() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

std::int64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec;
}

// What a killed writer left, when it can't be a living one's any more.
void RemoveOldTemporary(int root, const std::string& path, std::int64_t now) {
  struct stat status {};
  if (fstatat(root, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && now - status.st_mtim.tv_sec > kDay) {
    static_cast<void>(RemoveBeneath(root, path.c_str()));
  }
}

// False where the time was up.
Result<bool> Scan(int root, const Listing& listing, const Deadline& deadline, std::vector<Found>& found) {
  const std::int64_t now = Now();
  for (const std::string& path : listing.loose) RemoveOldTemporary(root, path, now);
  for (const std::string& directory : listing.directories) {
    PISHIP_TRY(const auto entries, List(root, directory));
    for (const DirectoryEntry& entry : entries) {
      const std::string path = directory + "/" + entry.name;
      if (IsTemporary(entry.name)) {
        RemoveOldTemporary(root, path, now);
        continue;
      }
      struct stat status {};
      if (fstatat(root, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
      found.push_back({path, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec});
    }
    if (deadline.Passed()) return false;
  }
  return true;
}

Result<bool> RemoveFound(int root, const Found& found) {
  struct stat status {};
  if (fstatat(root, found.path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (status.st_mtim.tv_sec != found.used) return false;  // used since it was listed
  if (unlinkat(root, found.path.c_str(), 0) == 0) return true;
  if (errno == ENOENT) return false;
  return Fail(SystemError("remove '" + found.path + "' in the store", errno));
}

// The reason why the file at `path` is not what belongs there; empty where it is.
std::string WhyWrong(int root, const std::string& directory, const std::string& name) {
  const std::string path = directory + "/" + name;
  const UniqueFd fd(openat(root, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!fd.valid()) return errno == ENOENT ? "" : "can't be opened";
  if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "is not a regular file";
  if (directory == "uses") return status.st_size == 0 ? "" : "is not empty";
  if (directory.starts_with("memos/")) {
    const auto text = ReadAll(fd.get(), path);
    MemoParts parts;
    const bool right = text && ParseMemo(*text, parts) && MemoPath(parts.kind, parts.key) == path;
    return right ? "" : "is not a memo of that key";
  }
  std::string hex = directory.substr(8) + name;
  Digest digest;
  if (!Digest::Decode(hex, digest)) return "is not named by a digest";
  std::string buffer(std::min<std::uint64_t>(static_cast<std::uint64_t>(status.st_size) + 1, kPiece), '\0');
  Sha256 hasher;
  for (;;) {
    const auto count = ReadSome(fd.get(), buffer.data(), buffer.size(), path);
    if (!count) return "can't be read";
    hasher.Update({buffer.data(), *count});
    if (*count < buffer.size()) break;
  }
  return hasher.Finish() == digest ? "" : "does not match its digest";
}

// What one lowest directory holds that is wrong.
struct Wrong {
  std::string path;
  std::string reason;
};
struct Checked {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<Wrong> wrong;
};

Status CheckDirectory(int root, const std::string& directory, Checked& checked) {
  PISHIP_TRY(const auto entries, List(root, directory));
  for (const DirectoryEntry& entry : entries) {
    if (IsTemporary(entry.name)) continue;
    const std::string path = directory + "/" + entry.name;
    struct stat status {};
    if (fstatat(root, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    checked.files += 1;
    checked.bytes += static_cast<std::uint64_t>(status.st_size);
    std::string reason = WhyWrong(root, directory, entry.name);
    if (!reason.empty()) checked.wrong.push_back({path, std::move(reason)});
  }
  return {};
}

}  // namespace

Result<StoreReport> Store::Prune(const PruneLimits& limits) const {
  StoreReport report;
  PISHIP_TRY([[maybe_unused]] const bool reopened, impl_->Reopen());
  // A descriptor of its own, so that threads and copies of this object exclude each other like processes do.
  PISHIP_TRY(const UniqueFd lock, OpenFile(impl_->directory, O_RDONLY | O_DIRECTORY));
  PISHIP_TRY(const LockOutcome outcome, TryLock(lock.get(), LockMode::kExclusive, impl_->directory));
  if (outcome == LockOutcome::kHeld) {
    report.complete = false;
    return report;
  }
  const int root = lock.get();
  const Deadline deadline(limits.max_seconds);
  PISHIP_TRY(const Listing listing, ListStore(root));
  std::vector<Found> found;
  PISHIP_TRY(report.complete, Scan(root, listing, deadline, found));
  for (const Found& file : found) report.bytes += file.size;
  report.files = found.size();
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.used < b.used; });
  const std::uint64_t days = std::min<std::uint64_t>(limits.max_age_days, 1'000'000);
  const std::int64_t oldest = Now() - static_cast<std::int64_t>(days) * kDay;
  const auto goes = [&](const Found& file) {
    return report.bytes - report.removed_bytes > limits.max_bytes ||
           (limits.max_age_days != UINT64_MAX && file.used <= oldest);
  };
  bool touched = false;
  for (const Found& file : found) {
    if (!goes(file)) break;
    if (deadline.Passed()) {
      report.complete = false;
      break;
    }
    // What is remembered is only missed, and then found out anew; objects are what finished work relies on.
    if (!touched && file.path.starts_with("objects/")) {
      PISHIP_CHECK(impl_->TouchEpoch());
      touched = true;
    }
    PISHIP_TRY(const bool removed, RemoveFound(root, file));
    if (!removed) continue;
    report.removed_files += 1;
    report.removed_bytes += file.size;
  }
  if (touched) PISHIP_CHECK(impl_->TouchEpoch());
  return report;
}

Result<StoreReport> Store::Check() const {
  StoreReport report;
  PISHIP_TRY([[maybe_unused]] const bool reopened, impl_->Reopen());
  const auto held = impl_->Root();
  const int root = held->get();
  PISHIP_TRY(const Listing listing, ListStore(root));
  std::vector<Checked> checked(listing.directories.size());
  PISHIP_CHECK(ParallelFor(checked.size(), 0, [&](std::size_t index, unsigned) {
    return CheckDirectory(root, listing.directories[index], checked[index]);
  }));
  std::vector<Wrong> wrong;
  for (const std::string& path : listing.strange) wrong.push_back({path, "does not belong here"});
  for (Checked& directory : checked) {
    report.files += directory.files;
    report.bytes += directory.bytes;
    std::move(directory.wrong.begin(), directory.wrong.end(), std::back_inserter(wrong));
  }
  if (wrong.empty()) return report;
  PISHIP_CHECK(impl_->TouchEpoch());
  for (const Wrong& each : wrong) {
    if (const int error = RemoveBeneath(root, each.path.c_str()); error != 0) {
      return Fail(SystemError("remove the damaged " + impl_->Subject(each.path), -error));
    }
    report.removed_files += 1;
    report.damaged.push_back(each.path + " " + each.reason);
  }
  PISHIP_CHECK(impl_->TouchEpoch());
  return report;
}

}  // namespace piship
