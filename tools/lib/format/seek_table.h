// SPDX-License-Identifier: MIT
// The last two frames of an archive, both skippable: the SHA-256 of every frame (our own) and zstd's published seek
// table (zstd's repository, contrib/seekable_format, version 0.1.0). docs/formats/archive.md has the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"

namespace piship {

struct FrameRecord {
  Digest digest;  // SHA-256 of the compressed frame
  std::uint32_t compressed_bytes = 0;
  std::uint32_t content_bytes = 0;
  bool operator==(const FrameRecord&) const = default;
};

// The footer of the seek table: the last bytes of every archive.
inline constexpr std::size_t kSeekFooterBytes = 9;
inline constexpr std::size_t kMaxFrames = std::size_t{1} << 22;

// The bytes of both frames for so many frames.
constexpr std::size_t FrameIndexSize(std::size_t frames) { return 49 + 40 * frames; }
// Both frames.
std::string FrameIndexBytes(const std::vector<FrameRecord>& frames);

// The number of frames that the last kSeekFooterBytes of a file name. `name` is the subject of the errors of both:
// kArchiveInvalid, kArchiveTruncated, kFormatNewer, kLimitExceeded.
Result<std::size_t> FrameCountFromFooter(std::string_view footer, std::string_view name);
// Parses what FrameIndexBytes makes, and nothing else.
Result<std::vector<FrameRecord>> ParseFrameIndex(std::string_view bytes, std::string_view name);

}  // namespace piship
