// SPDX-License-Identifier: MIT
#include "format/frame_input.h"

#include <algorithm>
#include <cstring>

#include "base/files.h"
#include "format/zstd_frame.h"

namespace piship {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} * 1024;

std::uint32_t MagicOf(std::string_view bytes) {
  std::uint32_t magic = 0;
  for (std::size_t index = 4; index-- > 0;) magic = magic << 8 | static_cast<unsigned char>(bytes[index]);
  return magic;
}

}  // namespace

FrameInput::FrameInput(int fd, std::string_view name, std::uint64_t limit)
    : fd_(fd), name_(name), left_(limit), buffer_(new char[kBuffer]) {}

Result<std::size_t> FrameInput::ReadOn(char* buffer, std::size_t size) {
  if (left_ == 0) return std::size_t{0};
  PISHIP_TRY(const std::size_t count,
             ReadSome(fd_, buffer, static_cast<std::size_t>(std::min<std::uint64_t>(size, left_)), name_));
  left_ -= count;
  return count;
}

tl::unexpected<Error> FrameInput::FailFrame(std::size_t number, std::string_view clause) const {
  return Fail(ErrorCode::kArchiveInvalid,
              "'" + std::string(name_) + "': frame " + std::to_string(number) + " " + std::string(clause));
}

tl::unexpected<Error> FrameInput::FailDamaged(std::size_t number) const {
  return FailFrame(number, "is damaged: it does not decompress to what it claims");
}

tl::unexpected<Error> FrameInput::FailTruncated() const {
  return Fail(
      ErrorCode::kArchiveTruncated,
      "'" + std::string(name_) + "' ends after " + std::to_string(bytes_ + (end_ - begin_)) + " bytes, before its end",
      "get it again");
}

Status FrameInput::Await(std::size_t size) {
  if (end_ - begin_ >= size) return {};
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  PISHIP_TRY(const std::size_t count, ReadOn(buffer_.get() + end_, kBuffer - end_));
  end_ += count;
  if (end_ < size) return FailTruncated();
  return {};
}

Status FrameInput::Take(std::size_t size, std::string& out) {
  const std::size_t start = out.size();
  const std::size_t waiting = std::min(size, end_ - begin_);
  out.append(buffer_.get() + begin_, waiting);
  begin_ += waiting;
  std::size_t left = size - waiting;
  while (left > 0) {
    begin_ = end_ = 0;
    PISHIP_CHECK(Await(1));
    const std::size_t step = std::min(left, end_);
    out.append(buffer_.get(), step);
    begin_ = step;
    left -= step;
  }
  bytes_ += size;
  hash_.Update(std::string_view(out).substr(start));
  return {};
}

Result<std::size_t> FrameInput::ReadFrame(std::size_t number, std::size_t limit, std::string& frame) {
  frame.clear();
  PISHIP_CHECK(Await(5));
  const std::uint32_t magic = MagicOf(Waiting());
  if ((magic & ~0xfU) == kSkippableMagic) return FailFrame(number, "is a skippable frame where content is due");
  if (magic != kZstdMagic) return FailFrame(number, "does not begin as a zstd frame does");
  const std::size_t header_bytes = ZstdFrameHeaderSize(Waiting());
  PISHIP_CHECK(Await(header_bytes));
  ZstdFrameHeader header;
  if (const char* why = ParseZstdFrameHeader(Waiting(), header)) return FailFrame(number, why);
  if (header.content_bytes > limit) return FailFrame(number, "claims more content than a frame may have");
  const auto content_bytes = static_cast<std::size_t>(header.content_bytes);
  PISHIP_CHECK(Take(header_bytes, frame));
  const std::size_t most = MaxCompressedSize(content_bytes);
  for (ZstdBlockHeader block; !block.last;) {
    PISHIP_CHECK(Await(kZstdBlockHeader));
    if (const char* why = ParseZstdBlockHeader(Waiting(), block)) return FailFrame(number, why);
    if (frame.size() + kZstdBlockHeader + block.bytes > most)
      return FailFrame(number, "is larger than its content can need");
    PISHIP_CHECK(Take(kZstdBlockHeader + block.bytes, frame));
  }
  PISHIP_CHECK(Take(kZstdChecksum, frame));
  return content_bytes;
}

Status FrameInput::Read(std::size_t size, std::string& out) {
  out.clear();
  return Take(size, out);
}

Status FrameInput::ExpectEnd() {
  if (begin_ == end_) {
    PISHIP_TRY(const std::size_t count, ReadOn(buffer_.get(), 1));
    if (count == 0) return {};
  }
  return Fail(ErrorCode::kArchiveInvalid, "'" + std::string(name_) + "' goes on after its end");
}

}  // namespace piship
