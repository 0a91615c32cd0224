// SPDX-License-Identifier: MIT
#include "tree/tree_writer.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "base/parallel.h"
#include "tree_fixture.h"

namespace piship {
namespace {

namespace fs = std::filesystem;

class TreeWriterTest : public TreeTest {
 protected:
  void SetUp() override {
    fs::create_directory(Tree());
    root_ = *OpenFile(Tree(), O_RDONLY | O_DIRECTORY);
  }
  static RelativePath Path(std::string_view text) { return *RelativePath::Parse(text); }
  unsigned Mode(const std::string& path) const {
    struct stat status {};
    EXPECT_EQ(lstat(In(path).c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  }
  UniqueFd root_;
};

TEST_F(TreeWriterTest, ModesAreExactWhateverTheUmask) {
  for (const mode_t mask : {0U, 022U, 077U, 0777U}) {
    const std::string top = "umask" + std::to_string(mask);
    const mode_t before = umask(mask);
    TreeWriter writer(root_.get(), Tree());
    for (const char* name : {"one", "two"}) {
      const Status plain = writer.Create(Path(top + "/d/e/" + name), FileMode::kPlain, "x");
      const Status program = writer.Create(Path(top + "/d/e/run-" + name), FileMode::kExecutable, "x");
      EXPECT_TRUE(plain && program);
    }
    umask(before);
    for (const char* name : {"one", "two"}) {
      EXPECT_EQ(Mode(top + "/d/e/" + name), 0644U) << mask;
      EXPECT_EQ(Mode(top + "/d/e/run-" + name), 0755U) << mask;
    }
    EXPECT_EQ(Mode(top), 0755U);
    EXPECT_EQ(Mode(top + "/d/e"), 0755U);
  }
}

TEST_F(TreeWriterTest, NeverOverwritesAndNeverFollows) {
  Write(directory_ / "outside/file", "old");
  Write(In("file"), "old");
  fs::create_symlink("../outside/new", In("dangling"));
  fs::create_symlink("../outside/file", In("link"));
  fs::create_directory_symlink("../outside", In("dir"));
  ASSERT_EQ(mkfifo(In("pipe").c_str(), 0600), 0);
  TreeWriter writer(root_.get(), Tree());
  for (const char* path :
       {"file", "dangling", "link", "pipe", "dir", "dir/new", "dir/file", "file/below", "link/below"}) {
    EXPECT_FALSE(writer.Create(Path(path), FileMode::kPlain, "new")) << path;
  }
  EXPECT_EQ(*ReadFile(directory_ / "outside/file"), "old");
  EXPECT_EQ(*ReadFile(In("file")), "old");
  EXPECT_FALSE(fs::exists(directory_ / "outside/new"));
}

TEST_F(TreeWriterTest, ADirectorySwappedForALinkIsNotFollowed) {
  TreeWriter writer(root_.get(), Tree());
  PISHIP_ASSERT_OK(writer.Create(Path("a/b/one"), FileMode::kPlain, "x"));
  fs::create_directory(directory_ / "outside");
  fs::rename(In("a/b"), directory_ / "b");
  fs::create_directory_symlink(directory_ / "outside", In("a/b"));
  EXPECT_FALSE(writer.Create(Path("a/b/two"), FileMode::kPlain, "x"));
  EXPECT_TRUE(fs::is_empty(directory_ / "outside"));
}

TEST_F(TreeWriterTest, WritesInPartsAndReserves) {
  TreeWriter writer(root_.get(), Tree());
  const std::string part(900'000, 'p');
  {
    auto file = writer.Begin(Path("d/large"), FileMode::kExecutable, 3 * part.size());
    PISHIP_ASSERT_OK(file);
    for (int index = 0; index < 3; ++index) PISHIP_ASSERT_OK(file->Append(part));
    PISHIP_ASSERT_OK(file->Finish());
  }
  EXPECT_EQ(fs::file_size(In("d/large")), 3 * part.size());
  EXPECT_EQ(Digest::Of(*ReadFile(In("d/large"))), Digest::Of(part + part + part));
  EXPECT_EQ(Mode("d/large"), 0755U);
}

TEST_F(TreeWriterTest, SeveralThreadsShareIt) {
  TreeWriter writer(root_.get(), Tree());
  PISHIP_ASSERT_OK(ParallelFor(2000, 8, [&](std::size_t index, unsigned) {
    return writer.Create(Path("d" + std::to_string(index % 7) + "/e/f" + std::to_string(index)), FileMode::kPlain,
                         std::to_string(index));
  }));
  for (int index = 0; index < 2000; ++index) {
    EXPECT_EQ(*ReadFile(In("d" + std::to_string(index % 7) + "/e/f" + std::to_string(index))), std::to_string(index));
  }
}

TEST_F(TreeWriterTest, WorksWithFewDescriptors) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{64, 64};
    setrlimit(RLIMIT_NOFILE, &limit);
    TreeWriter writer(root_.get(), Tree());
    const Status status = ParallelFor(500, 8, [&](std::size_t index, unsigned) {
      const std::string number = std::to_string(index);
      return writer.Create(Path("a/b/c/d/e/" + number + "/f/" + number), FileMode::kPlain, number);
    });
    _exit(status ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(TreeWriterTest, ReportsAWriteThatFails) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    TreeWriter writer(root_.get(), Tree());
    _exit(writer.Create(Path("file"), FileMode::kPlain, std::string(5000, 'x')) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace piship
