// SPDX-License-Identifier: MIT
#include "vendor/dependency.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

TEST(Specifier, IsClassifiedAsNpmDoes) {
  struct Case {
    const char* specifier;
    SpecifierKind kind;
    const char* text;
  };
  const Case cases[] = {
      {"", SpecifierKind::kRange, "*"},
      {"^1.2.3", SpecifierKind::kRange, "^1.2.3"},
      {" >= 1 ", SpecifierKind::kRange, ">= 1"},
      {"latest", SpecifierKind::kTag, "latest"},
      {"npm:other@^1", SpecifierKind::kRange, "^1"},
      {"npm:@scope/other@next", SpecifierKind::kTag, "next"},
      {"npm:@scope/other", SpecifierKind::kRange, "*"},
      {"https://example.invalid/a.tgz", SpecifierKind::kRemote, "https://example.invalid/a.tgz"},
      {"git+ssh://git@example.invalid/a.git", SpecifierKind::kGit, "git+ssh://git@example.invalid/a.git"},
      {"github:user/repository", SpecifierKind::kGit, "github:user/repository"},
      {"user/repository#main", SpecifierKind::kGit, "user/repository#main"},
      {"git@example.invalid:a/b", SpecifierKind::kGit, "git@example.invalid:a/b"},
      {"file:../a", SpecifierKind::kLocal, "file:../a"},
      {"./a", SpecifierKind::kLocal, "./a"},
      {"/a", SpecifierKind::kLocal, "/a"},
      {"c:/a", SpecifierKind::kLocal, "c:/a"},
      {"link:../a", SpecifierKind::kLocal, "link:../a"},
      {"workspace:*", SpecifierKind::kWorkspace, "workspace:*"},
  };
  for (const Case& c : cases) {
    const Specifier specifier = ClassifySpecifier(c.specifier);
    EXPECT_EQ(specifier.kind, c.kind) << c.specifier;
    EXPECT_EQ(specifier.text, c.text) << c.specifier;
  }
}

TEST(PackageName, IsWhatMayLieInNodeModules) {
  for (const char* name : {"a", "a-b.c_d", "@a/b", "JSONStream", "@A/b.js"}) EXPECT_TRUE(IsPackageName(name)) << name;
  for (const char* name : {"", ".", "..", ".bin", "@a", "@a/", "@/b", "@a/.b", "@../b", "a/b", "@a/b/c", "node_modules",
                           "a b", "a\\b", "a:b", "\xc3\xa9", "a%2fb"}) {
    EXPECT_FALSE(IsPackageName(name)) << name;
  }
  EXPECT_FALSE(IsPackageName(std::string(300, 'a')));
}

TEST(Dependencies, LaterGroupsWin) {
  const auto package = json::Parse(
      R"({"peerDependencies": {"a": "1", "b": "1", "c": "1"}, "peerDependenciesMeta": {"c": {"optional": true}},
    "dependencies": {"a": "2", "d": "1"}, "optionalDependencies": {"d": "2"}, "devDependencies": {"d": "3", "e": "1"},
    "acceptDependencies": {"a": "5"}})",
      "p");
  PISHIP_ASSERT_OK(package);
  Problems problems("p");
  const auto read = [&](DevelopmentDependencies development) {
    std::string out;
    for (const Dependency& dependency : ReadDependencies(*package, development, problems)) {
      out += dependency.name + dependency.specifier + std::to_string(static_cast<int>(dependency.kind)) +
             dependency.accepted.value_or("") + " ";
    }
    return out;
  };
  EXPECT_EQ(read(DevelopmentDependencies::kRead), "b13 c14 a205 d31 e11 ");
  EXPECT_EQ(read(DevelopmentDependencies::kIgnore), "b13 c14 a205 d22 ");
  EXPECT_TRUE(problems.empty());
}

TEST(Dependencies, NoteWhatIsMalformed) {
  const auto package = json::Parse(R"({"dependencies": {"a": 1}, "optionalDependencies": []})", "p");
  PISHIP_ASSERT_OK(package);
  Problems problems("p");
  EXPECT_TRUE(ReadDependencies(*package, DevelopmentDependencies::kRead, problems).empty());
  EXPECT_EQ(problems.lines().size(), 2U);
}

}  // namespace
}  // namespace piship
