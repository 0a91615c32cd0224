// SPDX-License-Identifier: MIT
#include "os/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "support/temp_dir.h"

namespace piship {
namespace {

// Runs `body` in a child; its value is the child's exit status.
int InChild(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(OpenInherited, IsPassedOnToExecutedPrograms) {
  const auto file = OpenInherited("/proc/self/exe", O_RDONLY);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(fcntl(file->get(), F_GETFD), 0);
}

TEST(OpenInherited, TakesTheLowestFreeNumberThatIsNoStandardStream) {
  EXPECT_EQ(InChild([] {
              for (int fd = 0; fd < 64; ++fd) close(fd);
              const auto file = OpenInherited("/proc/self/exe", O_RDONLY);
              if (!file || file->get() != 3 || fcntl(3, F_GETFD) != 0) return 1;
              return fcntl(0, F_GETFD) == -1 ? 0 : 2;  // standard input is closed as before
            }),
            0);
}

TEST(OpenInherited, StaysBetweenThreeAndFifteenInAnOrdinaryProcess) {
  EXPECT_EQ(InChild([] {
              for (int fd = 3; fd < 64; ++fd) close(fd);
              const auto other = OpenFile("/proc/self/exe", O_RDONLY);
              const auto file = OpenInherited("/proc/self/exe", O_RDONLY);
              return other && file && file->get() >= 3 && file->get() <= 15 ? 0 : 1;
            }),
            0);
}

TEST(OpenInherited, NamesWhatIsMissing) {
  const auto file = OpenInherited("/nowhere/at all", O_RDONLY);
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kFileNotFound);
  EXPECT_NE(file.error().message.find("/nowhere/at all"), std::string::npos);
}

TEST(OpenClosedStandardStreams, GivesEachClosedOneItsNumber) {
  EXPECT_EQ(InChild([] {
              close(0);
              close(2);
              OpenClosedStandardStreams();
              struct stat in {};
              struct stat err {};
              struct stat null {};
              if (stat("/dev/null", &null) != 0) return 1;
              if (fstat(0, &in) != 0 || fstat(2, &err) != 0) return 2;
              return in.st_rdev == null.st_rdev && err.st_rdev == null.st_rdev ? 0 : 3;
            }),
            0);
}

TEST(OpenClosedStandardStreams, LeavesOpenOnesAlone) {
  EXPECT_EQ(InChild([] {
              struct stat before {};
              struct stat after {};
              if (fstat(1, &before) != 0) return 1;
              OpenClosedStandardStreams();
              return fstat(1, &after) == 0 && before.st_ino == after.st_ino ? 0 : 2;
            }),
            0);
}

TEST(ReportFileSizeLimit, MakesAWriteBeyondTheLimitFail) {
  const TempDir directory;
  const auto write_much = [&directory](bool reported) {
    return InChild([&] {
      const rlimit limit{10, 10};
      const rlimit no_core{0, 0};
      if (setrlimit(RLIMIT_CORE, &no_core) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
      if (reported) ReportFileSizeLimit();
      auto file = OpenFile(directory / "file", O_WRONLY | O_CREAT, 0644);
      if (!file) return 2;
      return WriteAll(file->get(), "more than ten bytes", "file") ? 3 : 0;
    });
  };
  EXPECT_EQ(write_much(false), 128 + SIGXFSZ);
  EXPECT_EQ(write_much(true), 0);
}

}  // namespace
}  // namespace piship
