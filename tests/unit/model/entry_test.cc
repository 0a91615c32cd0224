// SPDX-License-Identifier: MIT
#include "model/entry.h"

#include <gtest/gtest.h>

#include <map>

#include "support/result_matchers.h"

namespace piship {
namespace {

class EntryTest : public testing::Test {
 protected:
  void Add(const std::string& path, const std::string& text = "") {
    files_[path] = text;
    entries_.push_back({Digest::Of(text), text.size(), FileMode::kPlain, *RelativePath::Parse(path)});
  }
  Result<RelativePath> Resolve(const EntryRequest& request) {
    const Inventory payload = *Inventory::FromEntries(entries_);
    return ResolveEntry(request, payload, [&](const InventoryEntry& entry) -> Result<std::string> {
      return files_.at(entry.path.str());
    });
  }
  Result<RelativePath> OfPackage(const std::string& package, std::optional<std::string> bin = {}) {
    return Resolve({{}, package, std::move(bin)});
  }

 private:
  std::map<std::string, std::string> files_;
  std::vector<InventoryEntry> entries_;
};

TEST_F(EntryTest, TakesAFileOfItsOwn) {
  Add("app/src/main.js");
  EXPECT_EQ(Resolve({"src/main.js", {}, {}})->str(), "app/src/main.js");
}

TEST_F(EntryTest, SuggestsTheNearestOwnFile) {
  Add("app/src/main.js");
  Add("app/node_modules/x/src/mian.js");
  const auto entry = Resolve({"src/mian.js", {}, {}});
  PISHIP_EXPECT_ERROR(entry, ErrorCode::kEntryPointMissing);
  EXPECT_NE(entry.error().hint.find("src/main.js"), std::string::npos);
}

TEST_F(EntryTest, ReadsBinAsAPath) {
  Add("app/node_modules/@s/tool/package.json", R"({"name": "@s/tool", "bin": "./dist/../cli.js"})");
  Add("app/node_modules/@s/tool/cli.js");
  EXPECT_EQ(OfPackage("@s/tool")->str(), "app/node_modules/@s/tool/cli.js");
  EXPECT_EQ(OfPackage("@s/tool", "tool")->str(), "app/node_modules/@s/tool/cli.js");
}

TEST_F(EntryTest, TakesTheOnlyProgramWhateverItsName) {
  Add("app/node_modules/agent/package.json", R"({"bin": {"pi": "dist/cli.js"}})");
  Add("app/node_modules/agent/dist/cli.js");
  EXPECT_EQ(OfPackage("agent")->str(), "app/node_modules/agent/dist/cli.js");
}

TEST_F(EntryTest, PrefersTheProgramThatIsNamedLikeThePackage) {
  Add("app/node_modules/agent/package.json", R"({"bin": {"aaa": "a.js", "agent": "b.js"}})");
  Add("app/node_modules/agent/a.js");
  Add("app/node_modules/agent/b.js");
  EXPECT_EQ(OfPackage("agent")->str(), "app/node_modules/agent/b.js");
  EXPECT_EQ(OfPackage("agent", "aaa")->str(), "app/node_modules/agent/a.js");
}

TEST_F(EntryTest, ListsTheProgramsWhereNoneIsMeant) {
  Add("app/node_modules/agent/package.json", R"({"bin": {"one": "a.js", "two": "b.js"}})");
  const auto several = OfPackage("agent");
  PISHIP_EXPECT_ERROR(several, ErrorCode::kEntryPointMissing);
  EXPECT_NE(several.error().message.find("one, two"), std::string::npos);
  const auto unknown = OfPackage("agent", "twoo");
  PISHIP_EXPECT_ERROR(unknown, ErrorCode::kEntryPointMissing);
  EXPECT_NE(unknown.error().hint.find("did you mean 'two'"), std::string::npos);
}

TEST_F(EntryTest, RefusesWhatIsNotThere) {
  PISHIP_EXPECT_ERROR(OfPackage("absent"), ErrorCode::kEntryPointMissing);
  Add("app/node_modules/agent/package.json", R"({"bin": "cli.js"})");
  PISHIP_EXPECT_ERROR(OfPackage("agent"), ErrorCode::kEntryPointMissing);
  Add("app/node_modules/none/package.json", R"({"name": "none"})");
  PISHIP_EXPECT_ERROR(OfPackage("none"), ErrorCode::kEntryPointMissing);
}

TEST_F(EntryTest, CanNotLeaveThePackage) {
  Add("app/node_modules/agent/package.json", R"({"bin": "../../../../etc/passwd"})");
  Add("app/node_modules/agent/etc/passwd");
  EXPECT_EQ(OfPackage("agent")->str(), "app/node_modules/agent/etc/passwd");
}

TEST_F(EntryTest, NamesTheLineOfAMalformedManifest) {
  Add("app/node_modules/agent/package.json", "{\n\"bin\": {\"agent\": 7}}");
  const auto entry = OfPackage("agent");
  PISHIP_EXPECT_ERROR(entry, ErrorCode::kManifestInvalid);
  EXPECT_NE(entry.error().message.find("package.json:2:"), std::string::npos);
}

TEST_F(EntryTest, NeedsExactlyOneRequest) {
  PISHIP_EXPECT_ERROR(Resolve({}), ErrorCode::kUsage);
  PISHIP_EXPECT_ERROR(Resolve({"a.js", "b", {}}), ErrorCode::kUsage);
  PISHIP_EXPECT_ERROR(Resolve({"a.js", {}, "c"}), ErrorCode::kUsage);
}

}  // namespace
}  // namespace piship
