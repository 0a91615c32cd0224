// SPDX-License-Identifier: MIT
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace piship {
namespace {

using namespace std::string_literals;

TEST(Utf8, RoundTripsEveryScalarValue) {
  for (char32_t code_point = 0; code_point <= 0x10ffff; ++code_point) {
    if (code_point == 0xd800) code_point = 0xe000;
    std::string text;
    AppendUtf8(text, code_point);
    const Utf8Character character = DecodeUtf8(text);
    ASSERT_TRUE(character.valid) << std::hex << static_cast<std::uint32_t>(code_point);
    ASSERT_EQ(character.code_point, code_point);
    ASSERT_EQ(character.length, text.size());
  }
}

TEST(Utf8, RefusesWhatIsNotTheShortestFormOfAScalarValue) {
  for (const std::string& text : {"\xc0\x80"s, "\xc1\xbf"s, "\xe0\x9f\xbf"s, "\xf0\x8f\xbf\xbf"s,  // overlong
                                  "\xed\xa0\x80"s, "\xed\xbf\xbf"s,                                // surrogates
                                  "\xf4\x90\x80\x80"s, "\xf8\x88\x80\x80\x80"s, "\xff"s,           // too large
                                  "\x80"s, "\xc3"s, "\xe2\x82"s, "\xf0\x9f\x98"s, "\xc3("s}) {
    EXPECT_FALSE(IsValidUtf8(text)) << testing::PrintToString(text);
    EXPECT_EQ(DecodeUtf8(text).length, 1U);
  }
  EXPECT_TRUE(IsValidUtf8("caf\xc3\xa9 \xf0\x9f\x98\x80\0"s));
}

TEST(Utf8, KnowsTheBidirectionalControls) {
  for (const char32_t code_point : {0x202aU, 0x202eU, 0x2066U, 0x2069U, 0x200eU, 0x200fU, 0x061cU}) {
    EXPECT_TRUE(IsBidirectionalControl(code_point));
  }
  for (const char32_t code_point : {0x2029U, 0x202fU, 0x2065U, 0x206aU, 0x200dU, 0x61U}) {
    EXPECT_FALSE(IsBidirectionalControl(code_point));
  }
}

}  // namespace
}  // namespace piship
