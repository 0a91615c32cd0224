// SPDX-License-Identifier: MIT
#include "os/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace piship {

void OpenClosedStandardStreams() {
  for (int fd = 0; fd < kFirstOwnDescriptor; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is `fd`, since all below it are open. Where there is no /dev/null a directory does:
    // reading and writing it fail, as on a closed stream.
    if (open("/dev/null", O_RDWR) < 0) static_cast<void>(open("/", O_RDONLY | O_DIRECTORY));
  }
}

Result<UniqueFd> MakeInherited(UniqueFd fd, std::string_view name) {
  if (fd.get() >= kFirstOwnDescriptor) {
    if (fcntl(fd.get(), F_SETFD, 0) == 0) return fd;
  } else {
    const int moved = fcntl(fd.get(), F_DUPFD, kFirstOwnDescriptor);
    if (moved >= 0) return UniqueFd(moved);
  }
  return Fail(SystemError("keep '" + std::string(name) + "' open", errno));
}

}  // namespace piship
