// SPDX-License-Identifier: MIT
#include "os/boot.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"

namespace piship {

std::optional<std::string> BootId() {
  const auto fd = OpenFile("/proc/sys/kernel/random/boot_id", O_RDONLY);
  if (!fd) return std::nullopt;
  // The kernel gives such a file whole by one read, and a launch that needs it has few calls to spend.
  std::string text(64, '\0');
  const ssize_t count = read(fd->get(), text.data(), text.size());
  if (count <= 0 || static_cast<std::size_t>(count) == text.size()) return std::nullopt;
  text.resize(static_cast<std::size_t>(count));
  while (text.ends_with('\n')) text.pop_back();
  const bool form = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-';
  });
  if (!form) return std::nullopt;
  return text;
}

}  // namespace piship
