// SPDX-License-Identifier: MIT
#include "base/files.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/digest.h"

namespace piship {
namespace {

constexpr std::size_t kReadStep = std::size_t{256} * 1024;

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// In pieces: reading a large file whole costs more than comparing it, for the memory that must be touched.
Result<bool> HoldsBytes(int fd, std::string_view bytes, std::string_view name) {
  std::array<char, 65536> piece;
  for (;;) {
    PISHIP_TRY(const std::size_t count, ReadSome(fd, piece.data(), piece.size(), name));
    if (!bytes.starts_with(std::string_view(piece.data(), count))) return false;
    bytes.remove_prefix(count);
    if (count < piece.size()) return bytes.empty();
  }
}

}  // namespace

void UniqueFd::Reset(int fd) {
  // close(2) is not repeated on EINTR: on Linux the descriptor is gone either way.
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

Result<UniqueFd> OpenFile(const std::string& path, int flags, unsigned mode) {
  for (;;) {
    const int fd = open(path.c_str(), flags | O_CLOEXEC, mode);
    if (fd >= 0) return UniqueFd(fd);
    if (errno != EINTR) return Fail(SystemError("open " + Quoted(path), errno));
  }
}

Result<std::size_t> ReadSome(int fd, char* buffer, std::size_t size, std::string_view name) {
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t count = read(fd, buffer + filled, size - filled);
    if (count == 0) break;
    if (count > 0) {
      filled += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      return Fail(SystemError("read " + Quoted(name), errno));
    }
  }
  return filled;
}

Result<std::string> ReadAll(int fd, std::string_view name, std::size_t limit) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return Fail(SystemError("read " + Quoted(name), errno));
  return ReadAll(fd, status, name, limit);
}

Result<std::string> ReadAll(int fd, const struct stat& status, std::string_view name, std::size_t limit) {
  std::string bytes;
  std::size_t expected = S_ISREG(status.st_mode) && status.st_size > 0 ? static_cast<std::size_t>(status.st_size) : 0;
  if (expected > limit) {
    return Fail(ErrorCode::kLimitExceeded, Quoted(name) + " is larger than " + std::to_string(limit) + " bytes");
  }
  std::size_t filled = 0;
  for (;;) {
    // One byte more than expected, so that the end of a regular file is seen by the first read.
    const std::size_t step = expected >= filled ? expected - filled + 1 : kReadStep;
    bytes.resize(filled + step);
    // A regular file gives fewer bytes than asked for only at its end, so the usual file costs one read.
    const ssize_t first = expected > 0 ? read(fd, bytes.data() + filled, step) : 0;
    std::size_t count = first > 0 ? static_cast<std::size_t>(first) : 0;
    if (count != expected || expected == 0) {
      PISHIP_TRY(const std::size_t more, ReadSome(fd, bytes.data() + filled + count, step - count, name));
      count += more;
    }
    filled += count;
    if (filled > limit) {
      return Fail(ErrorCode::kLimitExceeded, Quoted(name) + " is larger than " + std::to_string(limit) + " bytes");
    }
    if (count < step) break;
    expected = 0;
  }
  bytes.resize(filled);
  return bytes;
}

Result<std::string> ReadFile(const std::string& path, std::size_t limit) {
  PISHIP_TRY(const UniqueFd fd, OpenFile(path, O_RDONLY));
  return ReadAll(fd.get(), path, limit);
}

Status WriteAll(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return Fail(SystemError("write " + Quoted(name), errno));
    }
  }
  return {};
}

std::string TemporaryNameFor(std::string_view path) {
  std::array<char, 8> random{};
  // Never fails for so few bytes once the system's generator is up; a name that repeats is caught by O_EXCL.
  static_cast<void>(getrandom(random.data(), random.size(), 0));
  return JoinPath(ParentPath(path), ".tmp-" + HexOf({random.data(), random.size()}));
}

namespace {

// A new file beside `path` with all of `bytes`; nothing stays where that fails. Its name.
Result<std::string> WriteTemporary(const std::string& path, std::string_view bytes, unsigned mode, Umask umask) {
  std::string temporary = TemporaryNameFor(path);
  auto opened = OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  if (!opened) return Fail(std::move(opened).error().While("writing " + Quoted(path)));
  Status written = WriteAll(opened->get(), bytes, path);
  if (written && umask == Umask::kIgnored && fchmod(opened->get(), mode) != 0) {
    written = Fail(SystemError("write " + Quoted(path), errno));
  }
  // EINTR: on Linux the descriptor is gone and the bytes are written.
  if (written && close(opened->Release()) != 0 && errno != EINTR)
    written = Fail(SystemError("write " + Quoted(path), errno));
  if (written) return temporary;
  unlink(temporary.c_str());
  return Fail(std::move(written).error());
}

Status RenameTemporary(const std::string& temporary, const std::string& path) {
  if (rename(temporary.c_str(), path.c_str()) == 0) return {};
  const int error_number = errno;
  unlink(temporary.c_str());
  return Fail(SystemError("write " + Quoted(path), error_number));
}

}  // namespace

Status WriteFileAtomically(const std::string& path, std::string_view bytes, unsigned mode, Umask umask) {
  PISHIP_TRY(const std::string temporary, WriteTemporary(path, bytes, mode, umask));
  return RenameTemporary(temporary, path);
}

Result<bool> CreateFileAtomically(const std::string& path, std::string_view bytes, unsigned mode) {
  PISHIP_TRY(const std::string temporary, WriteTemporary(path, bytes, mode, Umask::kApplies));
  if (link(temporary.c_str(), path.c_str()) == 0) {
    unlink(temporary.c_str());
    return true;
  }
  const int error_number = errno;
  if (error_number == EPERM || error_number == EOPNOTSUPP || error_number == ENOSYS) {
    PISHIP_CHECK(RenameTemporary(temporary, path));
    return true;
  }
  unlink(temporary.c_str());
  if (error_number == EEXIST) return false;
  return Fail(SystemError("write " + Quoted(path), error_number));
}

Result<Written> WriteFileIfChanged(const std::string& path, std::string_view bytes) {
  // O_NONBLOCK: a pipe in the place of the file is not waited for.
  if (auto opened = OpenFile(path, O_RDONLY | O_NONBLOCK)) {
    struct stat status {};
    if (fstat(opened->get(), &status) == 0 && S_ISREG(status.st_mode) &&
        static_cast<std::size_t>(status.st_size) == bytes.size()) {
      PISHIP_TRY(const bool same, HoldsBytes(opened->get(), bytes, path));
      if (same) return Written::kUnchanged;
    }
  }
  PISHIP_CHECK(WriteFileAtomically(path, bytes));
  return Written::kChanged;
}

Status MakeDirectories(const std::string& path, unsigned mode) {
  if (mkdir(path.c_str(), mode) == 0) return {};
  if (errno == ENOENT) {
    const std::string parent = ParentPath(path);
    if (parent != path && parent != ".") {
      PISHIP_CHECK(MakeDirectories(parent, mode));
      if (mkdir(path.c_str(), mode) == 0) return {};
    }
  }
  int error_number = errno;
  struct stat status {};
  const bool known = stat(path.c_str(), &status) == 0;
  if (known && S_ISDIR(status.st_mode)) return {};
  // That something is there is no answer where it can't be told what.
  if (!known && error_number == EEXIST && errno != ENOENT) error_number = errno;
  return Fail(SystemError("make the directory " + Quoted(path), error_number));
}

std::string ParentPath(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string_view FileName(std::string_view path) {
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  std::string out(directory);
  if (!out.empty() && out.back() != '/') out += '/';
  out += name;
  return out;
}

Result<std::string> AbsolutePath(const std::string& path) {
  if (path.starts_with('/')) return path;
  std::array<char, 4096> buffer;
  if (getcwd(buffer.data(), buffer.size()) == nullptr) return Fail(SystemError("find the working directory", errno));
  return JoinPath(buffer.data(), path);
}

}  // namespace piship
