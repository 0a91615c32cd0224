// SPDX-License-Identifier: MIT
#include "os/sync.h"

#include <unistd.h>

#include <cerrno>
#include <string>

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

}  // namespace piship
