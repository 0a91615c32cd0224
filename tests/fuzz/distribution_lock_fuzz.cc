// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/distribution_lock.h"

// A lock that is accepted has one text, and that text is the input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lock = piship::DistributionLock::Parse(text, "fuzz");
  if (lock && lock->Text() != text) std::abort();
  return 0;
}
