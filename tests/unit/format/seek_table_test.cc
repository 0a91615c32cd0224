// SPDX-License-Identifier: MIT
#include "format/seek_table.h"

#include <gmock/gmock.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

std::vector<FrameRecord> Records(std::size_t count) {
  std::vector<FrameRecord> records;
  for (std::size_t index = 0; index < count; ++index) {
    records.push_back({Digest::Of(std::to_string(index)), static_cast<std::uint32_t>(100 + index),
                       static_cast<std::uint32_t>(1000 * index)});
  }
  return records;
}

// Written by hand from docs/formats/archive.md and zstd's description of its seekable format.
TEST(SeekTable, HasThePublishedBytes) {
  std::array<std::uint8_t, Digest::kSize> digest{};
  for (std::size_t index = 0; index < digest.size(); ++index) digest[index] = static_cast<std::uint8_t>(index);
  std::string expected("\x51\x2a\x4d\x18\x30\x00\x00\x00piship-frames 1\n", 24);
  for (const std::uint8_t byte : digest) expected += static_cast<char>(byte);
  expected += std::string("\x5e\x2a\x4d\x18\x19\x00\x00\x00", 8);
  expected += std::string("\x04\x03\x02\x01\x08\x07\x06\x05", 8);
  expected += std::string("\x38\x00\x00\x00\x00\x00\x00\x00", 8);
  expected += std::string("\x02\x00\x00\x00\x00\xb1\xea\x92\x8f", 9);
  EXPECT_EQ(FrameIndexBytes({{Digest(digest), 0x01020304, 0x05060708}}), expected);
  EXPECT_EQ(FrameIndexSize(1), expected.size());
}

TEST(SeekTable, ComesBack) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    const std::string bytes = FrameIndexBytes(Records(count));
    EXPECT_EQ(bytes.size(), FrameIndexSize(count));
    const auto parsed = ParseFrameIndex(bytes, "test");
    PISHIP_ASSERT_OK(parsed);
    EXPECT_EQ(*parsed, Records(count));
  }
}

TEST(SeekTable, AcceptsNothingThatItWouldNotWrite) {
  const std::string bytes = FrameIndexBytes(Records(3));
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    for (const char bit : {'\x01', '\x40'}) {
      std::string flipped = bytes;
      flipped[index] = static_cast<char>(flipped[index] ^ bit);
      const auto parsed = ParseFrameIndex(flipped, "test");
      EXPECT_TRUE(!parsed || FrameIndexBytes(*parsed) == flipped) << index;
    }
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseFrameIndex(std::string_view(bytes).substr(0, size), "test")) << size;
    EXPECT_FALSE(ParseFrameIndex(std::string_view(bytes).substr(bytes.size() - size), "test")) << size;
  }
}

TEST(SeekTable, NamesANewerFormat) {
  std::string bytes = FrameIndexBytes(Records(1));
  bytes[bytes.find("piship-frames 1") + 14] = '2';
  PISHIP_EXPECT_ERROR(ParseFrameIndex(bytes, "test"), ErrorCode::kFormatNewer);
}

TEST(SeekTable, BoundsTheNumberOfFrames) {
  PISHIP_EXPECT_ERROR(FrameCountFromFooter(std::string("\xff\xff\xff\xff\x00\xb1\xea\x92\x8f", 9), "test"),
                      ErrorCode::kLimitExceeded);
  PISHIP_EXPECT_ERROR(FrameCountFromFooter(std::string("\x00\x00\x00\x00\x00\xb1\xea\x92\x8f", 9), "test"),
                      ErrorCode::kArchiveInvalid);
  PISHIP_EXPECT_ERROR(FrameCountFromFooter(std::string("\x01\x00\x00\x00\x80\xb1\xea\x92\x8f", 9), "test"),
                      ErrorCode::kArchiveInvalid);
  PISHIP_EXPECT_ERROR(FrameCountFromFooter(std::string("\x01\x00\x00\x00\x00\xb1\xea\x92\x8e", 9), "test"),
                      ErrorCode::kArchiveTruncated);
  PISHIP_EXPECT_ERROR(FrameCountFromFooter("short", "test"), ErrorCode::kArchiveTruncated);
}

}  // namespace
}  // namespace piship
