// SPDX-License-Identifier: MIT
// The kernel's advisory locks on whole files and directories (flock): they belong to the open file description, so they
// live as long as a process holds the descriptor or an inherited copy of it, through exec, and end with a crash or a
// power cut. No function here waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship {

enum class LockMode : std::uint8_t { kShared, kExclusive };
enum class LockOutcome : std::uint8_t {
  kAcquired,
  kHeld,         // by another open file description
  kUnsupported,  // the file system has no locks
};

// Takes the lock, or changes the mode of one that this descriptor holds. `name` is the subject of errors.
Result<LockOutcome> TryLock(int fd, LockMode mode, std::string_view name);

// Whether `path` still names the file of `fd`: a lock on one that has lost its name, which whoever was done with it has
// taken away, excludes nobody.
bool IsStillNamed(int fd, const std::string& path);

// The process that holds a lock on the file of `fd`, as /proc/locks tells it; absent where that can't be known (no
// /proc, another process-id namespace, nobody).
std::optional<std::int64_t> LockHolder(int fd);
// The same from the text of /proc/locks.
std::optional<std::int64_t> LockHolderIn(std::string_view locks, unsigned device_major, unsigned device_minor,
                                         std::uint64_t inode);

}  // namespace piship
