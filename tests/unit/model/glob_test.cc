// SPDX-License-Identifier: MIT
#include "model/glob.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

bool Matches(std::string_view pattern, std::string_view path) {
  const auto glob = Glob::Parse(pattern);
  EXPECT_TRUE(glob.has_value()) << pattern;
  return glob && glob->Matches(path);
}

TEST(Glob, StarsStayWithinAComponent) {
  EXPECT_TRUE(Matches("a/*.ts", "a/b.ts"));
  EXPECT_TRUE(Matches("a/*", "a/b.ts"));
  EXPECT_TRUE(Matches("*/b*s", "a/bs"));
  EXPECT_TRUE(Matches("a/*.d.*ts", "a/x.d.d.mts"));
  EXPECT_FALSE(Matches("a/*.ts", "a/b/c.ts"));
  EXPECT_FALSE(Matches("a/*.ts", "a/b.tsx"));
  EXPECT_FALSE(Matches("*", "a/b"));
  EXPECT_FALSE(Matches("a/b", "a/b/c"));
}

TEST(Glob, DoubleStarsTakeAnyNumberOfComponents) {
  for (const char* path : {"a/b.ts", "a/x/b.ts", "a/x/y/b.ts"}) EXPECT_TRUE(Matches("a/**/b.ts", path)) << path;
  EXPECT_TRUE(Matches("**/*.d.ts", "x.d.ts"));
  EXPECT_TRUE(Matches("node_modules/a/**", "node_modules/a/b/c"));
  EXPECT_TRUE(Matches("**/x/**/y", "x/x/y/x/y"));
  EXPECT_FALSE(Matches("a/**/b.ts", "b.ts"));
  EXPECT_FALSE(Matches("node_modules/a/**", "node_modules/ab/c"));
}

TEST(Glob, OtherCharactersStandForThemselves) {
  EXPECT_TRUE(Matches("a/[b]?.ts", "a/[b]?.ts"));
  EXPECT_FALSE(Matches("a/[b].ts", "a/b.ts"));
  EXPECT_FALSE(Matches("a.ts", "abts"));
}

TEST(Glob, ManyStarsDoNotTakeForEver) {
  std::string pattern;
  for (int star = 0; star < 40; ++star) pattern += "*a";
  EXPECT_FALSE(Matches(pattern + "b", std::string(200, 'a')));
  std::string deep = "b";
  for (int level = 0; level < 60; ++level) deep = "a/" + deep;
  std::string stars = "c";
  for (int level = 0; level < 30; ++level) stars = "**/a/" + stars;
  EXPECT_FALSE(Matches(stars, deep));
}

TEST(Glob, RefusesWhatCanMatchNothing) {
  for (const char* pattern : {"", "/a", "a//b", "a/", "./a", "a/../b", "a**", "a/**b"}) {
    PISHIP_EXPECT_ERROR(Glob::Parse(pattern), ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace piship
