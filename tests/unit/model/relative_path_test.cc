// SPDX-License-Identifier: MIT
#include "model/relative_path.h"

#include <gmock/gmock.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

std::string Why(std::string_view text) {
  const char* why = RelativePath::WhyNot(text);
  return why != nullptr ? why : "fine";
}

TEST(RelativePath, AcceptsOrdinaryNames) {
  for (const std::string& text :
       {"a"s, "app/node_modules/@scope/name/index.js"s, ".npmrc"s, "a/.b/..c/d..e"s, "with space/x"s,
        "caf\xc3\xa9/\xf0\x9f\x98\x80"s, "console.txt"s, "com10"s, "communication"s, "nul1"s, "auxiliary/x"s,
        "a#b$c&d'e;f`g~h!i@j%k^l(m)n+o=p[q]r{s}t,u"s}) {
    EXPECT_EQ(Why(text), "fine") << text;
  }
}

TEST(RelativePath, RefusesWhatLeavesItsDirectory) {
  EXPECT_EQ(Why(""), "is empty");
  EXPECT_EQ(Why("/a"), "is absolute");
  EXPECT_EQ(Why("/"), "is absolute");
  for (const char* text : {".", "..", "../a", "a/..", "a/../b", "./a", "a/.", "a/./b"}) {
    EXPECT_EQ(Why(text), "has a '.' or '..' component") << text;
  }
  for (const char* text : {"a//b", "a/", "a/b/", "//"}) EXPECT_NE(Why(text), "fine") << text;
  EXPECT_EQ(Why("..\\a"), "contains a backslash");
  EXPECT_EQ(Why("c:/a"), "contains a colon");
  EXPECT_EQ(Why("a:stream"), "contains a colon");
}

TEST(RelativePath, RefusesWhatWindowsCantHold) {
  for (const char* text : {"a<", "a>b", "a\"b", "a|b", "a?b", "*"}) {
    EXPECT_THAT(Why(text), HasSubstr("Windows refuses")) << text;
  }
  for (const char* text : {"a.", "a ", "a./b", "dir /b", "..."}) {
    EXPECT_THAT(Why(text), HasSubstr("ends in a dot or a space")) << text;
  }
  for (const char* text : {"con", "CON", "Nul.txt", "a/aux", "prn.tar.gz/x", "com1", "LPT9.x", "com0", "con .txt",
                           "conin$", "CONOUT$", "com\xc2\xb9", "lpt\xc2\xb2.txt", "com\xc2\xb3"}) {
    EXPECT_THAT(Why(text), HasSubstr("device name")) << text;
  }
}

TEST(RelativePath, RefusesWhatATerminalOrAnEyeTakesForSomethingElse) {
  for (const std::string& text : {"a\nb"s, "a\0b"s, "\x1b[2J"s, "a\x7f"s, "tab\t"s}) {
    EXPECT_EQ(Why(text), "contains a control character");
  }
  for (const std::string& text :
       {"\xff"s, "a\xc3"s, "\xc0\xaf"s, "\xed\xa0\x80"s, "\xc2\x9b"s, "a\xe2\x80\xaetxt.exe"s}) {
    EXPECT_THAT(Why(text), HasSubstr("not UTF-8")) << testing::PrintToString(text);
  }
}

TEST(RelativePath, HasLimits) {
  const std::string component(255, 'a');
  EXPECT_EQ(Why(component), "fine");
  EXPECT_THAT(Why(component + "a"), HasSubstr("255 bytes"));
  EXPECT_THAT(Why("b/" + component + "a/c"), HasSubstr("255 bytes"));
  std::string deep = "a";
  for (int index = 1; index < 128; ++index) deep += "/a";
  EXPECT_EQ(Why(deep), "fine");
  EXPECT_THAT(Why(deep + "/a"), HasSubstr("128 components"));
  std::string path = component;
  while (path.size() + 256 <= 4095) path += "/" + component;
  ASSERT_EQ(path.size(), 4095U);
  EXPECT_EQ(Why(path), "fine");
  EXPECT_THAT(Why(path + "b"), HasSubstr("4,095 bytes"));
}

TEST(RelativePath, NamesThePathInItsError) {
  const auto path = RelativePath::Parse("a/../b");
  PISHIP_EXPECT_ERROR(path, ErrorCode::kPathInvalid);
  EXPECT_EQ(path.error().message, "the path 'a/../b' has a '.' or '..' component");
}

TEST(RelativePath, IsTakenApart) {
  const RelativePath path = RelativePath::Parse("app/lib/x.js").value();
  EXPECT_EQ(path.name(), "x.js");
  EXPECT_EQ(path.parent(), "app/lib");
  const RelativePath top = RelativePath::Parse("x.js").value();
  EXPECT_EQ(top.name(), "x.js");
  EXPECT_EQ(top.parent(), "");
}

TEST(RelativePath, IsPutBelowAnother) {
  const RelativePath path = RelativePath::Parse("lib/x.js").value();
  EXPECT_EQ(path.Below(RelativePath::Parse("app").value()).value().str(), "app/lib/x.js");
  std::string deep = "a";
  for (int index = 1; index < 127; ++index) deep += "/a";
  PISHIP_EXPECT_ERROR(path.Below(RelativePath::Parse(deep).value()), ErrorCode::kPathInvalid);
}

TEST(RelativePath, IsOrderedByBytes) {
  const auto parsed = [](const char* text) { return RelativePath::Parse(text).value(); };
  EXPECT_LT(parsed("a-b"), parsed("a/b"));
  EXPECT_LT(parsed("Z"), parsed("a"));
  EXPECT_LT(parsed("z"), parsed("\xc3\xa9"));
}

}  // namespace
}  // namespace piship
