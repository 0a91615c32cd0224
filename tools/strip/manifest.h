// SPDX-License-Identifier: MIT
// Which TypeScript sources of a package its package.json lets others reach.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace piship::strip {

// Why the manifest does not rule out that one of `sources` (paths relative to the package) is used when a program runs:
// a reason code of docs/formats/strip-report.md; empty where it does. `text` is the package.json's.
std::string_view WhyManifestKeepsTypeScript(std::string_view text, const std::vector<std::string_view>& sources);

}  // namespace piship::strip
