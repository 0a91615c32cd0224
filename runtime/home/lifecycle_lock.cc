// SPDX-License-Identifier: MIT
// The lock file goes when its distribution goes. Whoever has opened it before and locks it after that holds a lock on a
// file that no longer has a name, so after locking the name is looked up again.
#include "home/lifecycle_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "home/homes.h"
#include "os/beneath.h"
#include "os/lock.h"

namespace piship {
namespace {

constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::seconds kPatience{10};

}  // namespace

std::string DescribeLockHolder(int fd) {
  const auto process = LockHolder(fd);
  return process ? "process " + std::to_string(*process) : "another process";
}

Result<LifecycleLock> LifecycleLock::Take(const std::string& install_home, const std::string& id, IfHeld if_held) {
  const std::string directory = AppDirectory(install_home, id);
  const std::string path = JoinPath(directory, ".lock");
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    PISHIP_CHECK(MakeHomeDirectory(directory));
    LifecycleLock lock;
    auto fd = OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0644);
    if (!fd) {
      // The directory went between the two calls: its distribution was uninstalled.
      if (fd.error().code == ErrorCode::kFileNotFound && std::chrono::steady_clock::now() < deadline) continue;
      return Fail(std::move(fd).error());
    }
    lock.fd_ = *std::move(fd);
    PISHIP_TRY(const LockOutcome outcome, TryLock(lock.fd_.get(), LockMode::kExclusive, path));
    if (outcome == LockOutcome::kHeld) {
      if (if_held == IfHeld::kWait && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(kPause);
        continue;
      }
      return Fail(ErrorCode::kLockHeld, "'" + id + "' is being changed by " + DescribeLockHolder(lock.fd_.get()),
                  "wait until it has finished and try again");
    }
    if (!IsStillNamed(lock.fd_.get(), path)) continue;
    lock.kernel_locks_ = outcome == LockOutcome::kAcquired;
    return lock;
  }
}

void RemoveEmptyAppDirectory(LifecycleLock lock, const std::string& app_directory) {
  const auto directory = OpenFile(app_directory, O_RDONLY | O_DIRECTORY);
  std::vector<DirectoryEntry> entries;
  if (!directory || ReadDirectory(directory->get(), entries) != 0) return;
  const bool empty =
      std::all_of(entries.begin(), entries.end(), [](const DirectoryEntry& entry) { return entry.name == ".lock"; });
  if (!empty) return;
  unlinkat(directory->get(), ".lock", 0);
  if (rmdir(app_directory.c_str()) == 0 || errno != ENOTEMPTY) return;
  // Programs and servers that hold a file system (FUSE, NFS) keep an open file under another name until it is closed.
  lock.Release();
  rmdir(app_directory.c_str());
}

}  // namespace piship
