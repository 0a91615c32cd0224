// SPDX-License-Identifier: MIT
#include "base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <thread>

#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

int FilesIn(const std::string& directory) {
  return static_cast<int>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST(ReadFile, ReturnsEveryByte) {
  const TempDir dir;
  const std::string bytes("a\0b\n\xff", 5);
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "f", bytes));
  EXPECT_EQ(ReadFile(dir / "f").value(), bytes);
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "empty", ""));
  EXPECT_EQ(ReadFile(dir / "empty").value(), "");
}

TEST(ReadFile, ReadsFilesThatSayTheyAreEmpty) { EXPECT_THAT(ReadFile("/proc/self/status").value(), HasSubstr("Pid:")); }

TEST(ReadFile, NamesWhatIsMissingOrADirectory) {
  const TempDir dir;
  const auto missing = ReadFile(dir / "none");
  PISHIP_EXPECT_ERROR(missing, ErrorCode::kFileNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr(dir / "none"));
  PISHIP_EXPECT_ERROR(ReadFile(dir.path()), ErrorCode::kFileInvalid);
}

TEST(ReadFile, StopsAtTheLimit) {
  const TempDir dir;
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "f", std::string(100, 'x')));
  EXPECT_EQ(ReadFile(dir / "f", 100).value().size(), 100U);
  PISHIP_EXPECT_ERROR(ReadFile(dir / "f", 99), ErrorCode::kLimitExceeded);
  PISHIP_EXPECT_ERROR(ReadFile("/dev/zero", 1000), ErrorCode::kLimitExceeded);
}

TEST(ReadAll, ReadsAPipeToItsEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const std::string bytes(300'000, 'y');
  std::thread thread([&] {
    EXPECT_TRUE(WriteAll(writer.get(), bytes, "the pipe").has_value());
    writer.Reset();
  });
  const auto read = ReadAll(reader.get(), "the pipe");
  thread.join();
  EXPECT_EQ(read.value(), bytes);
}

TEST(WriteFileAtomically, ReplacesAndLeavesNothingBeside) {
  const TempDir dir;
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "f", "old"));
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "f", "new"));
  EXPECT_EQ(ReadFile(dir / "f").value(), "new");
  EXPECT_EQ(FilesIn(dir.path()), 1);
}

TEST(CreateFileAtomically, LeavesWhatIsThere) {
  const TempDir dir;
  const auto created = CreateFileAtomically(dir / "f", "first", 0600);
  PISHIP_ASSERT_OK(created);
  EXPECT_TRUE(*created);
  const auto again = CreateFileAtomically(dir / "f", "second");
  PISHIP_ASSERT_OK(again);
  EXPECT_FALSE(*again);
  EXPECT_EQ(ReadFile(dir / "f").value_or(""), "first");
  ASSERT_EQ(symlink("nowhere", (dir / "link").c_str()), 0);
  EXPECT_FALSE(CreateFileAtomically(dir / "link", "third").value_or(true));
  EXPECT_EQ(FilesIn(dir.path()), 2);
  PISHIP_EXPECT_ERROR(CreateFileAtomically(dir / "none/f", "x"), ErrorCode::kFileNotFound);
}

TEST(WriteFileAtomically, ReplacesALinkAndNotItsTarget) {
  const TempDir dir;
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "target", "kept"));
  fs::create_symlink(dir / "target", dir / "f");
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "f", "new"));
  EXPECT_FALSE(fs::is_symlink(dir / "f"));
  EXPECT_EQ(ReadFile(dir / "target").value(), "kept");
}

TEST(WriteFileAtomically, LeavesTheOldFileWhereItFails) {
  const TempDir dir;
  fs::create_directory(dir / "f");
  PISHIP_EXPECT_ERROR(WriteFileAtomically(dir / "f", "new"), ErrorCode::kFileInvalid);
  EXPECT_TRUE(fs::is_directory(dir / "f"));
  EXPECT_EQ(FilesIn(dir.path()), 1);
  PISHIP_EXPECT_ERROR(WriteFileAtomically(dir / "none/f", "new"), ErrorCode::kFileNotFound);
}

TEST(WriteFileAtomically, GivesTheModeLessTheUmask) {
  const TempDir dir;
  const mode_t before = umask(027);
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "f", "x", 0755));
  umask(before);
  EXPECT_EQ(fs::status(dir / "f").permissions(), fs::perms(0750));
}

TEST(WriteFileIfChanged, LeavesAnEqualFileWithItsTime) {
  const TempDir dir;
  EXPECT_EQ(WriteFileIfChanged(dir / "f", "x").value(), Written::kChanged);
  const auto old = fs::last_write_time(dir / "f") - std::chrono::hours(1);
  fs::last_write_time(dir / "f", old);
  EXPECT_EQ(WriteFileIfChanged(dir / "f", "x").value(), Written::kUnchanged);
  EXPECT_EQ(fs::last_write_time(dir / "f"), old);
  EXPECT_EQ(WriteFileIfChanged(dir / "f", "y").value(), Written::kChanged);
  EXPECT_EQ(ReadFile(dir / "f").value(), "y");
}

TEST(WriteFileIfChanged, ReplacesAPipeWithoutWaitingForIt) {
  const TempDir dir;
  ASSERT_EQ(mkfifo((dir / "f").c_str(), 0600), 0);
  EXPECT_EQ(WriteFileIfChanged(dir / "f", "").value(), Written::kChanged);
  EXPECT_TRUE(fs::is_regular_file(dir / "f"));
}

TEST(MakeDirectories, MakesEachAndAcceptsWhatIsThere) {
  const TempDir dir;
  PISHIP_ASSERT_OK(MakeDirectories(dir / "a//b/c/"));
  PISHIP_ASSERT_OK(MakeDirectories(dir / "a/b/c"));
  EXPECT_TRUE(fs::is_directory(dir / "a/b/c"));
}

TEST(MakeDirectories, RefusesAFileInTheWay) {
  const TempDir dir;
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "a", ""));
  EXPECT_FALSE(MakeDirectories(dir / "a").has_value());
  EXPECT_FALSE(MakeDirectories(dir / "a/b").has_value());
  EXPECT_FALSE(MakeDirectories("").has_value());
}

TEST(MakeDirectories, WorksForSeveralAtOnce) {
  const TempDir dir;
  for (int round = 0; round < 20; ++round) {
    const std::string path = dir / std::to_string(round) + "/a/b/c/d";
    std::vector<std::thread> threads;
    for (int index = 0; index < 4; ++index)
      threads.emplace_back([&] { EXPECT_TRUE(MakeDirectories(path).has_value()); });
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(Paths, AreTakenApartAndPutTogether) {
  EXPECT_EQ(ParentPath("a/b/c"), "a/b");
  EXPECT_EQ(ParentPath("a/b/"), "a");
  EXPECT_EQ(ParentPath("a"), ".");
  EXPECT_EQ(ParentPath("/c"), "/");
  EXPECT_EQ(ParentPath("/"), "/");
  EXPECT_EQ(FileName("a/b/c"), "c");
  EXPECT_EQ(FileName("a/b/"), "b");
  EXPECT_EQ(FileName("a"), "a");
  EXPECT_EQ(FileName("/"), "");
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
}

TEST(Paths, TemporaryNamesLieBesideAndDiffer) {
  const std::string one = TemporaryNameFor("/d/f");
  EXPECT_EQ(ParentPath(one), "/d");
  EXPECT_TRUE(FileName(one).starts_with(".tmp-"));
  EXPECT_NE(one, TemporaryNameFor("/d/f"));
}

TEST(UniqueFd, ClosesOnceAndMoves) {
  UniqueFd first(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = first.get();
  UniqueFd second(std::move(first));
  EXPECT_EQ(second.get(), number);
  second.Reset();
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
  EXPECT_FALSE(second.valid());
}

}  // namespace
}  // namespace piship
