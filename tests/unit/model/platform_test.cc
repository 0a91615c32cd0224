// SPDX-License-Identifier: MIT
#include "model/platform.h"

#include <gmock/gmock.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

TEST(Platform, ReadsTheKnownOnes) {
  const auto parts = [](const char* text) {
    const auto platform = Platform::Parse(text);
    if (!platform) return platform.error().message;
    return std::string(platform->os()) + "|" + std::string(platform->cpu()) + "|" + std::string(platform->libc());
  };
  EXPECT_EQ(parts("linux-x64"), "linux|x64|glibc");
  EXPECT_EQ(parts("linux-arm64-musl"), "linux|arm64|musl");
  EXPECT_EQ(parts("linux-riscv64"), "linux|riscv64|glibc");
  EXPECT_EQ(parts("darwin-arm64"), "darwin|arm64|");
  EXPECT_EQ(parts("win32-x64"), "win32|x64|");
}

TEST(Platform, RefusesOthers) {
  for (const char* text :
       {"", "linux", "linux-", "linux-x86", "linux-x64-", "linux-x64-glibc", "linux-x64-musl-musl", "linux-musl",
        "Linux-x64", "darwin-x64-musl", "win32-ia32", "windows-x64", "-x64", "linux-x64 "}) {
    PISHIP_EXPECT_ERROR(Platform::Parse(text), ErrorCode::kPlatformInvalid);
  }
}

TEST(Platform, OfThisProgramIsAKnownOne) {
  const Platform own = Platform::OfThisProgram();
  EXPECT_EQ(Platform::Parse(own.str()).value(), own);
  EXPECT_EQ(own.str().find("musl"), std::string::npos);
}

}  // namespace
}  // namespace piship
