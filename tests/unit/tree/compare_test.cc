// SPDX-License-Identifier: MIT
#include "tree/compare.h"

#include <sys/stat.h>

#include "tree_fixture.h"

namespace piship {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class CompareTreeTest : public TreeTest {
 protected:
  void SetUp() override {
    TreeTest::SetUp();
    inventory_ = MakeInventory(SomeFiles());
    PISHIP_ASSERT_OK(PlaceTree(inventory_, *store_, Tree()));
    ASSERT_THAT(Differences(inventory_), IsEmpty());
  }
  Inventory inventory_;
};

TEST_F(CompareTreeTest, FindsChangedBytesOfEqualSizeAndOfAnother) {
  std::string bytes(3'000'000, 'b');
  bytes.back() = 'c';
  Write(In("a/big"), bytes);
  Write(In("empty"), "x");
  Write(In("a/b/c/deep"), "");
  EXPECT_THAT(Differences(inventory_), ElementsAre("changed a/b/c/deep", "changed a/big", "changed empty"));
}

TEST_F(CompareTreeTest, FindsMissingFilesAndDirectories) {
  fs::remove(In("empty"));
  fs::remove_all(In("a/b"));
  EXPECT_THAT(Differences(inventory_), ElementsAre("missing a/b/c/deep", "missing empty"));
}

TEST_F(CompareTreeTest, FindsWhatIsExtraAlsoEmptyDirectories) {
  Write(In("a/extra"), "x");
  fs::create_directories(In("a/b/void/deeper"));
  Write(In("new/file"), "x");
  fs::create_symlink("nowhere", In("many/link"));
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  EXPECT_THAT(Differences(inventory_), ElementsAre("extra directory a/b/void", "extra a/extra", "extra many/link",
                                                   "extra directory new", "extra pipe"));
}

TEST_F(CompareTreeTest, FindsWrongModesExactly) {
  ASSERT_EQ(chmod(In("empty").c_str(), 0664), 0);
  ASSERT_EQ(chmod(In("bin/run").c_str(), 04755), 0);
  ASSERT_EQ(chmod(In("a/big").c_str(), 0600), 0);
  EXPECT_THAT(Differences(inventory_), ElementsAre("wrong mode a/big", "wrong mode bin/run", "wrong mode empty"));
}

TEST_F(CompareTreeTest, FindsWrongTypesAndFollowsNoLink) {
  // A link to the very same bytes is still not the file.
  fs::rename(In("empty"), directory_ / "empty");
  fs::create_symlink(directory_ / "empty", In("empty"));
  fs::remove(In("bin/run"));
  fs::create_directory(In("bin/run"));
  Write(In("bin/run/inside"), "x");
  fs::remove(In("many/7"));
  ASSERT_EQ(mkfifo(In("many/7").c_str(), 0600), 0);
  fs::rename(In("a/b"), directory_ / "b");
  fs::create_directory_symlink(directory_ / "b", In("a/b"));
  EXPECT_THAT(Differences(inventory_), ElementsAre("wrong type a/b", "missing a/b/c/deep", "wrong type bin/run",
                                                   "wrong type empty", "wrong type many/7"));
}

TEST_F(CompareTreeTest, AFileWhereADirectoryBelongs) {
  fs::remove_all(In("a/b"));
  Write(In("a/b"), "x");
  EXPECT_THAT(Differences(inventory_), ElementsAre("wrong type a/b", "missing a/b/c/deep"));
}

TEST_F(CompareTreeTest, IgnoresWhatIsNamedOnly) {
  Write(In("a/inventory"), "x");
  Write(In("top"), "x");
  EXPECT_THAT(Differences(inventory_, {.ignored = {"a/inventory", "top"}}), IsEmpty());
  EXPECT_THAT(Differences(inventory_, {.ignored = {"top", "absent/file"}}), ElementsAre("extra a/inventory"));
}

TEST_F(CompareTreeTest, GivesTheSameWithAnyNumberOfThreads) {
  for (int index = 0; index < 100; index += 3) fs::remove(In("many/" + std::to_string(index)));
  const std::vector<std::string> one = Differences(inventory_, {.threads = 1});
  EXPECT_EQ(one.size(), 34U);
  for (const unsigned threads : {2U, 8U}) EXPECT_EQ(Differences(inventory_, {.threads = threads}), one);
}

TEST_F(CompareTreeTest, AnEmptyInventoryMakesEverythingExtra) {
  EXPECT_THAT(Differences(Inventory()), ElementsAre("extra directory a", "extra directory a-b", "extra directory bin",
                                                    "extra empty", "extra directory many"));
}

TEST_F(CompareTreeTest, ReportsNamesThatNoPayloadMayHold) {
  Write(In("a/new\nline"), "x");
  EXPECT_THAT(Differences(inventory_), ElementsAre("extra a/new\nline"));
}

}  // namespace
}  // namespace piship
