// SPDX-License-Identifier: MIT
#include "format/seek_table.h"

#include "format/zstd_frame.h"

namespace piship {
namespace {

constexpr std::uint32_t kIndexMagic = kSkippableMagic | 0x1;  // ours
constexpr std::uint32_t kSeekTableMagic = kSkippableMagic | 0xe;
constexpr std::uint32_t kSeekableNumber = 0x8f92eab1;
constexpr std::string_view kFirstLine = "piship-frames 1\n";
constexpr std::string_view kAnyFormat = "piship-frames ";
constexpr std::size_t kSkippableHeader = 8;
constexpr std::size_t kSeekEntry = 8;

void Append32(std::string& out, std::uint64_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t Read32(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t index = 4; index-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[offset + index]);
  return value;
}

std::size_t OwnFrameSize(std::size_t frames) { return kSkippableHeader + kFirstLine.size() + Digest::kSize * frames; }

tl::unexpected<Error> Invalid(std::string_view name, std::string_view what) {
  return Fail(ErrorCode::kArchiveInvalid, "'" + std::string(name) + "': the frame index " + std::string(what));
}

}  // namespace

std::string FrameIndexBytes(const std::vector<FrameRecord>& frames) {
  std::string out;
  out.reserve(FrameIndexSize(frames.size()));
  Append32(out, kIndexMagic);
  Append32(out, kFirstLine.size() + Digest::kSize * frames.size());
  out += kFirstLine;
  for (const FrameRecord& frame : frames) {
    for (const std::uint8_t byte : frame.digest.bytes()) out += static_cast<char>(byte);
  }
  Append32(out, kSeekTableMagic);
  Append32(out, kSeekEntry * (frames.size() + 1) + kSeekFooterBytes);
  for (const FrameRecord& frame : frames) {
    Append32(out, frame.compressed_bytes);
    Append32(out, frame.content_bytes);
  }
  Append32(out, OwnFrameSize(frames.size()));  // the frame of digests, which holds no content
  Append32(out, 0);
  Append32(out, frames.size() + 1);
  out += '\0';  // no checksums
  Append32(out, kSeekableNumber);
  return out;
}

Result<std::size_t> FrameCountFromFooter(std::string_view footer, std::string_view name) {
  if (footer.size() < kSeekFooterBytes) {
    return Fail(ErrorCode::kArchiveTruncated, "'" + std::string(name) + "' is too short for an archive");
  }
  footer = footer.substr(footer.size() - kSeekFooterBytes);
  if (Read32(footer, 5) != kSeekableNumber) {
    return Fail(ErrorCode::kArchiveTruncated, "'" + std::string(name) + "' does not end with a seek table",
                "it was not copied completely, or it is not a release archive");
  }
  if (footer[4] != 0) return Invalid(name, "has a descriptor other than 0");
  const std::uint32_t count = Read32(footer, 0);
  if (count < 1) return Invalid(name, "lists no frame");
  if (count > kMaxFrames) {
    return Fail(ErrorCode::kLimitExceeded,
                "'" + std::string(name) + "' has more than " + std::to_string(kMaxFrames) + " frames");
  }
  return count - 1;
}

Result<std::vector<FrameRecord>> ParseFrameIndex(std::string_view bytes, std::string_view name) {
  PISHIP_TRY(const std::size_t count, FrameCountFromFooter(bytes, name));
  if (bytes.size() != FrameIndexSize(count)) return Invalid(name, "has another size than its frames need");
  const std::string_view text = bytes.substr(kSkippableHeader, kFirstLine.size());
  if (text != kFirstLine) {
    if (text.starts_with(kAnyFormat) && text[kAnyFormat.size()] > '1' && text[kAnyFormat.size()] <= '9') {
      return Fail(ErrorCode::kFormatNewer,
                  "'" + std::string(name) + "' has a newer archive format, this PiShip reads 1", "use a newer PiShip");
    }
    return Invalid(name, "does not begin with 'piship-frames 1'");
  }
  std::vector<FrameRecord> frames(count);
  const std::size_t digests = kSkippableHeader + kFirstLine.size();
  const std::size_t sizes = OwnFrameSize(count) + kSkippableHeader;
  for (std::size_t index = 0; index < count; ++index) {
    std::array<std::uint8_t, Digest::kSize> digest{};
    std::memcpy(digest.data(), bytes.data() + digests + index * Digest::kSize, Digest::kSize);
    frames[index].digest = Digest(digest);
    frames[index].compressed_bytes = Read32(bytes, sizes + index * kSeekEntry);
    frames[index].content_bytes = Read32(bytes, sizes + index * kSeekEntry + 4);
  }
  // All that is left (magic numbers, lengths, the last entry) follows from the records.
  if (FrameIndexBytes(frames) != bytes) return Invalid(name, "is not in the canonical form");
  return frames;
}

}  // namespace piship
