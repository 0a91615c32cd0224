// SPDX-License-Identifier: MIT
// The beginning of trust by the id of a key. A root.json is public, so that an archive carries the right one says
// nothing about the archive: what the key has signed leads to the channel's metadata, and that names the archive.
#include <fcntl.h>

#include <algorithm>

#include "base/files.h"
#include "commands/install_release.h"
#include "commands/report.h"
#include "format/archive_file.h"
#include "home/homes.h"
#include "model/distribution_lock.h"
#include "source/channel.h"
#include "source/download.h"
#include "source/release_source.h"

namespace piship {
namespace {

constexpr std::size_t kMaxRoot = std::size_t{1024} * 1024;
constexpr std::string_view kPrefix = "sha256:";

Result<std::vector<Digest>> KeyIds(const InstallOptions& options) {
  std::vector<Digest> ids;
  for (std::string_view text : options.expect_keys) {
    if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
    auto id = Digest::Parse(text);
    if (!id) {
      id.error().code = ErrorCode::kUsage;
      return Fail(std::move(id).error().While("reading --expect-key"));
    }
    ids.push_back(*id);
  }
  return ids;
}

Status CheckKeys(const std::vector<Digest>& ids, std::string_view root, std::string_view name) {
  for (const Digest& id : ids) PISHIP_CHECK(tuf::CheckSignedBy(root, id, name));
  return {};
}

// What an archive says of itself, nothing of it proven.
struct Claims {
  DistributionLock lock;
  std::string root;
  Digest digest;
};

Result<Claims> ClaimsOf(const InstallOptions& options) {
  PISHIP_TRY(const SourceKind kind, KindOfSource(options.source));
  if (kind != SourceKind::kArchive) {
    return Fail(ErrorCode::kUsage, "--expect-key needs an archive in a file, or the URL of a repository");
  }
  PISHIP_TRY(const UniqueFd fd, OpenFile(options.source, O_RDONLY));
  PISHIP_TRY(const ArchiveFile archive, ArchiveFile::Open(fd.get(), options.source));
  PISHIP_TRY(const std::string text, archive.Read(kPayloadLock));
  Claims claims;
  PISHIP_TRY(claims.lock, DistributionLock::Parse(text, options.source + ": piship.lock"));
  if (!claims.lock.channel) {
    return Fail(ErrorCode::kTrustMissing, "'" + options.source + "' names no channel that could prove it",
                "get the archive's SHA-256 from its owner and give --sha256");
  }
  PISHIP_TRY(claims.root, archive.Read(kPayloadRoot));
  PISHIP_TRY(claims.digest, DigestOfFile(fd.get(), options.source));
  return claims;
}

}  // namespace

Result<std::optional<std::string>> RootFor(const InstallOptions& options, const std::string& url) {
  PISHIP_TRY(const std::vector<Digest> ids, KeyIds(options));
  std::optional<std::string> root;
  if (options.root) {
    PISHIP_TRY(root, ReadFile(*options.root, kMaxRoot));
    PISHIP_CHECK(CheckKeys(ids, *root, *options.root));
  } else if (!ids.empty()) {
    PISHIP_TRY(root, FetchRootSignedBy(ids, url));
  }
  return root;
}

Status InstallByKey(const InstallOptions& options, json::Value& out) {
  PISHIP_TRY(const std::vector<Digest> ids, KeyIds(options));
  PISHIP_TRY(const Homes homes, HomesFromEnvironment());
  PISHIP_TRY(const Claims claims, ClaimsOf(options));
  const ChannelPlace& place = *claims.lock.channel;
  PISHIP_CHECK(CheckKeys(ids, claims.root, options.source + ": " + std::string(kPayloadRoot)));
  PISHIP_TRY(Channel channel, Channel::Open(place, TrustDirectory(homes.install, claims.lock.id), claims.root));
  PISHIP_TRY(const std::vector<Offer> offers, channel.Offers(claims.lock.id));
  const auto offer =
      std::find_if(offers.begin(), offers.end(), [&](const Offer& each) { return each.archive == claims.digest; });
  if (offer == offers.end()) {
    return Fail(ErrorCode::kIntegrityFailed,
                "the channel '" + place.name + "' of " + place.url + " does not offer '" + options.source + "'",
                "it is not from that owner, or was withdrawn: piship install " + place.url + " --id " + claims.lock.id +
                    " installs what the channel offers");
  }
  return InstallRelease(
      options,
      Vouched{offer->id, offer->text, offer->archive, offer->inventory, offer->lock, offer->qualification, place}, out);
}

}  // namespace piship
