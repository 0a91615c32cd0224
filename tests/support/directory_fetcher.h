// SPDX-License-Identifier: MIT
// A published repository's directory in place of a server.
#pragma once

#include <string>

#include "base/files.h"
#include "tuf/fetcher.h"

namespace piship {

class DirectoryFetcher : public tuf::Fetcher {
 public:
  explicit DirectoryFetcher(std::string directory) : directory_(std::move(directory)) {}
  Result<std::optional<std::string>> FetchMetadata(const std::string& name, std::uint64_t limit) override {
    auto text = ReadFile(directory_ + "/metadata/" + name, limit);
    if (!text && text.error().code == ErrorCode::kFileNotFound) return std::nullopt;
    if (!text) return Fail(std::move(text).error());
    return *std::move(text);
  }
  Status FetchArtifact(const std::string& path, const tuf::ByteRange& /*range*/, std::uint64_t limit,
                       tuf::ArtifactSink& sink) override {
    PISHIP_TRY(const std::string bytes, ReadFile(directory_ + "/targets/" + path, limit));
    PISHIP_CHECK(sink.Begin(0));
    return sink.Take(bytes);
  }

 private:
  std::string directory_;
};

}  // namespace piship
