// SPDX-License-Identifier: MIT
// Whole files: bounded reading, and writing by temporary file and rename. A reader of `path` sees the old bytes or the
// new ones; a killed writer leaves at most a file whose name begins with ".tmp-", which nothing reads.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace piship {

// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) Reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~UniqueFd() { Reset(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd = -1);

 private:
  int fd_ = -1;
};

inline constexpr std::size_t kNoLimit = SIZE_MAX;

// open(2) with O_CLOEXEC, repeated on EINTR. `path` is also the subject of the error.
Result<UniqueFd> OpenFile(const std::string& path, int flags, unsigned mode = 0666);
// The whole of a regular file or of what a pipe gives; more than `limit` bytes are kLimitExceeded.
Result<std::string> ReadFile(const std::string& path, std::size_t limit = kNoLimit);
Result<std::string> ReadAll(int fd, std::string_view name, std::size_t limit = kNoLimit);
// For a caller that has called fstat(2) already.
Result<std::string> ReadAll(int fd, const struct stat& status, std::string_view name, std::size_t limit = kNoLimit);
// Up to `size` bytes from the descriptor's position: fewer only at the end of the file.
Result<std::size_t> ReadSome(int fd, char* buffer, std::size_t size, std::string_view name);
// Every byte, whatever write(2) takes at a time.
Status WriteAll(int fd, std::string_view bytes, std::string_view name);

enum class Written : std::uint8_t { kChanged, kUnchanged };

// Puts `bytes` at `path` by rename. An equal file is left alone, with its time, so that Ninja stops there.
Result<Written> WriteFileIfChanged(const std::string& path, std::string_view bytes);
enum class Umask : std::uint8_t { kApplies, kIgnored };

// Puts `bytes` at `path` by rename, always.
Status WriteFileAtomically(const std::string& path, std::string_view bytes, unsigned mode = 0666,
                           Umask umask = Umask::kApplies);
// Puts `bytes` at `path`, whole, if nothing has that name; false where something has. Where the file system has no hard
// links, one of two that do this at once replaces what the other has put.
Result<bool> CreateFileAtomically(const std::string& path, std::string_view bytes, unsigned mode = 0666);

// mkdir -p: existing directories are fine, each new one gets mode 0777 less the umask (or `mode` less the umask).
Status MakeDirectories(const std::string& path, unsigned mode = 0777);

// "a/b" of "a/b/c"; "." where there is no slash; "/" of "/c".
std::string ParentPath(std::string_view path);
// The last component; empty for "/".
std::string_view FileName(std::string_view path);
// `directory` + "/" + `name`, without doubling the slash.
std::string JoinPath(std::string_view directory, std::string_view name);

// `path` itself where it begins with a slash, else below the working directory. Nothing is resolved.
Result<std::string> AbsolutePath(const std::string& path);

// A name beside `path` that no other process uses: ".tmp-<random>".
std::string TemporaryNameFor(std::string_view path);

}  // namespace piship
