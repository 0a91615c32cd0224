// SPDX-License-Identifier: MIT
// A90 of the project's list of attacks: what a gzip file can lie about.
#include "vendor/gunzip.h"

#include <gtest/gtest.h>

#include <string>

#include "support/result_matchers.h"
#include "support/tarball_builder.h"

namespace piship {
namespace {

constexpr std::string_view kData = "some data that is compressed, compressed, compressed";

std::string Gz(std::string_view bytes = kData) { return TarballBuilder::GzipOf(bytes); }

// The header's flags and what they announce, before the compressed data of Gz().
std::string WithHeader(char flags, const std::string& fields) {
  std::string bytes = Gz();
  bytes[3] = flags;
  return bytes.insert(10, fields);
}

// Stored blocks (RFC 1951, section 3.2.4) of no bytes, then the data's own.
std::string WithEmptyBlocks(std::size_t count) {
  const std::string gzip = Gz();
  std::string blocks;
  for (std::size_t index = 0; index < count; ++index) blocks.append("\0\0\0\xff\xff", 5);
  return gzip.substr(0, 10) + blocks + gzip.substr(10);
}

void ExpectData(const std::string& bytes) {
  const auto data = Gunzip(bytes);
  PISHIP_ASSERT_OK(data);
  EXPECT_EQ(data->view(), kData);
}

void ExpectInvalid(const std::string& bytes) { PISHIP_EXPECT_ERROR(Gunzip(bytes), ErrorCode::kTarballInvalid); }

TEST(HostileGzip, WrongChecksumOrLengthIsRefused) {
  for (std::size_t back = 1; back <= 8; ++back) {
    std::string bytes = Gz();
    bytes[bytes.size() - back] = static_cast<char>(bytes[bytes.size() - back] ^ 1);
    ExpectInvalid(bytes);
  }
}

TEST(HostileGzip, EveryMemberCountsAndIsChecked) {
  const std::string half = Gz(kData.substr(0, 20));
  const std::string rest = Gz(kData.substr(20));
  ExpectData(half + rest);
  ExpectData(half + rest + "trailing");
  ExpectData(half + rest + std::string(512, '\0'));
  // A damaged second member would leave the data of the first: a shorter file that looks whole.
  for (std::size_t index = 2; index < rest.size(); ++index) {
    // The time, the compressor's flags and the system's number mean nothing.
    if (index >= 4 && index < 10) continue;
    std::string damaged = rest;
    damaged[index] = static_cast<char>(damaged[index] ^ 0xff);
    ExpectInvalid(half + damaged);
  }
  for (std::size_t size = 3; size < rest.size(); ++size) ExpectInvalid(half + rest.substr(0, size));
}

TEST(HostileGzip, OptionalFieldsMayBeLong) {
  const std::string extra = std::string("\xff\xff", 2) + std::string(65535, 'e');
  const std::string name = std::string(std::size_t{64} << 10, 'n') + std::string(1, '\0');
  ExpectData(WithHeader(4, extra));
  ExpectData(WithHeader(8, name));
  ExpectData(WithHeader(16, name));
  ExpectData(WithHeader(4 | 8 | 16, extra + name + name));
}

TEST(HostileGzip, OptionalFieldsThatDoNotEndAreRefused) {
  std::string endless = Gz().substr(0, 10) + std::string(std::size_t{64} << 10, 'n');
  endless[3] = 8;
  ExpectInvalid(endless);
  endless[3] = 16;
  ExpectInvalid(endless);
  ExpectInvalid(WithHeader(4, "\xff\xff"));
  ExpectInvalid(WithHeader(static_cast<char>(0xe0), ""));
}

TEST(HostileGzip, NoMemoryFollowsFromALengthThatLies) {
  std::string bytes = Gz();
  bytes.replace(bytes.size() - 4, 4, "\xff\xff\xff\xff");
  ExpectInvalid(bytes);
  // The last member's length is what is looked at; that of the first is right and the buffer has to grow for it.
  const std::string large(std::size_t{3} << 20, 'x');
  const auto data = Gunzip(Gz(large) + Gz(""));
  PISHIP_ASSERT_OK(data);
  EXPECT_EQ(data->view(), large);
}

TEST(HostileGzip, FloodsOfNothingEnd) {
  const std::string member = Gz("");
  std::string empty;
  for (int count = 0; count < 100'000; ++count) empty += member;
  ExpectData(empty + Gz());
  ExpectData(WithEmptyBlocks(200'000));
}

TEST(HostileGzip, BombsAreBounded) {
  const std::string bomb = Gz(std::string(std::size_t{64} << 20, '\0'));
  GunzipLimits limits;
  limits.ratio = 100;
  PISHIP_EXPECT_ERROR(Gunzip(bomb, limits), ErrorCode::kLimitExceeded);
  limits = {};
  limits.bytes = std::uint64_t{32} << 20;
  limits.ratio = 2000;
  PISHIP_EXPECT_ERROR(Gunzip(bomb, limits), ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace piship
