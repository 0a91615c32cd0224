// SPDX-License-Identifier: MIT
#include "vendor/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"

namespace piship {
namespace {

TEST(Progress, IsForTerminalsOutsideOfContinuousIntegration) {
  const UniqueFd terminal(posix_openpt(O_RDWR | O_NOCTTY));
  if (!terminal.valid() || isatty(terminal.get()) != 1) GTEST_SKIP() << "no pseudo terminal";
  EXPECT_TRUE(WantsProgress(terminal.get(), {{"TERM", "xterm"}}));
  EXPECT_TRUE(WantsProgress(terminal.get(), {{"TERM", "xterm"}, {"CI", "false"}, {"NO_COLOR", "1"}}));
  EXPECT_FALSE(WantsProgress(terminal.get(), {{"TERM", "xterm"}, {"CI", "true"}}));
  EXPECT_FALSE(WantsProgress(terminal.get(), {{"TERM", "dumb"}}));
  EXPECT_FALSE(WantsProgress(terminal.get(), {}));
  EXPECT_FALSE(WantsProgress(-1, {{"TERM", "xterm"}}));
  const UniqueFd file(open("/dev/null", O_WRONLY));
  EXPECT_FALSE(WantsProgress(file.get(), {{"TERM", "xterm"}}));
}

TEST(Progress, RewritesOneLineAtMostTenTimesASecondAndRemovesIt) {
  std::vector<std::string> writes;
  Progress::Clock::time_point now = Progress::Clock::now();
  Progress progress([&](std::string_view text) { writes.emplace_back(text); }, [&] { return now; });
  progress.AddPackages(3);
  for (int i = 0; i < 1000; ++i) progress.AddBytes(1000);
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0], "\r\x1b[Kfetching packages: 0 of 3, 0.0 MB");
  now += std::chrono::milliseconds(99);
  progress.AddBytes(0);
  EXPECT_EQ(writes.size(), 1U);
  now += std::chrono::milliseconds(1);
  progress.FinishPackage();
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[1], "\r\x1b[Kfetching packages: 1 of 3, 1.0 MB");
  progress.Clear();
  EXPECT_EQ(writes.back(), "\r\x1b[K");
}

TEST(Progress, WithoutAWriterNothingIsDrawn) {
  Progress progress({});
  progress.AddPackages(1);
  progress.FinishPackage();
  progress.Clear();
}

}  // namespace
}  // namespace piship
