// SPDX-License-Identifier: MIT
// The memory of a package: what is understood comes back from its own text. A first line that is changed for Unix is
// changed once.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vendor/package.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto script = piship::WithUnixFirstLine(text)) {
    if (!script->starts_with("#!")) std::abort();
  }
  const auto package = piship::Package::Parse(text);
  if (!package) return 0;
  const auto again = piship::Package::Parse(package->Text());
  if (!again || again->Text() != package->Text()) std::abort();
  return 0;
}
