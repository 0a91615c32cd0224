// SPDX-License-Identifier: MIT
// Reading an .npmrc never fails and names places inside the text; expansion ends.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vendor/npmrc.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = 1 + std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  const piship::Environment environment = {{"A", "a${B}"}, {"B", "b"}};
  for (const piship::NpmrcEntry& entry : piship::ParseNpmrc(text)) {
    if (entry.values.empty() || entry.position.line == 0 || entry.position.line > lines) std::abort();
    if (entry.position.column == 0 || entry.position.column > size) std::abort();
    piship::ExpandVariables(entry.key, environment);
    for (const std::string& value : entry.values) {
      if (piship::ExpandVariables(value, environment).size() > 4 * value.size() + 4) std::abort();
    }
  }
  return 0;
}
