// SPDX-License-Identifier: MIT
#include "bundle/prune.h"

#include <gtest/gtest.h>

namespace piship::bundle {
namespace {

std::string Elf(char machine, std::string_view needs) {
  std::string bytes =
      "\x7f"
      "ELF\x02\x01\x01";
  bytes.resize(64, '\0');
  bytes[18] = machine;
  return bytes + std::string(needs);
}

TEST(MayRunOn, GoesByTheHeader) {
  const Platform linux_x64 = *Platform::Parse("linux-x64");
  const Platform musl = *Platform::Parse("linux-x64-musl");
  const Platform mac = *Platform::Parse("darwin-arm64");
  EXPECT_TRUE(MayRunOn(Elf(62, "libc.so.6"), linux_x64));
  EXPECT_FALSE(MayRunOn(Elf(62, "libc.so.6"), musl));
  EXPECT_TRUE(MayRunOn(Elf(62, "libc.musl-x86_64.so.1"), musl));
  EXPECT_FALSE(MayRunOn(Elf(62, "libc.musl-x86_64.so.1"), linux_x64));
  EXPECT_TRUE(MayRunOn(Elf(62, ""), linux_x64));
  EXPECT_FALSE(MayRunOn(Elf('\xb7', "libc.so.6"), linux_x64));  // arm64
  EXPECT_FALSE(MayRunOn(Elf(62, "libc.so.6"), mac));
  EXPECT_TRUE(MayRunOn("\xcf\xfa\xed\xfe....", mac));
  EXPECT_FALSE(MayRunOn("\xcf\xfa\xed\xfe....", linux_x64));
  EXPECT_FALSE(MayRunOn("MZ", linux_x64));
  EXPECT_TRUE(MayRunOn("something else", linux_x64));
}

}  // namespace
}  // namespace piship::bundle
