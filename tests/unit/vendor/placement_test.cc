// SPDX-License-Identifier: MIT
#include "vendor/placement.h"

#include <gtest/gtest.h>

#include <deque>

#include "support/result_matchers.h"

namespace piship {
namespace {

class Tree {
 public:
  LockEntry& Add(std::string path, std::vector<BinFile> bins,
                 const std::vector<std::pair<std::string, std::string>>& files) {
    LockEntry& entry = entries_.emplace_back();
    entry.path = std::move(path);
    entry.name = entry.path.substr(entry.path.rfind("node_modules/") + 13);
    entry.package = entry.name;
    entry.resolved = "https://example.invalid/x.tgz";
    entry.bins = std::move(bins);
    Package& package = packages_.emplace_back();
    for (const auto& [name, content] : files) {
      package.files.push_back({Digest::Of(content), content.size(), FileMode::kPlain, *RelativePath::Parse(name)});
      if (const auto script = WithUnixFirstLine(content)) {
        package.scripts.push_back({*RelativePath::Parse(name), Digest::Of(*script), script->size()});
      }
    }
    return entry;
  }
  Result<Inventory> Place() const {
    std::vector<SelectedPackage> selected;
    std::vector<const Package*> contents;
    for (const LockEntry& entry : entries_)
      selected.push_back(
          {&entry, bundler_of_last_ != nullptr && &entry == &entries_.back() ? bundler_of_last_ : nullptr});
    for (const Package& package : packages_) contents.push_back(&package);
    return PlacePackages(selected, contents);
  }
  const LockEntry* bundler_of_last_ = nullptr;

 private:
  std::deque<LockEntry> entries_;
  std::deque<Package> packages_;
};

// "path path*": executable files have a star.
std::string Listing(const Result<Inventory>& inventory) {
  EXPECT_TRUE(inventory.has_value());
  std::string out;
  for (const InventoryEntry& entry : inventory->entries()) {
    out += (out.empty() ? "" : " ") + entry.path.str() + (entry.mode == FileMode::kExecutable ? "*" : "");
  }
  return out;
}

TEST(Placement, CommandsAreExecutable) {
  Tree tree;
  tree.Add("node_modules/a", {{"a", "cli.js"}, {"gone", "gone.js"}}, {{"cli.js", "1"}, {"lib.js", "2"}});
  EXPECT_EQ(Listing(tree.Place()), "node_modules/a/cli.js* node_modules/a/lib.js");
}

TEST(Placement, OnlyTheFirstOfTwoGetsACommandThatBothBring) {
  Tree tree;
  tree.Add("node_modules/b", {{"run", "b.js"}}, {{"b.js", "1"}});
  tree.Add("node_modules/A", {{"run", "a.js"}}, {{"a.js", "1"}});
  tree.Add("node_modules/A/node_modules/c", {{"run", "c.js"}}, {{"c.js", "1"}});
  EXPECT_EQ(Listing(tree.Place()), "node_modules/A/a.js* node_modules/A/node_modules/c/c.js* node_modules/b/b.js");
}

TEST(Placement, WithoutUrlsTheRegistrySaysWhatIsACommand) {
  Tree tree;
  tree.Add("node_modules/a", {{"run", "a.js"}}, {{"a.js", "1"}});
  tree.Add("node_modules/b", {{"run", "b.js"}}, {{"b.js", "1"}, {"c.js", "1"}}).resolved.clear();
  EXPECT_EQ(Listing(tree.Place()), "node_modules/a/a.js* node_modules/b/b.js* node_modules/b/c.js");
}

TEST(Placement, MendsTheFirstLineOfCommands) {
  Tree tree;
  const std::string script = "#!/usr/bin/env node\r\nx\r\n";
  tree.Add("node_modules/a", {{"a", "cli.js"}}, {{"cli.js", script}, {"other.js", script}});
  const auto inventory = tree.Place();
  PISHIP_ASSERT_OK(inventory);
  EXPECT_EQ(inventory->Find("node_modules/a/cli.js")->digest, Digest::Of("#!/usr/bin/env node\nx\r\n"));
  EXPECT_EQ(inventory->Find("node_modules/a/cli.js")->size, script.size() - 1);
  EXPECT_EQ(inventory->Find("node_modules/a/other.js")->digest, Digest::Of(script));
}

TEST(Placement, APackageOfItsOwnReplacesWhatATarballBringsInItsPlace) {
  Tree tree;
  tree.Add("node_modules/a", {},
           {{"node_modules/b/old.js", "1"}, {"node_modules/c/kept.js", "1"}, {"package.json", "{}"}});
  tree.Add("node_modules/a/node_modules/b", {}, {{"new.js", "1"}});
  EXPECT_EQ(Listing(tree.Place()),
            "node_modules/a/node_modules/b/new.js node_modules/a/node_modules/c/kept.js node_modules/a/package.json");
}

TEST(Placement, BundledPackagesHaveTheirBundlersFilesAndTheirOwnCommands) {
  Tree tree;
  const LockEntry& bundler = tree.Add("node_modules/a", {},
                                      {{"node_modules/.bin/b", "shim"},
                                       {"node_modules/b/b.js", "1"},
                                       {"node_modules/b/package.json", "{}"},
                                       {"package.json", "{}"}});
  const LockEntry& bundled = tree.Add("node_modules/a/node_modules/b", {{"b", "b.js"}}, {});
  tree.bundler_of_last_ = &bundler;
  EXPECT_EQ(
      Listing(tree.Place()),
      "node_modules/a/node_modules/b/b.js* node_modules/a/node_modules/b/package.json node_modules/a/package.json");
  Package contents;
  contents.files.push_back({{}, 0, FileMode::kPlain, *RelativePath::Parse("node_modules/b/package.json")});
  EXPECT_TRUE(HoldsBundled(contents, bundler, bundled));
  EXPECT_FALSE(HoldsBundled({}, bundler, bundled));
}

TEST(Placement, RefusesPackagesThatFoldTogether) {
  Tree tree;
  tree.Add("node_modules/JSONStream", {}, {{"a.js", "1"}});
  tree.Add("node_modules/jsonstream", {}, {{"a.js", "1"}});
  PISHIP_EXPECT_ERROR(tree.Place(), ErrorCode::kPathConflict);
}

TEST(Placement, OrdersByDepthThenAsADictionaryDoes) {
  const std::vector<std::string> order = {"node_modules/_a",
                                          "node_modules/-a",
                                          "node_modules/@a/b",
                                          "node_modules/1",
                                          "node_modules/a",
                                          "node_modules/a-b",
                                          "node_modules/a.b",
                                          "node_modules/ab",
                                          "node_modules/Ab",
                                          "node_modules/B",
                                          "node_modules/a/node_modules/a"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      LockEntry a;
      LockEntry b;
      a.path = order[i];
      b.path = order[j];
      EXPECT_EQ(MakesCommandsBefore(a, b), i < j) << a.path << " " << b.path;
    }
  }
}

}  // namespace
}  // namespace piship
