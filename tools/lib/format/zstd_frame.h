// SPDX-License-Identifier: MIT
// One zstd frame (RFC 8878) of an archive: made from bytes at once, taken apart within bounds that are known before.
// A frame of ours says its content size, carries the checksum of the content, and needs no dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship {

inline constexpr int kMinLevel = 1;
inline constexpr int kMaxLevel = 22;
inline constexpr int kWindowLog = 23;  // 8 MiB: what a decoder must be ready to keep

inline constexpr std::uint32_t kZstdMagic = 0xfd2fb528;
// The 16 magic numbers of skippable frames differ in the last four bits.
inline constexpr std::uint32_t kSkippableMagic = 0x184d2a50;

// The library that compresses, for the key of remembered frames: "1.5.4".
std::string_view ZstdVersion();

// The frame of `content`; the same bytes for the same library, level and content. At most kMaxFrameContent bytes.
Result<std::string> CompressFrame(std::string_view content, int level);
// A frame of `content` that is decoded only after the same `prefix`, which stands before it like earlier content does.
// Where both have more than 128 MiB together, not all of the prefix is found again.
Result<std::string> CompressAfter(std::string_view prefix, std::string_view content, int level);
// The most bytes that a frame of so much content has.
std::size_t MaxCompressedSize(std::size_t content_size);

// What the first bytes of a frame say.
struct ZstdFrameHeader {
  std::size_t header_bytes = 0;
  std::uint64_t content_bytes = 0;
};
inline constexpr std::size_t kMaxZstdFrameHeader = 14;
// The bytes of the frame header that begins with `start` (its first 5 bytes, magic included).
std::size_t ZstdFrameHeaderSize(std::string_view start);
// Null, or which rule the header breaks ("has no content size"). `bytes` holds the whole header.
const char* ParseZstdFrameHeader(std::string_view bytes, ZstdFrameHeader& out);

// A block header, 3 bytes.
struct ZstdBlockHeader {
  bool last = false;
  std::size_t bytes = 0;  // that follow
};
inline constexpr std::size_t kZstdBlockHeader = 3;
inline constexpr std::size_t kZstdChecksum = 4;
const char* ParseZstdBlockHeader(std::string_view bytes, ZstdBlockHeader& out);

// Decompresses exactly one whole frame into a buffer of exactly its size, with a context of its own per object.
class FrameDecoder {
 public:
  FrameDecoder() = default;
  FrameDecoder(const FrameDecoder&) = delete;
  FrameDecoder& operator=(const FrameDecoder&) = delete;
  ~FrameDecoder();
  // False where the frame is damaged or holds another number of bytes.
  bool Decode(std::string_view frame, char* out, std::size_t size);
  // The same for a frame of CompressAfter; it reads from `prefix` itself and makes no window.
  bool DecodeAfter(std::string_view prefix, std::string_view frame, char* out, std::size_t size);

 private:
  void* context_ = nullptr;  // ZSTD_DCtx
};

}  // namespace piship
