// SPDX-License-Identifier: MIT
#include "tree/place.h"

#include "tree_fixture.h"

namespace piship {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

class PlaceTreeTest : public TreeTest {
 protected:
  Status Apply(const Inventory& inventory, const std::vector<Difference>& differences) {
    PISHIP_TRY(const UniqueFd root, OpenFile(Tree(), O_RDONLY | O_DIRECTORY));
    return ApplyDifferences(inventory, *store_, root.get(), Tree(), differences);
  }
  static ino_t InodeOf(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0);
    return status.st_ino;
  }
};

TEST_F(PlaceTreeTest, PutsEveryFileWithItsBytesAndMode) {
  const Inventory inventory = MakeInventory(SomeFiles());
  const mode_t before = umask(077);
  const Status placed = PlaceTree(inventory, *store_, In("deep/er"));
  umask(before);
  PISHIP_ASSERT_OK(placed);
  for (const auto& [path, content] : SomeFiles()) {
    EXPECT_EQ(*ReadFile(In("deep/er/" + path)), content.bytes) << path;
    struct stat status {};
    ASSERT_EQ(lstat(In("deep/er/" + path).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode, S_IFREG | (content.mode == FileMode::kExecutable ? 0755U : 0644U)) << path;
    EXPECT_EQ(status.st_nlink, 1U) << path;
  }
}

TEST_F(PlaceTreeTest, RefusesADirectoryThatIsNotEmpty) {
  Write(In("file"), "x");
  PISHIP_EXPECT_ERROR(PlaceTree(MakeInventory(SomeFiles()), *store_, Tree()), ErrorCode::kFileInvalid);
}

TEST_F(PlaceTreeTest, WritingToWhatWasPlacedLeavesTheStoreAlone) {
  const Inventory inventory = MakeInventory(SomeFiles());
  PISHIP_ASSERT_OK(PlaceTree(inventory, *store_, Tree()));
  const auto fd = OpenFile(In("a/middle"), O_WRONLY);
  PISHIP_ASSERT_OK(fd);
  PISHIP_ASSERT_OK(WriteAll(fd->get(), "changed", "middle"));
  const auto report = store_->Check();
  PISHIP_ASSERT_OK(report);
  EXPECT_EQ(report->damaged.size(), 0U);
}

TEST_F(PlaceTreeTest, StopsAtADamagedOrMissingObject) {
  const Inventory inventory = MakeInventory(SomeFiles());
  for (const char* path : {"a/big", "a/middle", "many/42"}) {
    const std::string hex = inventory.Find(path)->digest.Hex();
    const std::string object = (directory_ / "store/objects/") + hex.substr(0, 2) + "/" + hex.substr(2);
    std::string bytes = *ReadFile(object);
    bytes.back() = '!';
    PISHIP_ASSERT_OK(WriteFileAtomically(object, bytes));
    fs::remove_all(Tree());
    PISHIP_EXPECT_ERROR(PlaceTree(inventory, *store_, Tree()), ErrorCode::kObjectDamaged);
    fs::remove_all(Tree());
    PISHIP_EXPECT_ERROR(PlaceTree(inventory, *store_, Tree()), ErrorCode::kObjectMissing);
    MakeInventory(SomeFiles());
  }
}

TEST_F(PlaceTreeTest, ApplyingHealsEveryKindOfDifference) {
  const Inventory inventory = MakeInventory(SomeFiles());
  PISHIP_ASSERT_OK(PlaceTree(inventory, *store_, Tree()));
  Write(directory_ / "outside/file", "outside");
  Write(In("a/big"), "changed");
  fs::remove(In("a/b/c/deep"));
  fs::remove(In("bin/run"));
  fs::create_directories(In("bin/run/inner"));
  fs::remove(In("empty"));
  fs::create_symlink(directory_ / "outside/file", In("empty"));
  fs::remove_all(In("many"));
  fs::create_directory_symlink(directory_ / "outside", In("many"));
  Write(In("extra/deep/file"), "x");
  fs::create_symlink(directory_ / "outside", In("a/link"));
  ASSERT_EQ(chmod(In("a-b/file").c_str(), 0600), 0);
  const ino_t untouched = InodeOf(In("a/middle"));
  const auto differences = CompareTo(inventory);
  PISHIP_ASSERT_OK(differences);
  EXPECT_EQ(differences->size(), 108U);
  PISHIP_ASSERT_OK(Apply(inventory, *differences));
  EXPECT_THAT(Differences(inventory), IsEmpty());
  EXPECT_EQ(InodeOf(In("a/middle")), untouched);
  EXPECT_EQ(*ReadFile(directory_ / "outside/file"), "outside");
}

TEST_F(PlaceTreeTest, ApplyingGoesFromOneInventoryToAnotherAndRemovesEmptiedDirectories) {
  PISHIP_ASSERT_OK(PlaceTree(MakeInventory(SomeFiles()), *store_, Tree()));
  Files files = SomeFiles();
  files.erase("a/b/c/deep");
  files["a/b.js"] = {"a file beside where a directory was"};
  files["empty/now/a/directory"] = {"x"};
  files.erase("empty");
  files["bin/run"].bytes = "#!/bin/bash\n";
  files["many/1"].mode = FileMode::kExecutable;
  const Inventory inventory = MakeInventory(files);
  const auto differences = CompareTo(inventory);
  PISHIP_ASSERT_OK(differences);
  PISHIP_ASSERT_OK(Apply(inventory, *differences));
  EXPECT_THAT(Differences(inventory), IsEmpty());
  EXPECT_FALSE(fs::exists(In("a/b")));
}

TEST_F(PlaceTreeTest, AReplacedFileKeepsServingThoseWhoHaveItOpen) {
  const Inventory old_one = MakeInventory({{"file", {"old bytes"}}});
  const Inventory new_one = MakeInventory({{"file", {"new bytes"}}});
  PISHIP_ASSERT_OK(PlaceTree(old_one, *store_, Tree()));
  const auto reader = OpenFile(In("file"), O_RDONLY);
  PISHIP_ASSERT_OK(reader);
  PISHIP_ASSERT_OK(Apply(new_one, {{DifferenceKind::kChanged, "file"}}));
  EXPECT_EQ(*ReadAll(reader->get(), "file"), "old bytes");
  EXPECT_EQ(*ReadFile(In("file")), "new bytes");
}

TEST_F(PlaceTreeTest, AFailedReplacementLeavesTheOldBytesAndNoTemporaries) {
  PISHIP_ASSERT_OK(PlaceTree(MakeInventory({{"file", {"old bytes"}}}), *store_, Tree()));
  const Inventory inventory = MakeInventory({{"file", {"new bytes"}}});
  fs::remove_all(directory_ / "store/objects");
  PISHIP_EXPECT_ERROR(Apply(inventory, {{DifferenceKind::kChanged, "file"}}), ErrorCode::kObjectMissing);
  EXPECT_EQ(*ReadFile(In("file")), "old bytes");
  EXPECT_EQ(std::distance(fs::directory_iterator(Tree()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace piship
