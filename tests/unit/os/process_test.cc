// SPDX-License-Identifier: MIT
#include "os/process.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

TEST(Process, PassesInputAndOutput) {
  const std::string input(1'000'000, 'x');
  const auto result = RunProcess({"cat"}, input, 2'000'000);
  PISHIP_ASSERT_OK(result);
  EXPECT_EQ(result->status, 0);
  EXPECT_EQ(result->output, input);
}

TEST(Process, AProgramNeedNotReadItsInput) {
  const auto result = RunProcess({"true"}, std::string(1'000'000, 'x'), 10);
  PISHIP_ASSERT_OK(result);
  EXPECT_EQ(result->status, 0);
}

TEST(Process, TellsHowItEnded) {
  EXPECT_EQ(RunProcess({"false"}, {}, 10)->status, 1);
  EXPECT_EQ(RunProcess({"/bin/sh", "-c", "kill -9 $$"}, {}, 10)->status, 128 + 9);
  PISHIP_EXPECT_ERROR(RunProcess({"no-such-program-here"}, {}, 10), ErrorCode::kFileNotFound);
  PISHIP_EXPECT_ERROR(RunProcess({"yes"}, {}, 1000), ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace piship
