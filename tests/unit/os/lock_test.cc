// SPDX-License-Identifier: MIT
#include "os/lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/files.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

class Lock : public testing::Test {
 protected:
  UniqueFd Open() { return *OpenFile(directory_.path(), O_RDONLY | O_DIRECTORY); }
  static LockOutcome Try(const UniqueFd& fd, LockMode mode) {
    const auto outcome = TryLock(fd.get(), mode, "the directory");
    EXPECT_TRUE(outcome.has_value());
    return outcome.value_or(LockOutcome::kUnsupported);
  }
  TempDir directory_;
};

TEST_F(Lock, TellsWhetherAFileStillHasItsName) {
  const std::string path = directory_ / "named";
  const auto old = OpenFile(path, O_RDWR | O_CREAT, 0644);
  ASSERT_TRUE(old.has_value());
  EXPECT_TRUE(IsStillNamed(old->get(), path));
  ASSERT_EQ(unlink(path.c_str()), 0);
  EXPECT_FALSE(IsStillNamed(old->get(), path));
  ASSERT_TRUE(OpenFile(path, O_RDWR | O_CREAT, 0644).has_value());
  EXPECT_FALSE(IsStillNamed(old->get(), path));
}

TEST_F(Lock, SharedOnesGoTogetherAndExcludeTheExclusive) {
  const UniqueFd a = Open();
  const UniqueFd b = Open();
  const UniqueFd c = Open();
  EXPECT_EQ(Try(a, LockMode::kShared), LockOutcome::kAcquired);
  EXPECT_EQ(Try(b, LockMode::kShared), LockOutcome::kAcquired);
  EXPECT_EQ(Try(c, LockMode::kExclusive), LockOutcome::kHeld);
}

TEST_F(Lock, AnExclusiveOneExcludesAll) {
  const UniqueFd a = Open();
  const UniqueFd b = Open();
  EXPECT_EQ(Try(a, LockMode::kExclusive), LockOutcome::kAcquired);
  EXPECT_EQ(Try(b, LockMode::kShared), LockOutcome::kHeld);
  EXPECT_EQ(Try(b, LockMode::kExclusive), LockOutcome::kHeld);
}

TEST_F(Lock, TheModeCanBeChanged) {
  const UniqueFd a = Open();
  const UniqueFd b = Open();
  EXPECT_EQ(Try(a, LockMode::kExclusive), LockOutcome::kAcquired);
  EXPECT_EQ(Try(a, LockMode::kShared), LockOutcome::kAcquired);
  EXPECT_EQ(Try(b, LockMode::kShared), LockOutcome::kAcquired);
  EXPECT_EQ(Try(a, LockMode::kExclusive), LockOutcome::kHeld);
}

TEST_F(Lock, EndsWithTheLastCopyOfTheDescriptor) {
  UniqueFd a = Open();
  const UniqueFd b = Open();
  UniqueFd copy(dup(a.get()));
  EXPECT_EQ(Try(a, LockMode::kExclusive), LockOutcome::kAcquired);
  a = UniqueFd();
  EXPECT_EQ(Try(b, LockMode::kShared), LockOutcome::kHeld);
  copy = UniqueFd();
  EXPECT_EQ(Try(b, LockMode::kShared), LockOutcome::kAcquired);
}

TEST_F(Lock, EndsWithTheProcessHoweverItEnds) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const UniqueFd own = Open();
    const bool acquired = Try(own, LockMode::kExclusive) == LockOutcome::kAcquired;
    if (write(ends[1], acquired ? "y" : "n", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char answer = 0;
  ASSERT_EQ(read(ends[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  const UniqueFd fd = Open();
  EXPECT_EQ(Try(fd, LockMode::kShared), LockOutcome::kHeld);
  const auto holder = LockHolder(fd.get());
  EXPECT_EQ(holder.value_or(pid), pid);  // absent where there is no /proc/locks
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(Try(fd, LockMode::kShared), LockOutcome::kAcquired);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Lock, NobodyHoldsWhatIsNotLocked) { EXPECT_EQ(LockHolder(Open().get()), std::nullopt); }

TEST_F(Lock, AnErrorNamesItsSubject) {
  // Not a file that can be locked.
  const auto outcome = TryLock(-1, LockMode::kShared, "the directory");
  // A closed descriptor can't be told from a file system that refuses the lock.
  PISHIP_ASSERT_OK(outcome);
  EXPECT_EQ(*outcome, LockOutcome::kUnsupported);
}

TEST(LockHolderIn, FindsTheLineOfTheFile) {
  const char* locks =
      "1: POSIX  ADVISORY  READ 11 08:01:77 0 EOF\n"
      "2: FLOCK  ADVISORY  WRITE 12 08:02:77 0 EOF\n"
      "3: FLOCK  ADVISORY  WRITE 13 08:01:77 0 EOF\n"
      "3: -> FLOCK  ADVISORY  WRITE 14 08:01:78 0 EOF\n"
      "4: FLOCK  ADVISORY  READ  15 fd:1f:79 0 EOF\n";
  EXPECT_EQ(LockHolderIn(locks, 8, 1, 77), 13);
  EXPECT_EQ(LockHolderIn(locks, 0xfd, 0x1f, 79), 15);
  EXPECT_EQ(LockHolderIn(locks, 8, 1, 78), std::nullopt);  // a waiter holds nothing
  EXPECT_EQ(LockHolderIn(locks, 8, 1, 7), std::nullopt);
  EXPECT_EQ(LockHolderIn(locks, 0, 99, 79), 15);  // another device above the file than stat(2) tells
}

TEST(LockHolderIn, PassesOverWhatItCannotRead) {
  const char* locks =
      "\n"
      "1: FLOCK\n"
      "2: FLOCK  ADVISORY  WRITE x 08:01:77 0 EOF\n"
      "3: FLOCK  ADVISORY  WRITE 0 08:01:77 0 EOF\n"
      "4: FLOCK  ADVISORY  WRITE -1 08:01:77 0 EOF\n"
      "5: FLOCK  ADVISORY  WRITE 5 08-01-77 0 EOF\n"
      "6: FLOCK  ADVISORY  WRITE 6 08:01:99999999999999999999999 0 EOF\n"
      "7: FLOCK  ADVISORY  WRITE 7 08:01:77 0 EOF";
  EXPECT_EQ(LockHolderIn(locks, 8, 1, 77), 7);
  EXPECT_EQ(LockHolderIn("", 8, 1, 77), std::nullopt);
}

}  // namespace
}  // namespace piship
