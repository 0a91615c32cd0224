// SPDX-License-Identifier: MIT
// What Parse accepts must come back from its own text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/receipt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto receipt = piship::Receipt::Parse({reinterpret_cast<const char*>(data), size}, "receipt");
  if (!receipt) return 0;
  const std::string text = receipt->Text();
  const auto again = piship::Receipt::Parse(text, "receipt");
  if (!again || again->Text() != text) std::abort();
  return 0;
}
