// SPDX-License-Identifier: MIT
// Where a repository's files come from. An interface, because tests read a directory or make up what they serve.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship::tuf {

// Which bytes of a file: from `offset` on, all that follow or so many.
struct ByteRange {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> bytes = {};
};

class ArtifactSink {
 public:
  virtual ~ArtifactSink() = default;
  // The bytes from `offset` on begin: at first, and again when a broken download starts anew, which discards what came
  // before. It is the offset that was asked for, or zero where the server sends the whole.
  virtual Status Begin(std::uint64_t offset) = 0;
  virtual Status Take(std::string_view bytes) = 0;
};

class Fetcher {
 public:
  virtual ~Fetcher() = default;
  // A metadata file by its name ("2.root.json"; percent-encoded, so without a slash). Absent where the repository does
  // not have it; more than `limit` bytes are kLimitExceeded.
  virtual Result<std::optional<std::string>> FetchMetadata(const std::string& name, std::uint64_t limit) = 0;
  // A part of a target by its path (percent-encoded, each component by itself); kMetadataMissing where it is not there.
  // `limit` counts the bytes of one answer. Where the range says how many bytes, exactly these come: kHttpFailed where
  // the server does not give parts.
  virtual Status FetchArtifact(const std::string& path, const ByteRange& range, std::uint64_t limit,
                               ArtifactSink& sink) = 0;
};

}  // namespace piship::tuf
