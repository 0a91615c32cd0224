// SPDX-License-Identifier: MIT
#include "os/lock.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <charconv>
#include <vector>

#include "base/files.h"

namespace piship {
namespace {

constexpr std::size_t kLocksLimit = std::size_t{4} << 20;

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::size_t end = line.find(' ');
    words.push_back(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end);
  }
  return words;
}

template <class Number>
bool TakeNumber(std::string_view& text, int base, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

Result<LockOutcome> TryLock(int fd, LockMode mode, std::string_view name) {
  const int operation = (mode == LockMode::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  for (;;) {
    if (flock(fd, operation) == 0) return LockOutcome::kAcquired;
    switch (errno) {
      case EINTR:
        continue;
      case EWOULDBLOCK:
        return LockOutcome::kHeld;
      case ENOLCK:
      case ENOSYS:
      case EOPNOTSUPP:
      case EINVAL:
      case EBADF:  // what NFS answers for an exclusive lock on a descriptor that can't write
        return LockOutcome::kUnsupported;
      default:
        return Fail(SystemError("lock '" + std::string(name) + "'", errno));
    }
  }
}

// A line: "1: FLOCK  ADVISORY  WRITE 1234 08:01:131077 0 EOF"; the device in hexadecimal. A waiter has "->" after the
// number. File systems with several devices below one mount show another device than stat(2), so where no line has the
// device, the inode's number alone decides.
std::optional<std::int64_t> LockHolderIn(std::string_view locks, unsigned device_major, unsigned device_minor,
                                         std::uint64_t inode) {
  std::optional<std::int64_t> same_inode;
  while (!locks.empty()) {
    const std::size_t end = locks.find('\n');
    const std::vector<std::string_view> words = Words(locks.substr(0, end));
    locks.remove_prefix(end == std::string_view::npos ? locks.size() : end + 1);
    if (words.size() < 6 || words[1] != "FLOCK") continue;
    std::int64_t process = 0;
    std::string_view process_text = words[4];
    std::string_view file = words[5];
    unsigned line_major = 0;
    unsigned line_minor = 0;
    std::uint64_t line_inode = 0;
    if (!TakeNumber(process_text, 10, process) || process <= 0) continue;
    if (!TakeNumber(file, 16, line_major) || !file.starts_with(':')) continue;
    file.remove_prefix(1);
    if (!TakeNumber(file, 16, line_minor) || !file.starts_with(':')) continue;
    file.remove_prefix(1);
    if (!TakeNumber(file, 10, line_inode) || line_inode != inode) continue;
    if (line_major == device_major && line_minor == device_minor) return process;
    same_inode = process;
  }
  return same_inode;
}

bool IsStillNamed(int fd, const std::string& path) {
  struct stat own {};
  struct stat named {};
  return fstat(fd, &own) == 0 && stat(path.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
         own.st_ino == named.st_ino;
}

std::optional<std::int64_t> LockHolder(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return std::nullopt;
  const auto locks = ReadFile("/proc/locks", kLocksLimit);
  if (!locks) return std::nullopt;
  return LockHolderIn(*locks, major(status.st_dev), minor(status.st_dev), status.st_ino);
}

}  // namespace piship
