// SPDX-License-Identifier: MIT
#include "bundle/resolve.h"

#include <gtest/gtest.h>

#include <map>

#include "support/result_matchers.h"

namespace piship::bundle {
namespace {

class ResolveTest : public testing::Test {
 protected:
  void Add(const std::string& path, const std::string& text = "") {
    texts_[path] = text;
    entries_.push_back({Digest::Of(text), text.size(), FileMode::kPlain, *RelativePath::Parse(path)});
  }
  std::string Find(const std::string& specifier, const std::string& from, Format how = Format::kModule) {
    tree_ = *Inventory::FromEntries(entries_);
    Resolver resolver(tree_,
                      [&](const InventoryEntry& entry) -> Result<std::string> { return texts_.at(entry.path.str()); },
                      {"node", "node-addons"});
    const auto found = resolver.Resolve(specifier, from, how);
    return found && *found ? **found : "none";
  }
  std::vector<InventoryEntry> entries_;
  std::map<std::string, std::string> texts_;
  Inventory tree_;
};

TEST_F(ResolveTest, FindsRelativeFiles) {
  for (const char* path : {"app/a.js", "app/d/index.js", "app/e.json", "app/f/package.json", "app/f/lib/m.js"})
    Add(path);
  texts_["app/f/package.json"] = "{\"main\": \"lib/m\"}";
  EXPECT_EQ(Find("./a.js", "app/x.js"), "app/a.js");
  EXPECT_EQ(Find("./a", "app/x.js"), "none");
  EXPECT_EQ(Find("./a", "app/x.js", Format::kCommonJs), "app/a.js");
  EXPECT_EQ(Find("../a", "app/d/index.js", Format::kCommonJs), "app/a.js");
  EXPECT_EQ(Find("./d", "app/x.js", Format::kCommonJs), "app/d/index.js");
  EXPECT_EQ(Find("./d", "app/x.js"), "none");
  EXPECT_EQ(Find("./e", "app/x.js", Format::kCommonJs), "app/e.json");
  EXPECT_EQ(Find("../../../x", "app/x.js"), "none");
}

TEST_F(ResolveTest, WalksUpToPackages) {
  Add("app/node_modules/a/index.js");
  Add("app/node_modules/b/node_modules/a/index.js");
  Add("app/node_modules/@s/c/lib/x.js");
  EXPECT_EQ(Find("a", "app/src/x.js"), "app/node_modules/a/index.js");
  EXPECT_EQ(Find("a", "app/node_modules/b/lib/x.js"), "app/node_modules/b/node_modules/a/index.js");
  EXPECT_EQ(Find("@s/c/lib/x.js", "app/x.js"), "app/node_modules/@s/c/lib/x.js");
  EXPECT_EQ(Find("nothing", "app/x.js"), "none");
  EXPECT_EQ(Find("fs", "app/x.js"), "none");
  EXPECT_EQ(Find("node:a", "app/x.js"), "none");
}

TEST_F(ResolveTest, HonoursExports) {
  Add("app/node_modules/a/package.json",
      R"({"name": "a", "exports": {".": {"import": "./i.mjs", "require": "./r.cjs"}, "./sub": "./s.js",
          "./files/*.js": {"node": "./out/*.js"}, "./files/private/*": null, "./data/*": "./d/*"}})");
  for (const char* path : {"i.mjs", "r.cjs", "s.js", "out/x.js", "d/y.js", "hidden.js"}) {
    Add("app/node_modules/a/" + std::string(path));
  }
  EXPECT_EQ(Find("a", "app/x.js"), "app/node_modules/a/i.mjs");
  EXPECT_EQ(Find("a", "app/x.js", Format::kCommonJs), "app/node_modules/a/r.cjs");
  EXPECT_EQ(Find("a/sub", "app/x.js"), "app/node_modules/a/s.js");
  EXPECT_EQ(Find("a/files/x.js", "app/x.js"), "app/node_modules/a/out/x.js");
  EXPECT_EQ(Find("a/files/private/x.js", "app/x.js"), "none");
  EXPECT_EQ(Find("a/data/y.js", "app/x.js"), "app/node_modules/a/d/y.js");
  EXPECT_EQ(Find("a/hidden.js", "app/x.js"), "none");
  EXPECT_EQ(Find("a", "app/node_modules/a/out/x.js"), "app/node_modules/a/i.mjs");  // itself
}

TEST(JoinRelative, StaysInTheTree) {
  EXPECT_EQ(JoinRelative("a/b", "../c/./d"), "a/c/d");
  EXPECT_EQ(JoinRelative("a", "../../b"), std::nullopt);
}

}  // namespace
}  // namespace piship::bundle
