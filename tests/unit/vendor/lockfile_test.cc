// SPDX-License-Identifier: MIT
#include "vendor/lockfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Lock(std::string_view packages) {
  return R"({"lockfileVersion": 3, "packages": {"": {}, )" + std::string(packages) + "}}";
}

TEST(Lockfile, ReadsAnEntry) {
  Problems problems("lock");
  const auto lock = ParseLockfile(Lock(R"("node_modules/a": {"version": "1.0.0"},
    "node_modules/a/node_modules/@b/c": {"name": "real", "version": "2.0.0-rc.1", "resolved": "https://example.invalid/c.tgz",
      "integrity": "sha512-x", "os": ["linux", "!win32"], "cpu": "x64", "libc": ["musl"], "hasInstallScript": true,
      "dependencies": {"d": "^1"}, "bundleDependencies": ["d"], "bin": {"c": "./bin/c.js", "x": "../../up.js"},
      "engines": {"node": ">=18"}, "hasShrinkwrap": true})"),
                                  problems);
  PISHIP_ASSERT_OK(lock);
  EXPECT_THAT(problems.lines(), ElementsAre());
  ASSERT_EQ(lock->entries.size(), 2U);
  const LockEntry& entry = lock->entries[1];
  EXPECT_EQ(entry.parent, "node_modules/a");
  EXPECT_EQ(entry.name, "@b/c");
  EXPECT_EQ(entry.package, "real");
  EXPECT_EQ(entry.version, "2.0.0-rc.1");
  EXPECT_EQ(entry.resolved, "https://example.invalid/c.tgz");
  EXPECT_EQ(entry.integrity, "sha512-x");
  EXPECT_THAT(*entry.platforms.os, ElementsAre("linux", "!win32"));
  EXPECT_THAT(*entry.platforms.cpu, ElementsAre("x64"));
  EXPECT_THAT(*entry.platforms.libc, ElementsAre("musl"));
  EXPECT_TRUE(entry.install_script);
  EXPECT_TRUE(entry.shrinkwrap);
  EXPECT_EQ(entry.node_range, ">=18");
  EXPECT_THAT(entry.bundled, ElementsAre("d"));
  ASSERT_EQ(entry.bins.size(), 2U);
  EXPECT_EQ(entry.bins[0].target, "bin/c.js");
  EXPECT_EQ(entry.bins[1].target, "up.js") << "a target never leaves its package";
  EXPECT_EQ(entry.position.line, 2U);
}

TEST(Lockfile, NotesEveryProblemWithItsPlace) {
  Problems problems("lock");
  const auto lock = ParseLockfile(Lock("\n"
                                       R"("node_modules/a": {"version": 1},
"node_modules/../b": {"version": "1.0.0"},
"node_modules/c/lib": {"version": "1.0.0"},
"node_modules/.d": {"version": "1.0.0"},
"node_modules/e": {"version": "one"},
"node_modules/f": {"version": "1.0.0", "name": "../f"},
"node_modules/g": {"version": "1.0.0", "os": [1]},
"node_modules/h": [])"),
                                  problems);
  PISHIP_ASSERT_OK(lock);
  EXPECT_THAT(
      problems.lines(),
      ElementsAre(HasSubstr("lock:2:31: \"version\" must be"), HasSubstr("lock:2:1: 'node_modules/a' has no version"),
                  HasSubstr("lock:3:1: 'node_modules/../b'"), HasSubstr("lock:4:1: 'node_modules/c/lib'"),
                  HasSubstr("lock:5:1: 'node_modules/.d'"),
                  HasSubstr("lock:6:1: 'node_modules/e' has the version 'one'"),
                  HasSubstr("lock:7:1: 'node_modules/f' has the name"), HasSubstr("lock:8:46: \"os\""),
                  HasSubstr("lock:9:19: ")));
}

TEST(Lockfile, RefusesOtherVersions) {
  for (const char* text : {R"({"lockfileVersion": 1, "packages": {}})", R"({"lockfileVersion": 4, "packages": {}})",
                           R"({"packages": {}})", R"({"lockfileVersion": 3})", "[]"}) {
    Problems problems("lock");
    PISHIP_ASSERT_OK(ParseLockfile(text, problems));
    EXPECT_EQ(problems.lines().size(), 1U) << text;
  }
  Problems problems("lock");
  PISHIP_EXPECT_ERROR(ParseLockfile("{", problems), ErrorCode::kJsonInvalid);
}

TEST(Lockfile, RefusesAnEntryWhoseDirectoryHasNone) {
  Problems problems("lock");
  const auto lock = ParseLockfile(Lock(R"("node_modules/a/node_modules/b": {"version": "1.0.0"})"), problems);
  PISHIP_ASSERT_OK(lock);
  EXPECT_THAT(problems.lines(), ElementsAre(HasSubstr("'node_modules/a', which has no entry")));
  EXPECT_TRUE(lock->entries.empty());
}

TEST(Lockfile, KeepsLocalDirectoriesApart) {
  Problems problems("lock");
  const auto lock = ParseLockfile(Lock(R"("packages/a": {"version": "1.0.0"}, "../b": {})"), problems);
  PISHIP_ASSERT_OK(lock);
  EXPECT_TRUE(lock->entries.empty());
  EXPECT_EQ(lock->locals.size(), 2U);
}

TEST(Bins, AreNamedAsNpmNamesThem) {
  const auto read = [](const char* text, const char* package) {
    std::string out;
    for (const BinFile& bin : ReadBins(*json::Parse(text, "b"), package)) out += bin.command + "=" + bin.target + " ";
    return out;
  };
  EXPECT_EQ(read(R"("cli.js")", "@scope/name"), "name=cli.js ");
  EXPECT_EQ(read(R"({"a": "./x/../a.js", "b/c": "/b.js", "d\\e:f": "x\\y", "": "z", "g": "", "h": 1, "..": "u"})", "p"),
            "a=a.js c=b.js f=x/y ");
  EXPECT_EQ(read(R"(["bin/one", "two"])", "p"), "one=bin/one two=two ");
}

TEST(Manifest, ReadsOverridesAndRefusesWorkspaces) {
  Problems problems("package.json");
  const auto manifest =
      ParseManifest(R"({"overrides": {"a": "1", "b@2": {".": "3", "c": "1"}}, "os": ["linux"]})", problems);
  PISHIP_ASSERT_OK(manifest);
  EXPECT_THAT(manifest->overridden, ElementsAre("a", "b", "c"));
  EXPECT_THAT(*manifest->platforms.os, ElementsAre("linux"));
  EXPECT_TRUE(problems.empty());
  PISHIP_ASSERT_OK(ParseManifest(R"({"workspaces": ["packages/*"]})", problems));
  EXPECT_THAT(problems.lines(), ElementsAre(HasSubstr("workspaces")));
}

}  // namespace
}  // namespace piship
