// SPDX-License-Identifier: MIT
// A store, an inventory of a few files and a place for them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "store/store.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"
#include "tree/compare.h"
#include "tree/place.h"

namespace piship {

class TreeTest : public testing::Test {
 protected:
  struct Content {
    std::string bytes;
    FileMode mode = FileMode::kPlain;
  };
  using Files = std::map<std::string, Content>;

  void SetUp() override {
    auto store = Store::Open(directory_ / "store");
    PISHIP_ASSERT_OK(store);
    store_ = *store;
  }

  static Files SomeFiles() {
    Files files{{"bin/run", {"#!/bin/sh\n", FileMode::kExecutable}},
                {"empty", {""}},
                {"a/b/c/deep", {"deep"}},
                {"a-b/file", {"sorts before a/"}},
                {"a/big", {std::string(3'000'000, 'b')}},
                {"a/middle", {std::string(70'000, 'm')}}};
    for (int index = 0; index < 100; ++index) files["many/" + std::to_string(index)] = {std::to_string(index)};
    return files;
  }

  Inventory MakeInventory(const Files& files) const {
    std::vector<InventoryEntry> entries;
    for (const auto& [path, content] : files) {
      EXPECT_TRUE(store_->Put(content.bytes).has_value());
      entries.push_back({Digest::Of(content.bytes), content.bytes.size(), content.mode, *RelativePath::Parse(path)});
    }
    auto inventory = Inventory::FromEntries(std::move(entries));
    EXPECT_TRUE(inventory.has_value());
    return *inventory;
  }

  std::string Tree() const { return directory_ / "tree"; }
  std::string In(const std::string& path) const { return Tree() + "/" + path; }

  Result<std::vector<Difference>> CompareTo(const Inventory& inventory, const CompareOptions& options = {}) const {
    PISHIP_TRY(const UniqueFd root, OpenFile(Tree(), O_RDONLY | O_DIRECTORY));
    return CompareTree(inventory, root.get(), Tree(), options);
  }

  // "changed a/b" for each difference.
  std::vector<std::string> Differences(const Inventory& inventory, const CompareOptions& options = {}) const {
    const auto differences = CompareTo(inventory, options);
    EXPECT_TRUE(differences.has_value());
    std::vector<std::string> lines;
    for (const Difference& difference : differences.value_or(std::vector<Difference>{})) {
      lines.push_back(std::string(DifferenceName(difference.kind)) + " " + difference.path);
    }
    return lines;
  }

  static void Write(const std::string& path, std::string_view bytes) {
    std::filesystem::create_directories(ParentPath(path));
    PISHIP_ASSERT_OK(WriteFileAtomically(path, bytes));
  }

  TempDir directory_;
  std::optional<Store> store_;
};

}  // namespace piship
