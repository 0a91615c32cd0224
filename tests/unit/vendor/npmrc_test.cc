// SPDX-License-Identifier: MIT
// The expectations are what npm 11's own reader gives for the same text.
#include "vendor/npmrc.h"

#include <gmock/gmock.h>

namespace piship {
namespace {

using testing::ElementsAre;

std::vector<std::string> ValuesOf(std::string_view text, std::string_view key) {
  for (const NpmrcEntry& entry : ParseNpmrc(text)) {
    if (entry.key == key) return entry.values;
  }
  return {"(absent)"};
}

std::string ValueOf(std::string_view line) {
  const auto entries = ParseNpmrc(line);
  return entries.size() == 1 && entries[0].values.size() == 1 ? entries[0].values[0] : "(not one)";
}

TEST(Npmrc, ReadsKeysAndValues) {
  EXPECT_EQ(ValueOf("registry = http://a/ ; comment"), "http://a/");
  EXPECT_EQ(ValueOf("registry=http://a/"), "http://a/");
  EXPECT_EQ(ValueOf("empty="), "");
  EXPECT_EQ(ValueOf("bare"), "true");
  EXPECT_EQ(ValueOf("space key = x = y"), "x = y");
  EXPECT_EQ(ValueOf("//host/:_authToken=abc="), "abc=");
  EXPECT_EQ(ValueOf("null=null"), "null");
}

TEST(Npmrc, CommentsEndValuesUnlessEscaped) {
  EXPECT_EQ(ValueOf("key=a\\;b\\#c\\\\d\\e"), "a;b#c\\d\\e");
  EXPECT_EQ(ValueOf("key=a#b"), "a");
  EXPECT_EQ(ValueOf("trail=x\\"), "x\\");
  EXPECT_EQ(ValuesOf("hash#key=1", "hash").at(0), "1");
  EXPECT_TRUE(ParseNpmrc("# c\n  ; c2\n\n   \n").empty());
}

TEST(Npmrc, QuotesAreThoseOfJson) {
  EXPECT_EQ(ValuesOf(" \"quoted key\" = \"v\\n1\" ", "quoted key").at(0), "v\n1");
  EXPECT_EQ(ValueOf("single='it;s'"), "it;s");
  EXPECT_EQ(ValueOf("sq='\"x\"'"), "x");
  EXPECT_EQ(ValueOf("lone=\""), "\"");
  EXPECT_EQ(ValueOf("bad=\"un\\x\""), "\"un\\x\"");
  EXPECT_EQ(ValueOf("q=\"a\" ; comment"), "\"a\"");
}

TEST(Npmrc, ArraysCollectAndPlainKeysAreReplaced) {
  const std::string_view text = "a[]=1\na[]=2\na=3\nb=1\nb[]=2\nc=1\nc=2\n[]=zz\n";
  EXPECT_THAT(ValuesOf(text, "a"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(ValuesOf(text, "b"), ElementsAre("1", "2"));
  EXPECT_THAT(ValuesOf(text, "c"), ElementsAre("2"));
  EXPECT_THAT(ValuesOf(text, "[]"), ElementsAre("zz"));
}

TEST(Npmrc, SpaceIsWhatJavaScriptTrims) {
  EXPECT_EQ(ValuesOf("\xc2\xa0nb\xc2\xa0=\xe3\x80\x80w\xc2\xa0", "nb").at(0), "w");
  EXPECT_EQ(ValuesOf("\xef\xbb\xbfregistry=x", "registry").at(0), "x");
}

TEST(Npmrc, SkipsWhatNpmSkips) {
  EXPECT_TRUE(ParseNpmrc("=novalue\n__proto__=1\n").empty());
  const auto entries = ParseNpmrc("a=1\n[section]\nb=2\n");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].key, "a");
}

TEST(Npmrc, EveryLineEndCountsAndPositionsAreThoseOfTheKey) {
  const auto entries = ParseNpmrc("dos=1\r\nmac=2\rnl=3\n\n   late=4");
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[1].position.line, 2U);
  EXPECT_EQ(entries[2].position.line, 3U);
  EXPECT_EQ(entries[3].position.line, 5U);
  EXPECT_EQ(entries[3].position.column, 4U);
  EXPECT_EQ(entries[0].values[0], "1");
}

TEST(Npmrc, VariablesAreReplacedAsNpmDoes) {
  const Environment environment = ParseEnvironment({"A=va", "A B=sp", "A=later", "novalue"});
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"${A}", "va"},
      {"x${A}y", "xvay"},
      {"${B}", "${B}"},
      {"${B?}", ""},
      {"\\${A}", "${A}"},
      {"\\\\${A}", "\\va"},
      {"\\\\\\${A}", "\\${A}"},
      {"${${A}}", "${va}"},
      {"${A", "${A"},
      {"${}", "${}"},
      {"${?}", "${?}"},
      {"${A?}", "va"},
      {"$A", "$A"},
      {"${A}${A}", "vava"},
      {"\\${B?}", "${B?}"},
      {"${A B}", "sp"},
      {"}${A}", "}va"},
      {"\\\\${B}", "\\${B}"},
      {"", ""},
      {"$", "$"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(ExpandVariables(text, environment), expected) << text;
}

}  // namespace
}  // namespace piship
