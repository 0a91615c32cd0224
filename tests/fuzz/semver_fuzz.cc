// SPDX-License-Identifier: MIT
// The first line is a range, the rest a version. A version that is accepted comes back from its own text, in both
// grammars alike; asking a range about it ends.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/semver.h"

using piship::SemverGrammar;
using piship::Version;
using piship::VersionRange;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = text.find('\n');
  if (newline == std::string_view::npos) return 0;
  Version version;
  for (const SemverGrammar grammar : {SemverGrammar::kStrict, SemverGrammar::kLoose}) {
    const auto parsed = Version::Parse(text.substr(newline + 1), grammar);
    if (!parsed) continue;
    const auto again = Version::Parse(parsed->str());
    if (!again || again->str() != parsed->str() || *again != *parsed) std::abort();
    if (grammar == SemverGrammar::kStrict && parsed->str() != text.substr(newline + 1)) std::abort();
    version = *parsed;
  }
  for (const SemverGrammar grammar : {SemverGrammar::kStrict, SemverGrammar::kLoose}) {
    const auto range = VersionRange::Parse(text.substr(0, newline), grammar);
    if (!range) continue;
    const auto all = VersionRange::Parse(text.substr(0, newline), grammar, piship::Prereleases::kAll);
    // What a range holds it also holds where every prerelease counts.
    if (!all || (range->Contains(version) && !all->Contains(version))) std::abort();
  }
  return 0;
}
