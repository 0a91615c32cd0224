// SPDX-License-Identifier: MIT
// UTF-8 as RFC 3629 defines it: no surrogates, nothing above U+10FFFF, no overlong form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace piship {

struct Utf8Character {
  char32_t code_point = 0;
  std::size_t length = 1;  // bytes taken; 1 where invalid
  bool valid = false;
};

// The first character of a text that is not empty.
Utf8Character DecodeUtf8(std::string_view text);
bool IsValidUtf8(std::string_view text);
bool IsAscii(std::string_view text);
void AppendUtf8(std::string& out, char32_t code_point);

// The explicit bidirectional formatting characters (UAX #9, section 2): they make a name look like another one.
bool IsBidirectionalControl(char32_t code_point);

}  // namespace piship
