// SPDX-License-Identifier: MIT
// What the parser accepts has a canonical text, and that text is a fixed point.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"

using piship::json::Canonical;
using piship::json::Kind;
using piship::json::Parse;
using piship::json::Value;

namespace {

bool HasFraction(const Value& value) {
  if (value.is(Kind::kNumber)) return true;
  for (const Value& item : value.array()) {
    if (HasFraction(item)) return true;
  }
  for (const auto& member : value.object()) {
    if (HasFraction(member.value)) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = Parse(text, "fuzz");
  if (!value || HasFraction(*value)) return 0;
  const std::string canonical = Canonical(*value);
  const auto again = Parse(canonical, "canonical");
  if (!again || Canonical(*again) != canonical) std::abort();
  return 0;
}
