// SPDX-License-Identifier: MIT
// The matcher of path patterns agrees with the plain recursive definition. A line feed parts pattern and path.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tuf/delegation.h"

namespace {

bool Matches(std::string_view path, std::string_view pattern) {
  if (pattern.empty()) return path.empty();
  if (pattern[0] == '*') {
    return Matches(path, pattern.substr(1)) || (!path.empty() && path[0] != '/' && Matches(path.substr(1), pattern));
  }
  if (path.empty()) return false;
  const bool same = pattern[0] == path[0] || (pattern[0] == '?' && path[0] != '/');
  return same && Matches(path.substr(1), pattern.substr(1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 24) return 0;  // the plain definition is exponential
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const std::string_view pattern = text.substr(0, end);
  const std::string_view path = text.substr(end + 1);
  if (piship::tuf::PathMatches(path, pattern) != Matches(path, pattern)) std::abort();
  return 0;
}
