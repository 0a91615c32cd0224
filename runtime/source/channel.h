// SPDX-License-Identifier: MIT
// A channel of a repository as a source of releases: what it offers, as its owner signed it, and the bytes.
// docs/formats/channel.md has the format, docs/security.md what is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "model/platform.h"
#include "model/receipt.h"
#include "model/semver.h"
#include "net/http_client.h"
#include "tuf/client.h"
#include "tuf/http_fetcher.h"

namespace piship {

// A file that makes the release of another one that is installed.
struct DeltaOffer {
  Digest base;  // the inventory of that one
  Digest digest;
  std::uint64_t bytes = 0;
  tuf::FoundTarget target;
};

// The frame index at the end of an archive (docs/formats/archive.md), so that single frames can be asked for.
struct SignedIndex {
  Digest digest;
  std::size_t frames = 0;
};

// A release of a channel for one platform; every member is signed.
struct Offer {
  std::string id;
  std::string text;  // the version as it is written
  Version version;
  Platform platform;
  Digest archive;
  std::uint64_t bytes = 0;  // of the archive
  Digest inventory;
  Digest lock;
  Qualification qualification = Qualification::kUnqualified;
  std::int64_t minimum_runtime = 1;  // the runtime format that can install it
  std::optional<SignedIndex> index;
  tuf::FoundTarget target;
  std::vector<DeltaOffer> deltas;
};

// Begins trust in `trust_directory` with a root that the caller has proven, or leaves the one of the same line that is
// there and not older. kMetadataInvalid, kSignatureInvalid.
Status BeginTrust(const std::string& trust_directory, std::string_view root);

// The newest root of the repository that is signed by all these keys, by their ids (tuf::KeyIdOf). kSignatureInvalid
// where there is none; kUrlInvalid and the errors of the network.
Result<std::string> FetchRootSignedBy(const std::vector<Digest>& key_ids, const std::string& url);

class Channel {
 public:
  // Trust begins with `root`, the text of a root.json, or goes on from what `trust_directory` holds. kUrlInvalid,
  // kTrustMissing, and what is wrong with the root.
  static Result<Channel> Open(const ChannelPlace& place, const std::string& trust_directory,
                              const std::optional<std::string>& root);

  // The releases of the distribution, newest first, none twice. An entry that is signed for another distribution,
  // channel or platform than its place says is none. Refreshes the metadata; errors as tuf::Client::Refresh and of the
  // network, and kTargetUnknown where there is no such channel.
  Result<std::vector<Offer>> Offers(const std::string& id);
  // Bytes of an archive or a delta. Unchecked: whoever reads them compares the digest.
  Status Fetch(const tuf::FoundTarget& target, const tuf::ByteRange& range, tuf::ArtifactSink& sink);

 private:
  Channel(ChannelPlace place, std::unique_ptr<HttpClient> http, std::unique_ptr<tuf::HttpFetcher> fetcher,
          tuf::Client client)
      : place_(std::move(place)), http_(std::move(http)), fetcher_(std::move(fetcher)), client_(std::move(client)) {}

  ChannelPlace place_;
  std::unique_ptr<HttpClient> http_;
  std::unique_ptr<tuf::HttpFetcher> fetcher_;
  tuf::Client client_;
};

}  // namespace piship
