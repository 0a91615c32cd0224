// SPDX-License-Identifier: MIT
#include "vendor/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kGood =
    R"("version": "1.0.0", "integrity": "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")";

// "a" for {"node_modules/a": {version, integrity}}, with further members.
std::string Entry(std::string_view path, std::string_view members = {}) {
  return "\"" + std::string(path) + "\": {" + std::string(kGood) + (members.empty() ? "" : ", ") +
         std::string(members) + "}";
}

struct Outcome {
  std::unique_ptr<Manifest> manifest = std::make_unique<Manifest>();
  std::unique_ptr<Lockfile> lockfile = std::make_unique<Lockfile>();
  Selection selection;
  Problems lock_problems{"lock"};
  Problems mismatches{"lock"};

  // "a b(a)": paths without node_modules/, a bundler in brackets.
  std::string Placed() const {
    std::string out;
    for (const SelectedPackage& package : selection.packages) {
      out += (out.empty() ? "" : " ") + Short(package.entry->path);
      if (package.bundler != nullptr) out += "(" + Short(package.bundler->path) + ")";
    }
    return out;
  }
  std::string LeftOut() const {
    std::string out;
    for (const LeftOutPackage& package : selection.left_out) {
      out +=
          (out.empty() ? "" : " ") + Short(package.entry->path) + ":" + std::string(LeftOutReasonName(package.reason));
    }
    return out;
  }
  static std::string Short(std::string path) {
    for (std::size_t at = path.find("node_modules/"); at != std::string::npos; at = path.find("node_modules/"))
      path.erase(at, 13);
    return path;
  }
};

Outcome SelectFrom(std::string_view manifest, const std::vector<std::string>& entries,
                   const char* platform = "linux-x64", SelectionOptions options = {}) {
  Outcome outcome;
  std::string lock = R"({"lockfileVersion": 3, "packages": {"": {})";
  for (const std::string& entry : entries) lock += ", " + entry;
  options.platform = *Platform::Parse(platform);
  *outcome.manifest = *ParseManifest(manifest, outcome.lock_problems);
  *outcome.lockfile = *ParseLockfile(lock + "}}", outcome.lock_problems);
  EXPECT_THAT(outcome.lock_problems.lines(), ElementsAre());
  outcome.selection = Select(*outcome.manifest, *outcome.lockfile, options, outcome.lock_problems, outcome.mismatches);
  return outcome;
}

Outcome SelectGood(std::string_view manifest, const std::vector<std::string>& entries,
                   const char* platform = "linux-x64", SelectionOptions options = {}) {
  Outcome outcome = SelectFrom(manifest, entries, platform, std::move(options));
  EXPECT_THAT(outcome.lock_problems.lines(), ElementsAre());
  EXPECT_THAT(outcome.mismatches.lines(), ElementsAre());
  return outcome;
}

TEST(Selection, LeavesOutWhatOnlyDevelopmentNeeds) {
  const Outcome outcome =
      SelectGood(R"({"dependencies": {"a": "1"}, "devDependencies": {"t": "1", "b": "1"}})",
                 {Entry("node_modules/a", R"("dependencies": {"b": "1"})"), Entry("node_modules/b", R"("dev": true)"),
                  Entry("node_modules/t", R"("dependencies": {"u": "1"})"), Entry("node_modules/u")});
  EXPECT_EQ(outcome.Placed(), "a b") << "the lock's own flags may be stale";
  EXPECT_EQ(outcome.LeftOut(), "t:development u:development");
}

TEST(Selection, LeavesOutWhatNothingNeeds) {
  const Outcome outcome = SelectGood(
      R"({"dependencies": {"a": "1"}})",
      {Entry("node_modules/a", R"("peerDependencies": {"p": "1"}, "peerDependenciesMeta": {"p": {"optional": true}})"),
       Entry("node_modules/p"), Entry("node_modules/x", R"("dependencies": {"y": "1"})"),
       Entry("node_modules/y", R"("dependencies": {"x": "1"})")});
  EXPECT_EQ(outcome.Placed(), "a");
  EXPECT_EQ(outcome.LeftOut(), "p:extraneous x:extraneous y:extraneous") << "an optional peer needs nothing";
}

TEST(Selection, TakesOptionalPackagesOfThePlatform) {
  const std::vector<std::string> entries = {
      Entry("node_modules/any", R"("os": ["any"])"),
      Entry("node_modules/gnu", R"("os": ["linux"], "cpu": ["x64", "arm64"], "libc": ["glibc"])"),
      Entry("node_modules/mac", R"("os": ["darwin"])"),
      Entry("node_modules/musl", R"("os": ["linux"], "libc": ["musl"])"),
      Entry("node_modules/notwin", R"("os": ["!win32"])"),
      Entry("node_modules/opt",
            R"("optionalDependencies": {"any": "1", "gnu": "1", "mac": "1", "musl": "1", "notwin": "1"})"),
  };
  const char* manifest = R"({"dependencies": {"opt": "1"}})";
  EXPECT_EQ(SelectGood(manifest, entries, "linux-x64").Placed(), "any gnu notwin opt");
  EXPECT_EQ(SelectGood(manifest, entries, "linux-x64-musl").Placed(), "any musl notwin opt");
  EXPECT_EQ(SelectGood(manifest, entries, "darwin-arm64").Placed(), "any mac notwin opt")
      << "there is no libc on darwin";
  EXPECT_EQ(SelectGood(manifest, entries, "win32-x64").Placed(), "any opt");
  EXPECT_EQ(SelectGood(manifest, entries, "linux-x64").selection.left_out[0].detail, "os is darwin");
}

TEST(Selection, OptionalPackagesGoWithTheirSet) {
  // o -> m -> (w, s); w does not run here. s is also needed by a, n only by m.
  const Outcome outcome = SelectGood(R"({"dependencies": {"a": "1"}, "optionalDependencies": {"o": "1"}})",
                                     {Entry("node_modules/a", R"("dependencies": {"s": "1"})"),
                                      Entry("node_modules/m", R"("dependencies": {"w": "1", "s": "1", "n": "1"})"),
                                      Entry("node_modules/n"), Entry("node_modules/o", R"("dependencies": {"m": "1"})"),
                                      Entry("node_modules/s"), Entry("node_modules/w", R"("os": ["win32"])")});
  EXPECT_EQ(outcome.Placed(), "a s");
  EXPECT_EQ(outcome.LeftOut(), "m:not-needed n:not-needed o:not-needed w:platform");
}

TEST(Selection, RefusesARequiredPackageOfAnotherPlatform) {
  const std::vector<std::string> entries = {Entry("node_modules/w", R"("os": ["win32"])")};
  EXPECT_THAT(SelectFrom(R"({"dependencies": {"w": "1"}})", entries).lock_problems.lines(),
              ElementsAre(HasSubstr("os is win32")));
  EXPECT_EQ(SelectGood(R"({"devDependencies": {"w": "1"}})", entries).Placed(), "");
  EXPECT_THAT(SelectFrom(R"({"os": ["win32"]})", {}).mismatches.lines(),
              ElementsAre(HasSubstr("package.json excludes linux-x64")));
}

TEST(Selection, EnginesCountForOptionalPackagesAndAKnownNode) {
  const std::vector<std::string> entries = {Entry("node_modules/a", R"("engines": {"node": ">=99"})"),
                                            Entry("node_modules/o", R"("engines": {"node": ">=99"})")};
  const char* manifest = R"({"dependencies": {"a": "1"}, "optionalDependencies": {"o": "1"}})";
  EXPECT_EQ(SelectGood(manifest, entries).Placed(), "a o");
  SelectionOptions options;
  options.node = *Version::Parse("24.0.0");
  EXPECT_EQ(SelectGood(manifest, entries, "linux-x64", options).LeftOut(), "o:engine");
}

TEST(Selection, KnowsWhatComesInATarball) {
  const Outcome outcome = SelectGood(
      R"({"dependencies": {"b": "1"}})",
      {Entry("node_modules/b", R"("bundleDependencies": ["x"], "dependencies": {"x": "1", "z": "1"})"),
       R"("node_modules/b/node_modules/x": {"version": "1.0.0", "inBundle": true, "dependencies": {"y": "1"}})",
       R"("node_modules/b/node_modules/x/node_modules/v": {"version": "1.0.0"})",
       R"("node_modules/b/node_modules/y": {"version": "1.0.0", "inBundle": true, "dependencies": {"v": "1"}})",
       Entry("node_modules/v"), Entry("node_modules/b/node_modules/z")});
  // x/node_modules/v is needed by nothing here, and leaving it out of the graph does not take it out of the tarball.
  EXPECT_EQ(outcome.Placed(), "b b/x(b) b/y(b) v b/z");
}

TEST(Selection, EveryDependencyMustBeAnswered) {
  const Outcome outcome = SelectFrom(
      R"({"dependencies": {"a": "^2", "gone": "1"}, "optionalDependencies": {"maybe": "1"}, "devDependencies": {"d": "2"}})",
      {Entry("node_modules/a", R"("dependencies": {"b": "^1.1", "c": "1"}, "peerDependencies": {"q": "1"})"),
       Entry("node_modules/b"), Entry("node_modules/d")});
  EXPECT_THAT(outcome.mismatches.lines(),
              testing::UnorderedElementsAre(HasSubstr("package.json needs 'a' (^2)"),
                                            HasSubstr("'gone' (1), which package.json needs"), HasSubstr("'maybe' (1)"),
                                            HasSubstr("package.json needs 'd' (2)"),
                                            HasSubstr("'node_modules/a' needs 'b' (^1.1)"),
                                            HasSubstr("'c' (1), which 'node_modules/a'"), HasSubstr("'q' (1)")));
}

TEST(Selection, AcceptsWhatNpmAccepts) {
  const Outcome outcome = SelectGood(
      R"({"dependencies": {"a": "^1", "alias": "npm:real@1.x", "tag": "latest", "over": "9"}, "overrides": {"over": "1"}})",
      {Entry(
           "node_modules/a",
           R"("peerDependencies": {"tag": "7"}, "dependencies": {"alias": ">5"}, "acceptDependencies": {"alias": "1"})"),
       Entry("node_modules/alias", R"("name": "real")"), Entry("node_modules/over"), Entry("node_modules/tag")});
  EXPECT_EQ(outcome.Placed(), "a alias over tag");
  EXPECT_THAT(outcome.selection.notes, ElementsAre(HasSubstr("needs 'tag' (7)")))
      << "packages that disagree about a peer";
}

TEST(Selection, NamesWhatCanNotBeHonoured) {
  const Outcome outcome =
      SelectFrom(R"({"dependencies": {"f": "file:f.tgz", "g": "user/g", "l": "file:l", "n": "1", "u": "1", "i": "1"}})",
                 {R"("node_modules/f": {"version": "1.0.0", "resolved": "file:f.tgz", "integrity": "sha256-x"})",
                  R"("node_modules/g": {"version": "1.0.0", "resolved": "git+ssh://git@example.invalid/g.git#0"})",
                  R"("node_modules/i": {"version": "1.0.0", "integrity": "md5-x"})",
                  R"("node_modules/l": {"resolved": "l", "link": true})", R"("node_modules/n": {"version": "1.0.0"})",
                  R"("node_modules/u": {"version": "1.0.0", "resolved": "ftp://x/u.tgz", "integrity": "x"})",
                  R"("l": {"version": "1.0.0"})"});
  EXPECT_THAT(outcome.lock_problems.lines(),
              testing::UnorderedElementsAre(
                  HasSubstr("'node_modules/f' is the local file"), HasSubstr("'node_modules/g' comes from the git"),
                  HasSubstr("'node_modules/i' has an integrity"), HasSubstr("'node_modules/l' is a link"),
                  HasSubstr("'node_modules/n' has no integrity"), HasSubstr("'node_modules/u' comes from"),
                  HasSubstr("'l' is a directory outside node_modules")));
}

TEST(Selection, WhatDevelopmentNeedsMayComeFromAnywhere) {
  const Outcome outcome =
      SelectGood(R"({"devDependencies": {"g": "user/g", "l": "file:l"}})",
                 {R"("node_modules/g": {"version": "1.0.0", "resolved": "git+ssh://git@example.invalid/g.git#0"})",
                  R"("node_modules/l": {"resolved": "l", "link": true})", R"("l": {"version": "1.0.0"})"});
  EXPECT_EQ(outcome.Placed(), "");
}

TEST(Selection, AdmitsMissingIntegrityByName) {
  SelectionOptions options;
  options.without_integrity = {"real"};
  EXPECT_EQ(SelectGood(R"({"dependencies": {"n": "npm:real@1"}})",
                       {R"("node_modules/n": {"version": "1.0.0", "name": "real"})"}, "linux-x64", options)
                .Placed(),
            "n");
}

}  // namespace
}  // namespace piship
