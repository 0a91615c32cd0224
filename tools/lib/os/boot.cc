// SPDX-License-Identifier: MIT
#include "os/boot.h"

#include <algorithm>

#include "base/files.h"

namespace piship {

std::optional<std::string> BootId() {
  constexpr std::size_t kLimit = 64;
  auto text = ReadFile("/proc/sys/kernel/random/boot_id", kLimit);
  if (!text) return std::nullopt;
  while (text->ends_with('\n')) text->pop_back();
  const bool form = !text->empty() && std::all_of(text->begin(), text->end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-';
  });
  if (!form) return std::nullopt;
  return *std::move(text);
}

}  // namespace piship
