// SPDX-License-Identifier: MIT
// The first line is a pattern, the rest a path: matching ends soon, and a path without stars matches itself only.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/glob.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = text.find('\n');
  if (newline == std::string_view::npos) return 0;
  const std::string_view pattern = text.substr(0, newline);
  const std::string_view path = text.substr(newline + 1);
  const auto glob = piship::Glob::Parse(pattern);
  if (!glob) return 0;
  const bool matches = glob->Matches(path);
  if (pattern.find('*') == std::string_view::npos && matches != (pattern == path)) std::abort();
  return 0;
}
