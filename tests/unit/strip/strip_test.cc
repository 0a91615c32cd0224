// SPDX-License-Identifier: MIT
#include "strip/strip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/json.h"
#include "model/inventory.h"
#include "store/store.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship::strip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kMap = R"({"version":3,"sources":[],"names":[],"mappings":"AAAA"})";
constexpr std::string_view kClosed = R"({"exports":"./dist/index.js"})";

using Files = std::map<std::string, std::string>;

class Strip : public testing::Test {
 protected:
  // The paths that go.
  std::vector<std::string> Removed(const Files& files, const std::vector<std::string>& keep = {}) {
    const Status status = RunOn(files, keep);
    EXPECT_TRUE(status.has_value()) << FormatError("test", status.error());
    const auto output = ReadInventory(directory_ / "out");
    EXPECT_TRUE(output.has_value());
    std::vector<std::string> removed;
    for (const auto& [path, bytes] : files) {
      if (output->Find(path) == nullptr) removed.push_back(path);
    }
    return removed;
  }

  Status RunOn(const Files& files, const std::vector<std::string>& keep = {}) {
    const auto store = Store::Open(directory_ / "store");
    EXPECT_TRUE(store.has_value());
    std::vector<InventoryEntry> entries;
    for (const auto& [path, bytes] : files) {
      entries.push_back({*store->Put(bytes), bytes.size(), FileMode::kPlain, *RelativePath::Parse(path)});
    }
    EXPECT_TRUE(WriteFileAtomically(directory_ / "in", Inventory::FromEntries(entries)->Text()).has_value());
    return Again(keep);
  }
  Status Again(const std::vector<std::string>& keep = {}) {
    return strip::Run({directory_ / "in", directory_ / "store", keep, directory_ / "out", directory_ / "report",
                       directory_ / "out.d"});
  }
  std::string Report() const { return ReadFile(directory_ / "report").value_or(""); }

  TempDir directory_;
};

TEST_F(Strip, RemovesSourceMapsThatAreSome) {
  EXPECT_THAT(Removed({{"node_modules/a/index.js", "x"},
                       {"node_modules/a/index.js.map", std::string(kMap)},
                       {"node_modules/a/world.map", "{\"tiles\":[]}"},
                       {"node_modules/@s/b/deep/x.css.map", std::string(kMap)},
                       {"src/own.js.map", std::string(kMap)}}),
              ElementsAre("node_modules/@s/b/deep/x.css.map", "node_modules/a/index.js.map"));
  EXPECT_THAT(Report(), HasSubstr("not-a-source-map"));
  EXPECT_THAT(Report(), HasSubstr("\"subject\": \"world.map\""));
}

TEST_F(Strip, RemovesDeclarationsExceptWherePackagesNameThem) {
  EXPECT_THAT(Removed({{"node_modules/a/index.js", "x"},
                       {"node_modules/a/index.d.ts", "x"},
                       {"node_modules/a/index.d.mts", "x"},
                       {"node_modules/a/index.d.cts", "x"},
                       {"node_modules/a/package.json", R"({"types":"./index.d.ts"})"},
                       {"node_modules/a/README.md", "see index.d.ts"},
                       {"node_modules/a/index.js.map", R"({"version":3,"mappings":"","sources":["x.d.ts"]})"},
                       {"node_modules/a/tsconfig.json", R"({"include":["*.d.ts"]})"},
                       {"node_modules/typescript/lib/lib.d.ts", "x"},
                       {"node_modules/typescript/lib/lib.es5.d.ts.map", std::string(kMap)},
                       {"node_modules/typescript/lib/typescript.js", "load('lib.d.ts')"},
                       {"node_modules/typescript/node_modules/inner/x.d.ts", "x"},
                       {"src/own.d.ts", "x"}}),
              ElementsAre("node_modules/a/index.d.cts", "node_modules/a/index.d.mts", "node_modules/a/index.d.ts",
                          "node_modules/a/index.js.map", "node_modules/typescript/lib/lib.es5.d.ts.map",
                          "node_modules/typescript/node_modules/inner/x.d.ts"));
  EXPECT_THAT(Report(), HasSubstr("\"package\": \"node_modules/typescript\""));
  EXPECT_THAT(Report(), HasSubstr("\"subject\": \"lib/typescript.js\""));
}

TEST_F(Strip, RemovesTypeScriptThatNothingReaches) {
  EXPECT_THAT(Removed({{"node_modules/a/package.json", std::string(kClosed)},
                       {"node_modules/a/dist/index.js", "x"},
                       {"node_modules/a/dist/package.json", R"({"type":"commonjs"})"},
                       {"node_modules/a/src/index.ts", "import './part.ts'"},
                       {"node_modules/a/src/part.mts", "x"},
                       {"node_modules/a/src/data.json", "{}"}}),
              ElementsAre("node_modules/a/src/index.ts", "node_modules/a/src/part.mts"));
}

// Each entry: the reason, and one change to the package above that must keep its sources.
TEST_F(Strip, KeepsTypeScriptInAnyDoubt) {
  const Files base{{"node_modules/a/package.json", std::string(kClosed)},
                   {"node_modules/a/dist/index.js", "x"},
                   {"node_modules/a/src/index.ts", "x"}};
  const std::vector<std::pair<const char*, Files>> doubts = {
      {"typescript-only", {{"node_modules/a/dist/index.js", ""}}},
      {"typescript-manifest-unreadable", {{"node_modules/a/package.json", "no JSON"}}},
      {"typescript-open-package", {{"node_modules/a/package.json", "{}"}}},
      {"typescript-extension", {{"node_modules/a/package.json", R"({"exports":"./dist/index.js","pi":{}})"}}},
      {"typescript-named-by-manifest", {{"node_modules/a/package.json", R"({"exports":{"./*":"./src/*"}})"}}},
      {"typescript-beside-code", {{"node_modules/a/src/other.js", "x"}}},
      {"typescript-beside-code", {{"node_modules/a/top.ts", "x"}}},
      {"typescript-beside-code", {{"node_modules/a/src/native.node", "x"}}},
      {"typescript-named-by-code", {{"node_modules/a/dist/index.js", "import('../x.ts')"}}},
      {"typescript-named-by-code", {{"node_modules/a/bin/run", "#!/usr/bin/env tsx"}}},
      {"typescript-named-by-code", {{"node_modules/a/dist/package.json", R"({"main":"../x.ts"})"}}},
      {"typescript-directory-named-by-code", {{"node_modules/a/dist/index.js", "require('../src/index')"}}},
      {"typescript-directory-named-by-code", {{"node_modules/a/dist/data.json", "[\"src\"]"}}},
  };
  ASSERT_THAT(Removed(base), ElementsAre("node_modules/a/src/index.ts"));
  for (const auto& [reason, changes] : doubts) {
    Files files = base;
    for (const auto& [path, bytes] : changes) {
      if (bytes.empty()) {
        files.erase(path);
      } else {
        files[path] = bytes;
      }
    }
    EXPECT_THAT(Removed(files), IsEmpty()) << reason;
    EXPECT_THAT(Report(), HasSubstr(reason));
  }
}

TEST_F(Strip, NeverRemovesMarkdownLicencesOrWhatIsNamed) {
  EXPECT_THAT(Removed({{"node_modules/a/README.md", "x"},
                       {"node_modules/a/LICENSE.d.ts", "x"},
                       {"node_modules/a/a.d.ts", "x"},
                       {"node_modules/a/deep/b.d.ts", "x"},
                       {"node_modules/b/b.js.map", std::string(kMap)}},
                      {"node_modules/a/**/b.d.ts", "node_modules/b/*.map"}),
              ElementsAre("node_modules/a/a.d.ts"));
  EXPECT_THAT(Report(), HasSubstr("\"named-by-option\": {"));
  EXPECT_THAT(Report(), HasSubstr("\"licence\": {"));
}

TEST_F(Strip, APatternThatMatchesNothingIsAnError) {
  const Files files{{"node_modules/a/a.d.ts", "x"}};
  const Status one = RunOn(files, {"node_modules/a/*.ts", "node_modules/b/**"});
  PISHIP_EXPECT_ERROR(one, ErrorCode::kUsage);
  EXPECT_THAT(one.error().message, HasSubstr("node_modules/b/**"));
  const Status two = RunOn(files, {"x", "y", "node_modules/**"});
  PISHIP_EXPECT_ERROR(two, ErrorCode::kUsage);
  EXPECT_EQ(two.error().problems.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out"));
}

TEST_F(Strip, CountsByReason) {
  PISHIP_ASSERT_OK(
      RunOn({{"node_modules/a/a.d.ts", "123"}, {"node_modules/a/b.d.ts", "4567"}, {"node_modules/a/a.js", "x"}}));
  const auto report = json::Parse(Report(), "report");
  PISHIP_ASSERT_OK(report);
  EXPECT_EQ(json::Canonical(*report), Report());
  EXPECT_EQ(report->Find("format")->integer(), 1);
  EXPECT_EQ(report->Find("input")->Find("files")->integer(), 3);
  EXPECT_EQ(report->Find("output")->Find("bytes")->integer(), 1);
  EXPECT_EQ(report->Find("removed")->Find("declaration")->Find("files")->integer(), 2);
  EXPECT_EQ(report->Find("removed")->Find("declaration")->Find("bytes")->integer(), 7);
  EXPECT_THAT(Report(), Not(HasSubstr(directory_.path())));
}

TEST_F(Strip, RemembersPackagesAndReadsNothingTwice) {
  const Files files{{"node_modules/a/a.d.ts", "123"},
                    {"node_modules/a/a.js", "x"},
                    {"node_modules/b/b.d.ts", "x"},
                    {"node_modules/b/b.js", "'.d.ts'"}};
  const auto removed = Removed(files);
  const std::string report = Report();
  // Without the objects only what is remembered can answer.
  std::filesystem::remove_all(directory_ / "store/objects");
  std::filesystem::remove(directory_ / "out");
  PISHIP_ASSERT_OK(Again());
  EXPECT_EQ(Report(), report);
  EXPECT_THAT(removed, ElementsAre("node_modules/a/a.d.ts"));
  std::filesystem::remove_all(directory_ / "store/memos");
  PISHIP_EXPECT_ERROR(Again(), ErrorCode::kObjectMissing);
}

TEST_F(Strip, LeavesEqualOutputsAlone) {
  const Files files{{"node_modules/a/a.d.ts", "123"}, {"node_modules/a/a.js", "x"}};
  PISHIP_ASSERT_OK(RunOn(files));
  const auto before = std::filesystem::last_write_time(directory_ / "out");
  std::filesystem::last_write_time(directory_ / "out", before - std::chrono::hours(1));
  PISHIP_ASSERT_OK(RunOn(files));
  EXPECT_EQ(std::filesystem::last_write_time(directory_ / "out"), before - std::chrono::hours(1));
}

}  // namespace
}  // namespace piship::strip
