// SPDX-License-Identifier: MIT
#include "os/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace piship {

void OpenClosedStandardStreams() {
  for (int fd = 0; fd < kFirstOwnDescriptor; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is `fd`, since all below it are open. Where there is no /dev/null a directory does:
    // reading and writing it fail, as on a closed stream.
    if (open("/dev/null", O_RDWR) < 0) static_cast<void>(open("/", O_RDONLY | O_DIRECTORY));
  }
}

void ReportFileSizeLimit() { static_cast<void>(std::signal(SIGXFSZ, SIG_IGN)); }

Result<UniqueFd> OpenInherited(const std::string& path, int flags) {
  int fd = -1;
  do {
    fd = open(path.c_str(), flags);
  } while (fd < 0 && errno == EINTR);
  if (fd >= kFirstOwnDescriptor) return UniqueFd(fd);
  if (fd >= 0) {
    const UniqueFd low(fd);
    fd = fcntl(low.get(), F_DUPFD, kFirstOwnDescriptor);
    if (fd >= 0) return UniqueFd(fd);
  }
  return Fail(SystemError("open '" + path + "'", errno));
}

}  // namespace piship
