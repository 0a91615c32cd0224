// SPDX-License-Identifier: MIT
#include "os/process.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

TEST(Process, PassesInputAndOutput) {
  const std::string input(1'000'000, 'x');
  const auto result = RunProcess({.argv = {"cat"}, .input = input, .output_limit = 2'000'000});
  PISHIP_ASSERT_OK(result);
  EXPECT_EQ(result->status, 0);
  EXPECT_EQ(result->output, input);
}

TEST(Process, AProgramNeedNotReadItsInput) {
  const std::string input(1'000'000, 'x');
  const auto result = RunProcess({.argv = {"true"}, .input = input, .output_limit = 10});
  PISHIP_ASSERT_OK(result);
  EXPECT_EQ(result->status, 0);
}

TEST(Process, TellsHowItEnded) {
  EXPECT_EQ(RunProcess({.argv = {"false"}, .output_limit = 10})->status, 1);
  EXPECT_EQ(RunProcess({.argv = {"/bin/sh", "-c", "kill -9 $$"}, .output_limit = 10})->status, 128 + 9);
  PISHIP_EXPECT_ERROR(RunProcess({.argv = {"no-such-program-here"}, .output_limit = 10}), ErrorCode::kFileNotFound);
  PISHIP_EXPECT_ERROR(RunProcess({.argv = {"yes"}, .output_limit = 1000}), ErrorCode::kLimitExceeded);
}

TEST(Process, GivesOneStreamAndNothingThatWasNotNamed) {
  const TempDir temp;
  const auto result = RunProcess({.argv = {"/bin/sh", "-c", "echo out; echo \"$(pwd) $NAME $HOME\" >&2"},
                                  .output_limit = 10'000,
                                  .collected = Collected::kError,
                                  .directory = temp.path(),
                                  .environment = std::vector<std::string>{"NAME=value"}});
  PISHIP_ASSERT_OK(result);
  EXPECT_EQ(result->output, std::filesystem::canonical(temp.path()).string() + " value \n");
}

}  // namespace
}  // namespace piship
