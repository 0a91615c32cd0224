// SPDX-License-Identifier: MIT
#include "source/channel.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "format/seek_table.h"
#include "net/dns_resolver.h"
#include "net/proxy.h"
#include "net/url.h"

namespace piship {
namespace {

constexpr std::int64_t kEntryFormat = 1;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Both spellings are in use; the lower-case one goes first, as in curl.
std::string Variable(const char* name, const char* otherwise) {
  const std::string value = Variable(name);
  return value.empty() ? Variable(otherwise) : value;
}

// What the environment says of proxies and certificates; names by files and DNS, since a static program has nothing
// else. Somebody waits, so it tries again soon and gives up after a while.
Result<HttpOptions> HttpOptionsFromEnvironment() {
  HttpOptions options;
  options.redirect_to = RedirectTo::kSameOrigin;
  options.retries.first = std::chrono::milliseconds(500);
  options.retries.factor = 4;
  options.timeouts.idle = std::chrono::milliseconds(60'000);
  options.tls.environment_file = Variable("SSL_CERT_FILE");
  options.tls.environment_directory = Variable("SSL_CERT_DIR");
  if (const std::string proxy = Variable("http_proxy", "HTTP_PROXY"); !proxy.empty()) {
    PISHIP_TRY(options.proxies.for_http, ParseProxy(proxy));
  }
  if (const std::string proxy = Variable("https_proxy", "HTTPS_PROXY"); !proxy.empty()) {
    PISHIP_TRY(options.proxies.for_https, ParseProxy(proxy));
  }
  options.proxies.no_proxy = ParseNoProxy(Variable("no_proxy", "NO_PROXY"));
  return options;
}

// Without the slash at its end. What a URL would hide a host or a second address in is refused.
Result<std::string> RepositoryUrl(const std::string& text) {
  PISHIP_TRY(const Url url, Url::Parse(text));
  if (!url.user.empty() || !url.password.empty() || !url.query.empty() || text.find('#') != std::string::npos) {
    return Fail(ErrorCode::kUrlInvalid,
                "the URL of a repository is a host and a path, and '" + url.ToString() + "' is more");
  }
  std::string base = url.ToString();
  while (base.ends_with('/')) base.pop_back();
  return base;
}

std::string TextOf(const json::Value& object, std::string_view name) {
  const json::Value* value = object.Find(name);
  return value != nullptr && value->is(json::Kind::kString) ? value->string() : std::string();
}

// What an entry says of itself under `name`, where it is for this distribution and channel and of a form that this
// PiShip reads.
const json::Value* EntryFor(const std::string& path, const tuf::TargetFile& file, std::string_view name,
                            const std::string& id, const std::string& channel) {
  const json::Value* ours = file.custom.Find(name);
  const json::Value* format = ours != nullptr ? ours->Find("format") : nullptr;
  if (format == nullptr || !format->is(json::Kind::kInteger) || format->integer() != kEntryFormat) return nullptr;
  const bool fits = TextOf(*ours, "id") == id && TextOf(*ours, "channel") == channel && path.starts_with(channel + "/");
  return fits ? ours : nullptr;
}

bool DigestOf(const tuf::TargetFile& file, Digest& out) {
  const auto sha256 = file.hashes.known.find(HashAlgorithm::kSha256);
  return sha256 != file.hashes.known.end() && Digest::Decode(sha256->second, out);
}

// Absent where the entry does not say; what it says is bounded by the archive's size.
std::optional<SignedIndex> IndexOf(const json::Value& entry, std::uint64_t archive_bytes) {
  SignedIndex index;
  const json::Value* frames = entry.Find("frames");
  if (frames == nullptr || !frames->is(json::Kind::kInteger) || frames->integer() < 1 ||
      !Digest::Decode(TextOf(entry, "frame_index"), index.digest)) {
    return std::nullopt;
  }
  index.frames = static_cast<std::size_t>(frames->integer());
  if (index.frames > kMaxFrames || FrameIndexSize(index.frames) >= archive_bytes) return std::nullopt;
  return index;
}

// Absent where the entry is no release for this distribution in this channel, or of a form that only a newer PiShip
// reads.
std::optional<Offer> OfferFrom(const std::string& path, const tuf::TargetFile& file, const std::string& id,
                               const std::string& channel) {
  const json::Value* ours = EntryFor(path, file, "piship", id, channel);
  if (ours == nullptr) return std::nullopt;
  Offer offer;
  offer.id = id;
  offer.text = TextOf(*ours, "version");
  const auto version = Version::Parse(offer.text);
  const auto platform = Platform::Parse(TextOf(*ours, "platform"));
  const auto qualification = ParseQualification(TextOf(*ours, "qualification"));
  if (!version || !platform || !qualification || !DigestOf(file, offer.archive) ||
      !Digest::Decode(TextOf(*ours, "inventory"), offer.inventory) ||
      !Digest::Decode(TextOf(*ours, "lock"), offer.lock)) {
    return std::nullopt;
  }
  offer.version = *version;
  offer.platform = *platform;
  offer.qualification = *qualification;
  offer.bytes = file.length;
  if (const json::Value* minimum = ours->Find("minimum_runtime"); minimum != nullptr) {
    if (!minimum->is(json::Kind::kInteger)) return std::nullopt;
    offer.minimum_runtime = minimum->integer();
  }
  offer.index = IndexOf(*ours, file.length);
  offer.target = {path, channel, file};
  return offer;
}

// Gives the delta to the release that it makes.
void AddDelta(const std::string& path, const tuf::TargetFile& file, const std::string& channel,
              std::vector<Offer>& offers) {
  for (Offer& offer : offers) {
    const json::Value* ours = EntryFor(path, file, "piship-delta", offer.id, channel);
    DeltaOffer delta;
    if (ours == nullptr || TextOf(*ours, "inventory") != offer.inventory.Hex() || !DigestOf(file, delta.digest) ||
        !Digest::Decode(TextOf(*ours, "base"), delta.base)) {
      continue;
    }
    delta.bytes = file.length;
    delta.target = {path, channel, file};
    offer.deltas.push_back(std::move(delta));
  }
}

// A repository behind its URL.
struct Connection {
  std::string url;
  std::unique_ptr<HttpClient> http;
  std::unique_ptr<tuf::HttpFetcher> fetcher;
};

Result<Connection> Connect(const std::string& text) {
  Connection connection;
  PISHIP_TRY(connection.url, RepositoryUrl(text));
  PISHIP_TRY(HttpOptions options, HttpOptionsFromEnvironment());
  connection.http = std::make_unique<HttpClient>(std::move(options), DnsResolver());
  connection.fetcher =
      std::make_unique<tuf::HttpFetcher>(*connection.http, connection.url + "/metadata", connection.url + "/targets");
  return connection;
}

bool IsSignedByAll(const std::string& root, const std::vector<Digest>& key_ids, const std::string& name) {
  return std::all_of(key_ids.begin(), key_ids.end(),
                     [&](const Digest& key_id) { return tuf::CheckSignedBy(root, key_id, name).has_value(); });
}

}  // namespace

Result<std::string> FetchRootSignedBy(const std::vector<Digest>& key_ids, const std::string& url) {
  PISHIP_TRY(const Connection connection, Connect(url));
  const tuf::ClientLimits limits;
  std::optional<std::string> found;
  for (int version = 1; version <= limits.new_roots; ++version) {
    const std::string name = std::to_string(version) + ".root.json";
    PISHIP_TRY(std::optional<std::string> root, connection.fetcher->FetchMetadata(name, limits.root_bytes));
    if (!root) break;
    if (IsSignedByAll(*root, key_ids, name)) found = std::move(root);
  }
  if (found) return *std::move(found);
  return Fail(ErrorCode::kSignatureInvalid, "no root of " + connection.url + " is signed by the key that is expected",
              "ask the owner for the id of a key that has signed the root, and for the URL");
}

Status BeginTrust(const std::string& trust_directory, std::string_view root) {
  return tuf::TrustedDirectory(trust_directory).Begin(root);
}

Result<Channel> Channel::Open(const ChannelPlace& place, const std::string& trust_directory,
                              const std::optional<std::string>& root) {
  using namespace std::chrono;
  PISHIP_TRY(Connection connection, Connect(place.url));
  if (root) PISHIP_CHECK(BeginTrust(trust_directory, *root));
  const std::int64_t now = duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
  PISHIP_TRY(tuf::Client client, tuf::Client::Open(trust_directory, *connection.fetcher, now));
  return Channel({std::move(connection.url), place.name}, std::move(connection.http), std::move(connection.fetcher),
                 std::move(client));
}

Result<std::vector<Offer>> Channel::Offers(const std::string& id) {
  PISHIP_TRY(const auto metadata, client_.DelegatedTargets(place_.name));
  std::vector<Offer> offers;
  for (const auto& [path, file] : metadata.body.targets) {
    if (auto offer = OfferFrom(path, file, id, place_.name)) offers.push_back(*std::move(offer));
  }
  for (const auto& [path, file] : metadata.body.targets) AddDelta(path, file, place_.name, offers);
  std::stable_sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) { return a.version > b.version; });
  return offers;
}

Status Channel::Fetch(const tuf::FoundTarget& target, const tuf::ByteRange& range, tuf::ArtifactSink& sink) {
  return client_.Fetch(target, range, sink);
}

}  // namespace piship
