// SPDX-License-Identifier: MIT
// Recognizes source maps (ECMA-426): a JSON object with a number "version" and a string "mappings" or an array
// "sections".
#pragma once

#include <string_view>

namespace piship::strip {

bool IsSourceMap(std::string_view text);

}  // namespace piship::strip
