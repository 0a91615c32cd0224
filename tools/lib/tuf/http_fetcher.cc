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

// "12-", "12-99": as the headers Range and Content-Range have it (RFC 9110, section 14).
std::string PositionsOf(const ByteRange& range) {
  std::string text = std::to_string(range.offset) + "-";
  if (range.bytes) text += std::to_string(range.offset + *range.bytes - 1);
  return text;
}

class SinkOf : public BodySink {
 public:
  SinkOf(ArtifactSink& sink, const ByteRange& range) : sink_(sink), range_(range) {}
  // 200 is the whole, whatever was asked for; 206 must be the part that was.
  Status Begin(const ResponseHead& head) override {
    if (head.status != 206) {
      if (!range_.bytes) return sink_.Begin(0);
      return Fail(ErrorCode::kHttpFailed, "the server does not give parts of a file");
    }
    const std::string wanted = "bytes " + PositionsOf(range_) + (range_.bytes ? "/" : "");
    const std::string* given = head.Find("content-range");
    const bool asked = range_.bytes || range_.offset > 0;
    if (asked && given != nullptr && given->starts_with(wanted)) return sink_.Begin(range_.offset);
    return Fail(ErrorCode::kHttpFailed, "the server sends another part of the file than it was asked for");
  }
  Status Take(std::string_view bytes) override { return sink_.Take(bytes); }

 private:
  ArtifactSink& sink_;
  const ByteRange& range_;
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

Status HttpFetcher::FetchArtifact(const std::string& path, const ByteRange& range, std::uint64_t limit,
                                  ArtifactSink& sink) {
  HttpRequest request = RequestFor(artifact_url_ + path, limit);
  if (range.bytes || range.offset > 0) request.headers.push_back({"Range", "bytes=" + PositionsOf(range)});
  SinkOf adapter(sink, range);
  PISHIP_TRY(const HttpResponse response, client_.Get(request, adapter));
  if (IsMissing(response.head.status)) {
    return Fail(ErrorCode::kMetadataMissing, "the repository does not have " + Printable(request.url));
  }
  if (!IsSuccess(response.head.status)) return Fail(StatusError(request.url, response.head.status));
  return {};
}

}  // namespace piship::tuf
