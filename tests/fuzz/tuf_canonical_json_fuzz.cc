// SPDX-License-Identifier: MIT
// The canonical form does not depend on white space or the order of members, and the form of a form is itself.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tuf/canonical_json.h"

using namespace piship;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = json::Parse({reinterpret_cast<const char*>(data), size}, "text");
  if (!value) return 0;
  const auto form = tuf::CanonicalForm(*value, "text");
  if (!form) return 0;
  const auto pretty = json::Parse(json::Canonical(*value), "pretty");
  if (!pretty) std::abort();
  const auto again = tuf::CanonicalForm(*pretty, "pretty");
  if (!again || *again != *form) std::abort();
  return 0;
}
