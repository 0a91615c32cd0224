// SPDX-License-Identifier: MIT
// What is accepted has a canonical text that means the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vendor/integrity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto integrity = piship::Integrity::Parse({reinterpret_cast<const char*>(data), size});
  if (!integrity) return 0;
  const auto again = piship::Integrity::Parse(integrity->Canonical());
  if (!again || again->Canonical() != integrity->Canonical()) std::abort();
  for (const std::string& digest : integrity->digests()) {
    if (!again->Matches(digest)) std::abort();
  }
  return 0;
}
