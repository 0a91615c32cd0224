// SPDX-License-Identifier: MIT
#include "tuf/delegation.h"

#include <algorithm>
#include <cstdint>

#include "base/digest.h"

namespace piship::tuf {

bool PathMatches(std::string_view path, std::string_view pattern) {
  // One star is remembered at a time: a later one can only be reached when the earlier has taken as little as it needs,
  // so this takes at most path times pattern steps. A star ends at a slash, where no going back helps.
  std::size_t at = 0;
  std::size_t in = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_at = 0;
  while (at < path.size()) {
    if (in < pattern.size() && pattern[in] == '*') {
      star = in++;
      star_at = at;
    } else if (in < pattern.size() && (pattern[in] == path[at] || (pattern[in] == '?' && path[at] != '/'))) {
      if (path[at] == '/') star = std::string_view::npos;
      ++at;
      ++in;
    } else if (star != std::string_view::npos && path[star_at] != '/') {
      at = ++star_at;
      in = star + 1;
    } else {
      return false;
    }
  }
  while (in < pattern.size() && pattern[in] == '*') ++in;
  return in == pattern.size();
}

bool IsDelegated(const DelegatedRole& role, std::string_view path) {
  if (std::any_of(role.paths.begin(), role.paths.end(),
                  [&](const std::string& pattern) { return PathMatches(path, pattern); })) {
    return true;
  }
  if (role.path_hash_prefixes.empty()) return false;
  const std::string hash = Digest::Of(path).Hex();
  return std::any_of(role.path_hash_prefixes.begin(), role.path_hash_prefixes.end(),
                     [&](const std::string& prefix) { return hash.starts_with(prefix); });
}

DelegatedRole BinFor(const SuccinctRoles& roles, std::string_view path) {
  const auto digest = Digest::Of(path);
  std::uint32_t bits = 0;
  for (std::size_t index = 0; index < 4; ++index) bits = bits << 8 | digest.bytes()[index];
  std::uint32_t bin = bits >> (32 - roles.bit_length);
  // As many hexadecimal digits as the last bin has.
  std::string suffix(static_cast<std::size_t>((roles.bit_length + 3) / 4), '0');
  for (std::size_t index = suffix.size(); index-- > 0; bin >>= 4) suffix[index] = "0123456789abcdef"[bin & 15];
  DelegatedRole role;
  role.name = roles.name_prefix + "-" + suffix;
  role.keys = roles.keys;
  role.terminating = true;
  return role;
}

}  // namespace piship::tuf
