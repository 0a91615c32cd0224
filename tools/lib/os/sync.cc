// SPDX-License-Identifier: MIT
#include "os/sync.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace piship {

Status SyncFileSystem(int fd, std::string_view name) {
  if (syncfs(fd) != 0)
    return Fail(SystemError("write the file system of '" + std::string(name) + "' to its device", errno));
  return {};
}

Status SyncFile(int fd, std::string_view name) {
  // Network file systems let a signal interrupt it.
  while (fsync(fd) != 0) {
    if (errno != EINTR) return Fail(SystemError("write '" + std::string(name) + "' to its device", errno));
  }
  return {};
}

Status ReplaceFileDurably(const std::string& path, std::string_view bytes, unsigned mode, Umask umask) {
  const std::string temporary = TemporaryNameFor(path);
  const auto write = [&]() -> Status {
    PISHIP_TRY(const UniqueFd file, OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
    PISHIP_CHECK(WriteAll(file.get(), bytes, temporary));
    if (umask == Umask::kIgnored && fchmod(file.get(), mode) != 0) {
      return Fail(SystemError("write '" + path + "'", errno));
    }
    PISHIP_CHECK(SyncFile(file.get(), temporary));
    if (std::rename(temporary.c_str(), path.c_str()) != 0) return Fail(SystemError("write '" + path + "'", errno));
    return {};
  };
  Status written = write();
  if (!written) unlink(temporary.c_str());
  return written;
}

}  // namespace piship
