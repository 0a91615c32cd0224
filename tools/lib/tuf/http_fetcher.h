// SPDX-License-Identifier: MIT
// A repository behind HTTP.
#pragma once

#include <string>

#include "net/http_client.h"
#include "tuf/fetcher.h"

namespace piship::tuf {

class HttpFetcher : public Fetcher {
 public:
  // The URLs name directories, with or without a slash at the end. `client` must outlive this.
  HttpFetcher(HttpClient& client, std::string metadata_url, std::string artifact_url);
  Result<std::optional<std::string>> FetchMetadata(const std::string& name, std::uint64_t limit) override;
  Status FetchArtifact(const std::string& path, const ByteRange& range, std::uint64_t limit,
                       ArtifactSink& sink) override;

 private:
  HttpClient& client_;
  std::string metadata_url_;
  std::string artifact_url_;
};

}  // namespace piship::tuf
