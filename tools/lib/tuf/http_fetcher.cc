// SPDX-License-Identifier: MIT
#include "tuf/http_fetcher.h"

namespace piship::tuf {
namespace {

std::string AsDirectory(std::string url) {
  if (!url.ends_with('/')) url += '/';
  return url;
}

Error StatusError(const std::string& url, int status) {
  return Error{ErrorCode::kHttpFailed, "GET " + Printable(url) + " is answered with status " + std::to_string(status)};
}

// Static servers answer 403 for what is not there where they may not list a directory.
bool IsMissing(int status) { return status == 404 || status == 403 || status == 410; }
bool IsSuccess(int status) { return status >= 200 && status < 300; }

class SinkOf : public BodySink {
 public:
  SinkOf(ArtifactSink& sink, std::uint64_t offset) : sink_(sink), offset_(offset) {}
  // 200 is the whole, whatever was asked for; 206 must be the part that was.
  Status Begin(const ResponseHead& head) override {
    if (head.status != 206) return sink_.Begin(0);
    const std::string wanted = "bytes " + std::to_string(offset_) + "-";
    const std::string* range = head.Find("content-range");
    if (offset_ > 0 && range != nullptr && range->starts_with(wanted)) return sink_.Begin(offset_);
    return Fail(ErrorCode::kHttpFailed, "the server sends another part of the file than it was asked for");
  }
  Status Take(std::string_view bytes) override { return sink_.Take(bytes); }

 private:
  ArtifactSink& sink_;
  std::uint64_t offset_;
};

HttpRequest RequestFor(std::string url, std::uint64_t limit) {
  HttpRequest request;
  request.url = std::move(url);
  request.body_limit = limit;
  return request;
}

}  // namespace

HttpFetcher::HttpFetcher(HttpClient& client, std::string metadata_url, std::string artifact_url)
    : client_(client),
      metadata_url_(AsDirectory(std::move(metadata_url))),
      artifact_url_(AsDirectory(std::move(artifact_url))) {}

Result<std::optional<std::string>> HttpFetcher::FetchMetadata(const std::string& name, std::uint64_t limit) {
  const HttpRequest request = RequestFor(metadata_url_ + name, limit);
  StringSink sink;
  PISHIP_TRY(const HttpResponse response, client_.Get(request, sink));
  if (IsMissing(response.head.status)) return std::nullopt;
  if (!IsSuccess(response.head.status)) return Fail(StatusError(request.url, response.head.status));
  return std::move(sink.body);
}

Status HttpFetcher::FetchArtifact(const std::string& path, std::uint64_t offset, std::uint64_t limit,
                                  ArtifactSink& sink) {
  HttpRequest request = RequestFor(artifact_url_ + path, limit);
  if (offset > 0) request.headers.push_back({"Range", "bytes=" + std::to_string(offset) + "-"});
  SinkOf adapter(sink, offset);
  PISHIP_TRY(const HttpResponse response, client_.Get(request, adapter));
  if (IsMissing(response.head.status)) {
    return Fail(ErrorCode::kMetadataMissing, "the repository does not have " + Printable(request.url));
  }
  if (!IsSuccess(response.head.status)) return Fail(StatusError(request.url, response.head.status));
  return {};
}

}  // namespace piship::tuf
