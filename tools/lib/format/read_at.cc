// SPDX-License-Identifier: MIT
#include "format/read_at.h"

#include <unistd.h>

#include <cerrno>

namespace piship {

Status ReadAt(int fd, std::uint64_t offset, std::size_t size, std::string_view name, std::string& out) {
  out.resize(size);
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t count = pread(fd, out.data() + filled, size - filled, static_cast<off_t>(offset + filled));
    if (count > 0) {
      filled += static_cast<std::size_t>(count);
    } else if (count == 0) {
      return Fail(ErrorCode::kArchiveTruncated, "'" + std::string(name) + "' became shorter while it was read");
    } else if (errno != EINTR) {
      return Fail(SystemError("read '" + std::string(name) + "'", errno));
    }
  }
  return {};
}

}  // namespace piship
