// SPDX-License-Identifier: MIT
#include "format/zstd_frame.h"

#include <gmock/gmock.h>

#include "format/archive_layout.h"
#include "support/result_matchers.h"

namespace piship {
namespace {

std::string Text(std::size_t size) {
  std::string text;
  for (std::uint32_t number = 1; text.size() < size; number = number * 1664525 + 1013904223)
    text += std::to_string(number % 5000);
  text.resize(size);
  return text;
}

TEST(ZstdFrame, ComesBackAtEveryLevel) {
  FrameDecoder decoder;
  for (int level = kMinLevel; level <= kMaxLevel; ++level) {
    const std::string text = Text(200'000);
    const auto frame = CompressFrame(text, level);
    PISHIP_ASSERT_OK(frame);
    std::string out(text.size(), '\0');
    EXPECT_TRUE(decoder.Decode(*frame, out.data(), out.size())) << level;
    EXPECT_EQ(out, text) << level;
  }
}

TEST(ZstdFrame, SaysWhatAReaderMustKnow) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{65791},
                                 std::size_t{65792}, kMaxFrameContent}) {
    const auto frame = CompressFrame(Text(size), kMaxLevel > 3 ? 3 : 1);
    PISHIP_ASSERT_OK(frame);
    ZstdFrameHeader header;
    EXPECT_EQ(ParseZstdFrameHeader(*frame, header), nullptr) << size;
    EXPECT_EQ(header.content_bytes, size);
    EXPECT_LE(header.header_bytes, kMaxZstdFrameHeader);
    EXPECT_LE(frame->size(), MaxCompressedSize(size));
  }
}

TEST(ZstdFrame, RefusesHeadersThatAreNotOurs) {
  ZstdFrameHeader header;
  const auto why = [&](std::string_view descriptor, std::string_view rest) {
    const char* text =
        ParseZstdFrameHeader(std::string("\x28\xb5\x2f\xfd", 4) + std::string(descriptor) + std::string(rest), header);
    return std::string(text == nullptr ? "" : text);
  };
  const std::string zeros(12, '\0');
  EXPECT_EQ(why("\x24", zeros), "");
  EXPECT_EQ(why("\x20", zeros), "has no checksum");
  EXPECT_EQ(why("\x25", zeros), "wants a dictionary");
  EXPECT_EQ(why("\x27", zeros), "wants a dictionary");
  EXPECT_EQ(why("\x2c", zeros), "has a reserved bit set");
  EXPECT_EQ(why("\x34", zeros), "has a reserved bit set");
  EXPECT_EQ(why(std::string("\x04", 1), zeros), "has no content size");
  EXPECT_EQ(why("\x84", std::string("\x68", 1) + zeros), "");
  EXPECT_EQ(why("\x84", std::string("\x69", 1) + zeros), "wants a window of more than 8 MiB");
  EXPECT_EQ(why("\x84", std::string("\xff", 1) + zeros), "wants a window of more than 8 MiB");
  EXPECT_EQ(why("\xe4", ""), "has a header that is cut off");
  EXPECT_NE(ParseZstdFrameHeader("\x1f\x8b\x08\x00\x00\x00", header), nullptr);
}

TEST(ZstdFrame, DecoderWantsTheExactSize) {
  const std::string text = Text(1000);
  const std::string frame = *CompressFrame(text, 3);
  FrameDecoder decoder;
  std::string out(1001, '\0');
  EXPECT_FALSE(decoder.Decode(frame, out.data(), 999));
  EXPECT_FALSE(decoder.Decode(frame, out.data(), 1001));
  EXPECT_FALSE(decoder.Decode(frame.substr(0, frame.size() - 1), out.data(), 1000));
  EXPECT_TRUE(decoder.Decode(frame, out.data(), 1000));
}

TEST(ZstdFrame, ChecksumFindsAFlippedBit) {
  const std::string text = Text(1000);
  const std::string frame = *CompressFrame(text, 3);
  FrameDecoder decoder;
  std::string out(1000, '\0');
  for (std::size_t index = 5; index < frame.size(); ++index) {
    std::string flipped = frame;
    flipped[index] = static_cast<char>(flipped[index] ^ 4);
    EXPECT_FALSE(decoder.Decode(flipped, out.data(), out.size()) && out != text) << index;
  }
}

TEST(ZstdFrame, BlocksAreBounded) {
  ZstdBlockHeader block;
  EXPECT_EQ(ParseZstdBlockHeader(std::string("\x01\x00\x00", 3), block), nullptr);
  EXPECT_TRUE(block.last);
  EXPECT_EQ(block.bytes, 0U);
  EXPECT_EQ(ParseZstdBlockHeader(std::string("\x02\x00\x10", 3), block), nullptr);  // 128 KiB of one byte
  EXPECT_EQ(block.bytes, 1U);
  EXPECT_NE(ParseZstdBlockHeader(std::string("\x06\x00\x00", 3), block), nullptr);
  EXPECT_NE(ParseZstdBlockHeader(std::string("\x08\x00\x10", 3), block), nullptr);
}

}  // namespace
}  // namespace piship
