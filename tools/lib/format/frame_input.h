// SPDX-License-Identifier: MIT
// The bytes of an archive from a descriptor, taken frame by frame: finds the end of each zstd frame from its block
// headers and hashes everything on the way. No buffer grows by what the stream says, only by what it delivers, within
// bounds that the caller knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"

namespace piship {

class FrameInput {
 public:
  // `name` must outlive this and is the subject of errors. After `limit` bytes of the descriptor the stream has ended.
  FrameInput(int fd, std::string_view name, std::uint64_t limit = UINT64_MAX);

  // Replaces `frame` by the next frame, which is number `number`. Gives the content size that it claims, at most
  // `limit`.
  Result<std::size_t> ReadFrame(std::size_t number, std::size_t limit, std::string& frame);
  // Replaces `out` by the next `size` bytes.
  Status Read(std::size_t size, std::string& out);
  // Nothing may follow.
  Status ExpectEnd();

  std::uint64_t bytes() const { return bytes_; }  // taken so far
  Digest Finish() { return hash_.Finish(); }      // of the bytes taken

  // For what happens to frame `number` after it was read.
  tl::unexpected<Error> FailDamaged(std::size_t number) const;

 private:
  std::string_view Waiting() const { return {buffer_.get() + begin_, end_ - begin_}; }
  // Up to `size` bytes of the stream; none at its end.
  Result<std::size_t> ReadOn(char* buffer, std::size_t size);
  // Makes `size` bytes wait, at most kMaxPeek. kArchiveTruncated at the end of the stream.
  Status Await(std::size_t size);
  // Appends the next `size` bytes to `out`.
  Status Take(std::size_t size, std::string& out);
  tl::unexpected<Error> FailFrame(std::size_t number, std::string_view clause) const;
  tl::unexpected<Error> FailTruncated() const;

  int fd_;
  std::string_view name_;
  std::uint64_t left_;  // in the descriptor, at most
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t bytes_ = 0;
  Sha256 hash_;
};

}  // namespace piship
