// SPDX-License-Identifier: MIT
// What changes one distribution (install, uninstall, clearing a note in the receipt) excludes each other by an
// exclusive flock on apps/<id>/.lock. It protects the receipt, the launcher, the link in the bin home and the names in
// apps/<id>. It is held for moments only, never while an archive is read, so waiting for it is short.
#pragma once

#include <cstdint>
#include <string>

#include "base/files.h"
#include "base/result.h"

namespace piship {

enum class IfHeld : std::uint8_t {
  kWait,  // for some seconds
  kFail,  // at once
};

class LifecycleLock {
 public:
  // Makes apps/<id> where it is missing. kLockHeld names the holder. On a file system without locks it is as if nobody
  // else were there; kernel_locks() then is false and nothing may be removed.
  static Result<LifecycleLock> Take(const std::string& install_home, const std::string& id, IfHeld if_held);
  bool kernel_locks() const { return kernel_locks_; }
  void Release() { fd_ = UniqueFd(); }

 private:
  UniqueFd fd_;
  bool kernel_locks_ = true;
};

// Removes apps/<id>, where nothing but the file of the lock is left in it, and releases the lock.
void RemoveEmptyAppDirectory(LifecycleLock lock, const std::string& app_directory);

// "process 1234" for the holder of a lock on the file of `fd`, or "another process".
std::string DescribeLockHolder(int fd);

}  // namespace piship
