// SPDX-License-Identifier: MIT
#include "base/progress_line.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>

#include "base/files.h"

namespace piship {
namespace {

bool Wants(int fd, const std::map<std::string, std::string, std::less<>>& environment) {
  return WantsProgress(fd, [&](std::string_view name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  });
}

TEST(ProgressLine, IsForTerminalsOutsideOfContinuousIntegration) {
  const UniqueFd terminal(posix_openpt(O_RDWR | O_NOCTTY));
  if (!terminal.valid() || isatty(terminal.get()) != 1) GTEST_SKIP() << "no pseudo terminal";
  EXPECT_TRUE(Wants(terminal.get(), {{"TERM", "xterm"}}));
  EXPECT_TRUE(Wants(terminal.get(), {{"TERM", "xterm"}, {"CI", "false"}, {"NO_COLOR", "1"}}));
  EXPECT_FALSE(Wants(terminal.get(), {{"TERM", "xterm"}, {"CI", "true"}}));
  EXPECT_FALSE(Wants(terminal.get(), {{"TERM", "dumb"}}));
  EXPECT_FALSE(Wants(terminal.get(), {}));
  EXPECT_FALSE(Wants(-1, {{"TERM", "xterm"}}));
  const UniqueFd file(open("/dev/null", O_WRONLY));
  EXPECT_FALSE(Wants(file.get(), {{"TERM", "xterm"}}));
}

TEST(ProgressLine, AsksForItsTextOnlyWhereItIsDrawn) {
  int asked = 0;
  const auto text = [&] { return std::to_string(++asked); };
  ProgressLine nothing({});
  nothing.Show(text);
  EXPECT_EQ(asked, 0);
  std::string written;
  ProgressLine::Clock::time_point now = ProgressLine::Clock::now();
  ProgressLine line([&](std::string_view more) { written += more; }, [&] { return now; });
  line.Clear();
  EXPECT_EQ(written, "");
  line.Show(text);
  line.Show(text);
  EXPECT_EQ(written, "\r\x1b[K1");
}

TEST(ProgressLine, SizesAreMillionsOfBytes) {
  EXPECT_EQ(Megabytes(0), "0.0 MB");
  EXPECT_EQ(Megabytes(16'100'000), "16.1 MB");
}

}  // namespace
}  // namespace piship
