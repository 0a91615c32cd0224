// SPDX-License-Identifier: MIT
// Any package.json has an answer, and so has any text that is scanned as code or remembered.
#include <cstdint>
#include <string_view>

#include "strip/manifest.h"
#include "strip/package_scan.h"
#include "strip/source_map.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  piship::strip::WhyManifestKeepsTypeScript(text, {"src/index.ts", "index.mts", "a/b/c.cts"});
  piship::strip::IsSourceMap(text);
  piship::strip::MentionsDeclaration(text);
  piship::strip::MentionsTypeScript(text);
  piship::strip::MentionsDirectory(text, "src");
  piship::strip::Facts facts;
  piship::strip::ParseFacts(text, facts);
  return 0;
}
