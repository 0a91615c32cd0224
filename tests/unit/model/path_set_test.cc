// SPDX-License-Identifier: MIT
#include "model/path_set.h"

#include <gmock/gmock.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

// "" where all fit together, else the first conflict's text.
std::string ConflictIn(const std::vector<std::string>& paths) {
  PathSet set;
  for (const std::string& text : paths) {
    const auto path = RelativePath::Parse(text);
    EXPECT_TRUE(path.has_value()) << text;
    if (const Status added = set.Add(*path); !added) {
      EXPECT_EQ(added.error().code, ErrorCode::kPathConflict);
      return added.error().message;
    }
  }
  return "";
}

TEST(PathSet, AcceptsPathsThatDiffer) {
  EXPECT_EQ(ConflictIn({"a", "a.js", "b/a", "b/c/a", "b/c/d", "c/b", "b/e"}), "");
  EXPECT_EQ(ConflictIn({"b/c/d/x", "b/y", "b/c/z", "b/c/d/e/f", "b/c/d/w"}), "");
}

TEST(PathSet, RefusesTheSamePathTwice) { EXPECT_EQ(ConflictIn({"a/b", "a/b"}), "'a/b' appears twice"); }

TEST(PathSet, RefusesNamesThatFoldTogether) {
  EXPECT_EQ(ConflictIn({"README", "readme"}), "'readme' and 'README' are one name on some file systems");
  // Letter case beyond ASCII, both normal forms, a ligature, the Kelvin sign, a long s, a character that is ignored.
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{{"\xc3\x89", "\xc3\xa9"},
                                                                                   {"e\xcc\x81", "\xc3\xa9"},
                                                                                   {"\xef\xac\x81", "fi"},
                                                                                   {"\xe2\x84\xaa", "k"},
                                                                                   {"\xc5\xbf", "S"},
                                                                                   {"stra\xc3\x9f"
                                                                                    "e",
                                                                                    "STRASSE"},
                                                                                   {".g\xe2\x80\x8cit", ".git"}}) {
    EXPECT_NE(ConflictIn({one, other}), "") << one << " " << other;
  }
}

TEST(PathSet, RefusesDirectoriesThatFoldTogether) {
  EXPECT_EQ(ConflictIn({"Lib/a", "lib/b"}), "'lib' and 'Lib' are one name on some file systems");
  EXPECT_NE(ConflictIn({"x/Lib/a/b", "x/c", "x/lib/d"}), "");
}

TEST(PathSet, RefusesAFileWhereADirectoryIsNeeded) {
  EXPECT_EQ(ConflictIn({"a", "a/b"}), "'a' is both a file and a directory");
  EXPECT_EQ(ConflictIn({"a/b", "a"}), "'a' is both a file and a directory");
  EXPECT_NE(ConflictIn({"A", "a/b"}), "");
  EXPECT_NE(ConflictIn({"x/a/b/c", "x/a/b"}), "");
}

TEST(PathSet, RemembersManyPaths) {
  PathSet set;
  std::vector<RelativePath> paths;
  for (int index = 0; index < 5000; ++index) {
    paths.push_back(
        RelativePath::Parse("d" + std::to_string(index % 70) + "/\xc3\xa9/f" + std::to_string(index)).value());
    PISHIP_ASSERT_OK(set.Add(paths.back()));
  }
  for (const RelativePath& path : paths) PISHIP_EXPECT_ERROR(set.Add(path), ErrorCode::kPathConflict);
  PISHIP_EXPECT_ERROR(set.Add(RelativePath::Parse("D3/x").value()), ErrorCode::kPathConflict);
}

TEST(FoldPath, IsIdempotent) {
  for (const char* text :
       {"A\xcc\x8a\xcd\x85", "\xcd\x85\xcc\x81", "\xc7\x85x", "\xe1\xba\x9e", "\xe1\xbe\x80\xcc\x81", "\xce\x90"}) {
    EXPECT_EQ(FoldPath(FoldPath(text)), FoldPath(text)) << text;
  }
}

}  // namespace
}  // namespace piship
