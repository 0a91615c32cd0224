// SPDX-License-Identifier: MIT
#include "os/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/temp_dir.h"

namespace piship {
namespace {

namespace fs = std::filesystem;

class Beneath : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(directory_ / "root/a/b");
    fs::create_directories(directory_ / "outside");
    ASSERT_TRUE(WriteFileAtomically(directory_ / "outside/secret", "secret"));
    ASSERT_TRUE(WriteFileAtomically(directory_ / "root/a/b/file", "file"));
    fs::create_directory_symlink("../outside", directory_ / "root/link");
    fs::create_symlink("a/b/file", directory_ / "root/inner");
    root_ = *OpenFile(directory_ / "root", O_RDONLY | O_DIRECTORY);
  }
  int Open(const char* path, int flags, unsigned mode = 0) {
    const int fd = OpenBeneath(root_.get(), path, flags, mode);
    if (fd >= 0) close(fd);
    return fd < 0 ? fd : 0;
  }
  TempDir directory_;
  UniqueFd root_;
};

TEST_F(Beneath, OpensAndCreatesFiles) {
  EXPECT_EQ(Open("a/b/file", O_RDONLY), 0);
  EXPECT_EQ(Open("a/new", O_WRONLY | O_CREAT | O_EXCL, 0644), 0);
  EXPECT_EQ(Open("a/new", O_WRONLY | O_CREAT | O_EXCL, 0644), -EEXIST);
  EXPECT_EQ(Open("a/none", O_RDONLY), -ENOENT);
}

TEST_F(Beneath, FollowsNoLink) {
  EXPECT_EQ(Open("inner", O_RDONLY), -ELOOP);
  const int through = Open("link/secret", O_RDONLY);
  EXPECT_TRUE(through == -ELOOP || through == -ENOTDIR) << through;
  const int created = Open("link/new", O_WRONLY | O_CREAT | O_EXCL, 0644);
  EXPECT_TRUE(created == -ELOOP || created == -ENOTDIR) << created;
  EXPECT_FALSE(fs::exists(directory_ / "outside/new"));
}

TEST_F(Beneath, MakesDirectoriesWithExactModes) {
  const mode_t before = umask(0777);
  const int made = MakeDirectoriesBeneath(root_.get(), "x/y/z");
  umask(before);
  ASSERT_EQ(made, 0);
  for (const char* path : {"x", "x/y", "x/y/z"}) {
    struct stat status {};
    ASSERT_EQ(fstatat(root_.get(), path, &status, AT_SYMLINK_NOFOLLOW), 0);
    EXPECT_EQ(status.st_mode & 07777, 0755U) << path;
  }
  EXPECT_EQ(MakeDirectoriesBeneath(root_.get(), "x/y/z"), 0);
  EXPECT_EQ(MakeDirectoriesBeneath(root_.get(), "a/b/file"), -ENOTDIR);
  EXPECT_NE(MakeDirectoriesBeneath(root_.get(), "link"), 0);
  EXPECT_NE(MakeDirectoriesBeneath(root_.get(), "link/new"), 0);
  EXPECT_FALSE(fs::exists(directory_ / "outside/new"));
}

TEST_F(Beneath, RemovesTreesAndNotWhatLinksPointTo) {
  fs::create_directory_symlink("../../outside", directory_ / "root/a/link");
  ASSERT_EQ(mkfifo((directory_ / "root/a/pipe").c_str(), 0600), 0);
  EXPECT_EQ(RemoveBeneath(root_.get(), "a"), 0);
  EXPECT_EQ(RemoveBeneath(root_.get(), "a"), 0);
  EXPECT_EQ(RemoveBeneath(root_.get(), "link"), 0);
  EXPECT_FALSE(fs::exists(directory_ / "root/a"));
  EXPECT_TRUE(fs::exists(directory_ / "outside/secret"));
}

TEST_F(Beneath, RemovesDeepTreesWithFewDescriptors) {
  // Made by the descriptor, because the path would be too long for one call.
  UniqueFd at(openat(root_.get(), "a", O_RDONLY | O_DIRECTORY));
  const std::string name(200, 'd');
  for (int depth = 0; depth < 300; ++depth) {
    ASSERT_EQ(mkdirat(at.get(), name.c_str(), 0755), 0);
    ASSERT_EQ(mkdirat(at.get(), "side", 0755), 0);
    at.Reset(openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
    ASSERT_TRUE(at.valid());
  }
  at.Reset();
  EXPECT_EQ(RemoveBeneath(root_.get(), "a"), 0);
  EXPECT_FALSE(fs::exists(directory_ / "root/a"));
}

TEST_F(Beneath, StopsRemovingWhenItIsToldTo) {
  for (int file = 0; file < 200; ++file) std::ofstream(directory_ / ("root/a/" + std::to_string(file))) << file;
  int questions = 0;
  EXPECT_EQ(RemoveBeneath(root_.get(), "a", [&] { return ++questions == 3; }), -ECANCELED);
  EXPECT_EQ(questions, 3);
  EXPECT_TRUE(fs::exists(directory_ / "root/a"));
  const auto left = std::distance(fs::directory_iterator(directory_ / "root/a"), fs::directory_iterator());
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 200);
  EXPECT_EQ(RemoveBeneath(root_.get(), "a", [] { return true; }), -ECANCELED);
  EXPECT_EQ(RemoveBeneath(root_.get(), "a", [] { return false; }), 0);
  EXPECT_FALSE(fs::exists(directory_ / "root/a"));
}

TEST_F(Beneath, ReadsNamesWithTypesAgainAndAgain) {
  for (int time = 0; time < 2; ++time) {
    std::vector<DirectoryEntry> entries;
    ASSERT_EQ(ReadDirectory(root_.get(), entries), 0);
    ASSERT_EQ(entries.size(), 3U);
    for (const DirectoryEntry& entry : entries) EXPECT_EQ(entry.type, entry.name == "a" ? DT_DIR : DT_LNK);
  }
}

}  // namespace
}  // namespace piship
