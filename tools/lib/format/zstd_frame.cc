// SPDX-License-Identifier: MIT
#include "format/zstd_frame.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>

#include "format/archive_layout.h"

namespace piship {
namespace {

constexpr int kMinWindowLog = 10;  // zstd's own
constexpr int kMaxWindowLog = 27;  // what its command line decodes unasked
constexpr std::size_t kMaxBlock = std::size_t{128} * 1024;

std::uint64_t LittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t index = bytes.size(); index-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[index]);
  return value;
}

// The parts of the frame header's descriptor byte.
struct Descriptor {
  unsigned char byte;
  bool single_segment() const { return (byte & 0x20) != 0; }
  bool checksum() const { return (byte & 0x04) != 0; }
  bool reserved() const { return (byte & 0x18) != 0; }
  bool dictionary() const { return (byte & 0x03) != 0; }
  std::size_t dictionary_bytes() const { return (byte & 0x03) == 3 ? 4 : byte & 0x03; }
  std::size_t window_bytes() const { return single_segment() ? 0 : 1; }
  std::size_t size_bytes() const {
    const unsigned flag = byte >> 6;
    return flag == 0 ? (single_segment() ? 1 : 0) : std::size_t{1} << flag;
  }
};

std::uint64_t WindowOf(unsigned char byte) {
  const std::uint64_t base = std::uint64_t{1} << (10 + (byte >> 3));
  return base + base / 8 * (byte & 7);
}

Error ZstdError(std::string_view what, std::size_t code) {
  return Error{ErrorCode::kInternal, std::string(what) + ": " + ZSTD_getErrorName(code)};
}

}  // namespace

std::string_view ZstdVersion() { return ZSTD_versionString(); }

std::size_t MaxCompressedSize(std::size_t content_size) { return ZSTD_compressBound(content_size); }

namespace {

struct FrameParameters {
  int level = 0;
  int window_log = kWindowLog;
  int long_distances = 0;
};

// A new context for each frame: later libraries seed the hash of a context's second use differently, and the same bytes
// must come out whichever frames a thread has made before.
Result<std::string> Compress(std::string_view prefix, std::string_view content, const FrameParameters& chosen) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (context == nullptr) return Fail(ErrorCode::kIoFailed, "no memory is left to compress with");
  const std::pair<ZSTD_cParameter, int> parameters[] = {
      {ZSTD_c_compressionLevel, chosen.level},
      {ZSTD_c_windowLog, chosen.window_log},
      {ZSTD_c_enableLongDistanceMatching, chosen.long_distances},
      {ZSTD_c_contentSizeFlag, 1},
      {ZSTD_c_checksumFlag, 1},
      {ZSTD_c_dictIDFlag, 0},
  };
  for (const auto& [parameter, value] : parameters) {
    const std::size_t code = ZSTD_CCtx_setParameter(context.get(), parameter, value);
    if (ZSTD_isError(code) != 0) return Fail(ZstdError("a zstd parameter was refused", code));
  }
  if (!prefix.empty()) {
    const std::size_t code = ZSTD_CCtx_refPrefix(context.get(), prefix.data(), prefix.size());
    if (ZSTD_isError(code) != 0) return Fail(ZstdError("a prefix was refused", code));
  }
  std::string frame;
  frame.resize(ZSTD_compressBound(content.size()));
  const std::size_t size = ZSTD_compress2(context.get(), frame.data(), frame.size(), content.data(), content.size());
  if (ZSTD_isError(size) != 0) return Fail(ZstdError("a frame can't be compressed", size));
  frame.resize(size);
  return frame;
}

}  // namespace

Result<std::string> CompressFrame(std::string_view content, int level) { return Compress({}, content, {level}); }

Result<std::string> CompressAfter(std::string_view prefix, std::string_view content, int level) {
  const int needed = static_cast<int>(std::bit_width(prefix.size() + content.size()));
  return Compress(prefix, content, {level, std::clamp(needed, kMinWindowLog, kMaxWindowLog), 1});
}

std::size_t ZstdFrameHeaderSize(std::string_view start) {
  const Descriptor descriptor{static_cast<unsigned char>(start[4])};
  return 5 + descriptor.window_bytes() + descriptor.dictionary_bytes() + descriptor.size_bytes();
}

const char* ParseZstdFrameHeader(std::string_view bytes, ZstdFrameHeader& out) {
  if (bytes.size() < 5 || LittleEndian(bytes.substr(0, 4)) != kZstdMagic) return "is not a zstd frame";
  const Descriptor descriptor{static_cast<unsigned char>(bytes[4])};
  out.header_bytes = ZstdFrameHeaderSize(bytes);
  if (bytes.size() < out.header_bytes) return "has a header that is cut off";
  if (descriptor.reserved()) return "has a reserved bit set";
  if (descriptor.dictionary()) return "wants a dictionary";
  if (!descriptor.checksum()) return "has no checksum";
  if (descriptor.size_bytes() == 0) return "has no content size";
  if (!descriptor.single_segment() &&
      WindowOf(static_cast<unsigned char>(bytes[5])) > (std::uint64_t{1} << kWindowLog)) {
    return "wants a window of more than 8 MiB";
  }
  out.content_bytes = LittleEndian(bytes.substr(out.header_bytes - descriptor.size_bytes(), descriptor.size_bytes()));
  if (descriptor.size_bytes() == 2) out.content_bytes += 256;
  return nullptr;
}

const char* ParseZstdBlockHeader(std::string_view bytes, ZstdBlockHeader& out) {
  const std::uint64_t value = LittleEndian(bytes.substr(0, kZstdBlockHeader));
  out.last = (value & 1) != 0;
  const std::uint64_t type = value >> 1 & 3;
  const auto size = static_cast<std::size_t>(value >> 3);
  if (type == 3) return "has a block of a reserved type";
  if (size > kMaxBlock) return "has a block of more than 128 KiB";
  out.bytes = type == 1 ? 1 : size;
  return nullptr;
}

FrameDecoder::~FrameDecoder() { ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(context_)); }

bool FrameDecoder::Decode(std::string_view frame, char* out, std::size_t size) {
  return DecodeAfter({}, frame, out, size);
}

bool FrameDecoder::DecodeAfter(std::string_view prefix, std::string_view frame, char* out, std::size_t size) {
  if (context_ == nullptr) context_ = ZSTD_createDCtx();
  if (context_ == nullptr) return false;
  // Counts for one frame only.
  if (!prefix.empty() &&
      ZSTD_isError(ZSTD_DCtx_refPrefix(static_cast<ZSTD_DCtx*>(context_), prefix.data(), prefix.size())) != 0) {
    return false;
  }
  return ZSTD_decompressDCtx(static_cast<ZSTD_DCtx*>(context_), out, size, frame.data(), frame.size()) == size;
}

}  // namespace piship
