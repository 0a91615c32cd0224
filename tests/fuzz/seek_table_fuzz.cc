// SPDX-License-Identifier: MIT
// What the parser of the frame index accepts is exactly what the writer makes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/seek_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto frames = piship::ParseFrameIndex(bytes, "fuzz");
  if (frames && piship::FrameIndexBytes(*frames) != bytes) std::abort();
  return 0;
}
