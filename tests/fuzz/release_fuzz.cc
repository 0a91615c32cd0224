// SPDX-License-Identifier: MIT
// A release that is accepted has a text, and that text is a fixed point.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/release.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto release = piship::Release::Parse(text, "fuzz");
  if (!release) return 0;
  const auto again = piship::Release::Parse(release->Text(), "text");
  if (!again || again->Text() != release->Text()) std::abort();
  return 0;
}
