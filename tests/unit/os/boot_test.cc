// SPDX-License-Identifier: MIT
#include "os/boot.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace piship {
namespace {

TEST(BootId, IsWhatTheSystemSaysWithoutTheNewline) {
  const auto text = ReadFile("/proc/sys/kernel/random/boot_id", 64);
  if (!text) GTEST_SKIP() << "this system has no boot id";
  const auto id = BootId();
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(*id + "\n", *text);
  EXPECT_EQ(id->size(), 36U);
}

TEST(BootId, StaysTheSame) { EXPECT_EQ(BootId(), BootId()); }

}  // namespace
}  // namespace piship
