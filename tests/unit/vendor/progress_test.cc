// SPDX-License-Identifier: MIT
#include "vendor/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace piship {
namespace {

TEST(Progress, RewritesOneLineAtMostTenTimesASecondAndRemovesIt) {
  std::vector<std::string> writes;
  ProgressLine::Clock::time_point now = ProgressLine::Clock::now();
  Progress progress(ProgressLine([&](std::string_view text) { writes.emplace_back(text); }, [&] { return now; }));
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
  Progress progress(ProgressLine({}));
  progress.AddPackages(1);
  progress.FinishPackage();
  progress.Clear();
}

}  // namespace
}  // namespace piship
