// SPDX-License-Identifier: MIT
#include "os/own_place.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string_view>

namespace piship {

Result<std::string> OwnPlace() {
  std::string path(PATH_MAX, '\0');
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length > 0 && static_cast<std::size_t>(length) < path.size() && path.front() == '/') {
    path.resize(static_cast<std::size_t>(length));
    // What the kernel appends once another file has been renamed over this one.
    constexpr std::string_view kReplaced = " (deleted)";
    if (path.ends_with(kReplaced)) path.resize(path.size() - kReplaced.size());
    return path;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface of getauxval
  const char* executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (executed == nullptr) return Fail(ErrorCode::kFileNotFound, "this program can't tell where it lies");
  char* resolved = realpath(executed, nullptr);
  if (resolved == nullptr) return Fail(SystemError("find '" + std::string(executed) + "'", errno));
  path = resolved;
  free(resolved);
  return path;
}

}  // namespace piship
