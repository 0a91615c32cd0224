// SPDX-License-Identifier: MIT
// The runtime's TUF client with the command line that the public TUF conformance suite drives:
//   piship-tuf-client --metadata-dir D init ROOT
//   piship-tuf-client --metadata-dir D --metadata-url U refresh
//   piship-tuf-client --metadata-dir D --metadata-url U --target-name T... --target-base-url B --target-dir O download
// The exit status is 0 or 1. An artifact lies in O under its percent-encoded path.
#include <chrono>

#include "base/cli.h"
#include "base/files.h"
#include "net/url.h"
#include "tuf/client.h"
#include "tuf/http_fetcher.h"

namespace piship {
namespace {

struct Options {
  std::string metadata_directory;
  std::string metadata_url;
  std::vector<std::string> target_names;
  std::string target_base_url;
  std::string target_directory;
  std::vector<std::string> words;
};

constexpr std::size_t kMaxRoot = std::size_t{1024} * 1024;

std::int64_t Now() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

Status Update(const Options& options, bool download) {
  HttpOptions http;
  http.retries.count = 0;
  http.redirect_to = RedirectTo::kSameOrigin;
  HttpClient connections(http);
  tuf::HttpFetcher fetcher(connections, options.metadata_url, options.target_base_url);
  PISHIP_TRY(tuf::Client client, tuf::Client::Open(options.metadata_directory, fetcher, Now()));
  PISHIP_CHECK(client.Refresh());
  if (!download) return {};
  PISHIP_CHECK(MakeDirectories(options.target_directory));
  for (const std::string& name : options.target_names) {
    PISHIP_TRY(const tuf::FoundTarget target, client.Find(name));
    PISHIP_CHECK(client.Download(target, JoinPath(options.target_directory, PercentEncode(name))));
  }
  return {};
}

Status Run(const Options& options) {
  const std::string verb = options.words.empty() ? std::string() : options.words[0];
  if (verb == "init" && options.words.size() == 2) {
    PISHIP_TRY(const std::string root, ReadFile(options.words[1], kMaxRoot));
    return tuf::TrustedDirectory(options.metadata_directory).Begin(root);
  }
  if ((verb == "refresh" || verb == "download") && options.words.size() == 1)
    return Update(options, verb == "download");
  return Fail(ErrorCode::kUsage, "the command is 'init <root>', 'refresh' or 'download'");
}

}  // namespace
}  // namespace piship

int main(int argc, char** argv) {
  piship::Options o;
  piship::CommandLine line(
      "piship-tuf-client", "A TUF client for conformance tests.",
      "piship-tuf-client --metadata-dir trust --metadata-url http://127.0.0.1:8080/metadata refresh");
  using piship::Need;
  line.Option(o.metadata_directory, "--metadata-dir", "<directory>", "Trusted metadata.", Need::kRequired)
      .Option(o.metadata_url, "--metadata-url", "<url>", "The repository's metadata.", Need::kOptional)
      .Option(o.target_names, "--target-name", "<path>", "A target to download; may be repeated.")
      .Option(o.target_base_url, "--target-base-url", "<url>", "The repository's targets.", Need::kOptional)
      .Option(o.target_directory, "--target-dir", "<directory>", "Where downloaded targets lie.", Need::kOptional)
      .Rest(o.words, "<command>", "init <root>, refresh or download.");
  return piship::RunMain(argc, argv, line, [&] { return piship::Run(o); }) == 0 ? 0 : 1;
}
