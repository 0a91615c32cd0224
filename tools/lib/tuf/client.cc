// SPDX-License-Identifier: MIT
// The numbers in comments are the specification's.
#include "tuf/client.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "net/url.h"
#include "tuf/delegation.h"

namespace piship::tuf {
namespace {

// What signed metadata may claim a metadata file to be long: even a stolen key must not fill the memory.
constexpr std::uint64_t kMaxListedLength = std::uint64_t{64} << 20;

// The keys of a role by what they are; a key that this client can't use goes by its id.
std::set<std::string> Identities(const Root& root, std::string_view role) {
  std::set<std::string> identities;
  for (const std::string& id : root.roles.find(role)->second.key_ids) {
    const auto key = root.keys.find(id);
    identities.insert(key != root.keys.end() && key->second ? key->second->identity() : id);
  }
  return identities;
}

// A key that could sign for the role no longer can. A key that is only added leaves what was signed as good as it was.
bool KeysRemoved(const Root& from, const Root& to, std::string_view role) {
  const std::set<std::string> before = Identities(from, role);
  const std::set<std::string> after = Identities(to, role);
  return !std::includes(after.begin(), after.end(), before.begin(), before.end());
}

Error Mismatch(const std::string& name, std::string_view what) {
  return Error{ErrorCode::kMetadataMismatch, name + " " + std::string(what),
               "the repository is being changed, or a mirror mixes files that were never published together"};
}

}  // namespace

Result<Client> Client::Open(std::string path, Fetcher& fetcher, std::int64_t now, ClientLimits limits) {
  TrustedDirectory directory(std::move(path));
  PISHIP_TRY(const std::optional<std::string> text, directory.Load(kRoot));
  if (!text) {
    return Fail(ErrorCode::kTrustMissing, "there is no trusted root to begin with",
                "give the owner's root.json, which must come another way than the repository");
  }
  // 5.2. Its expiry does not matter yet, its signatures do: a root that does not sign itself is damaged.
  PISHIP_TRY(Metadata<Root> root, ParseRoot(*text, "the trusted root.json"));
  PISHIP_CHECK(VerifySignatures(root.signed_bytes, root.signatures, root.body.keys, root.body.roles.find(kRoot)->second,
                                "the trusted root.json"));
  return Client(std::move(directory), fetcher, now, limits, std::move(root));
}

Status Client::Refresh() {
  if (refreshed_) return {};
  PISHIP_CHECK(UpdateRoot());
  PISHIP_CHECK(UpdateTimestamp());
  PISHIP_CHECK(UpdateSnapshot());
  PISHIP_TRY(targets_, LoadTargets(kTargets, root_.body.keys, TopLevelKeys(kTargets)));
  refreshed_ = true;
  return {};
}

template <class Body>
Result<Metadata<Body>> Client::Verified(Result<Metadata<Body>> parsed, const KeySet& keys, const RoleKeys& role_keys,
                                        const std::string& name) const {
  if (!parsed) return parsed;
  PISHIP_CHECK(VerifySignatures(parsed->signed_bytes, parsed->signatures, keys, role_keys, name));
  return parsed;
}

template <class Body>
Status Client::CheckFresh(const Metadata<Body>& metadata, std::string_view role) const {
  if (metadata.expires > now_) return {};
  return Fail(ErrorCode::kExpired,
              "the " + std::string(role) + " metadata, version " + std::to_string(metadata.version) + ", expired at " +
                  metadata.expires_text,
              "this machine's clock says " + FormatTime(now_) +
                  "; if that is right, its owner has not refreshed it or a mirror holds newer metadata back");
}

std::string Client::NameOf(std::string_view role, std::int64_t version) const {
  const std::string name = PercentEncode(role) + ".json";
  return root_.body.consistent_snapshot ? std::to_string(version) + "." + name : name;
}

Result<std::string> Client::Fetch(const std::string& name, const MetaFile& listed, std::uint64_t limit) {
  if (listed.length) limit = std::min(*listed.length, kMaxListedLength);
  PISHIP_TRY(std::optional<std::string> bytes, fetcher_->FetchMetadata(name, limit));
  if (!bytes) return Fail(ErrorCode::kMetadataMissing, "the repository does not have " + name);
  if (listed.length && bytes->size() != *listed.length)
    return Fail(Mismatch(name, "has not the length that is signed"));
  if (listed.hashes && !listed.hashes->Match(*bytes)) return Fail(Mismatch(name, "has not the digest that is signed"));
  return *std::move(bytes);
}

Status Client::UpdateRoot() {
  for (int step = 0; step < limits_.new_roots; ++step) {
    const std::string name = std::to_string(root_.version + 1) + ".root.json";
    PISHIP_TRY(const std::optional<std::string> bytes, fetcher_->FetchMetadata(name, limits_.root_bytes));
    if (!bytes) break;
    PISHIP_CHECK(AdvanceRoot(*bytes, name));
  }
  return CheckFresh(root_, kRoot);  // 5.3.10
}

Status Client::AdvanceRoot(const std::string& bytes, const std::string& name) {
  PISHIP_TRY(Metadata<Root> next, Verified(ParseRoot(bytes, name), root_.body.keys, TopLevelKeys(kRoot), name));
  PISHIP_CHECK(VerifySignatures(next.signed_bytes, next.signatures, next.body.keys, next.body.roles.find(kRoot)->second,
                                name));     // 5.3.4
  if (next.version != root_.version + 1) {  // 5.3.5
    return Fail(ErrorCode::kRollback, name + " is version " + std::to_string(next.version) + " of the root");
  }
  // 5.3.11, once for each root, so that a chain which removes a key and adds it again is seen. It comes before the root
  // is stored: an interruption between the two would otherwise keep the inflated versions for ever.
  if (KeysRemoved(root_.body, next.body, kTimestamp) || KeysRemoved(root_.body, next.body, kSnapshot)) {
    PISHIP_CHECK(directory_.Remove(kTimestamp));
    PISHIP_CHECK(directory_.Remove(kSnapshot));
  }
  PISHIP_CHECK(directory_.Save(kRoot, bytes, next.version));  // 5.3.8
  root_ = std::move(next);
  return {};
}

Status Client::UpdateTimestamp() {
  const RoleKeys& keys = TopLevelKeys(kTimestamp);
  const std::string name = "timestamp.json";
  // A stored file that does not verify counts as absent: its keys may have changed.
  std::optional<Metadata<Timestamp>> trusted;
  PISHIP_TRY(const std::optional<std::string> stored, directory_.Load(kTimestamp));
  if (stored) {
    if (auto known = Verified(ParseTimestamp(*stored, name), root_.body.keys, keys, name)) trusted = *std::move(known);
  }
  PISHIP_TRY(const std::string bytes, Fetch(name, MetaFile{}, limits_.timestamp_bytes));
  PISHIP_TRY(Metadata<Timestamp> next, Verified(ParseTimestamp(bytes, name), root_.body.keys, keys, name));
  if (trusted) {
    if (next.version < trusted->version) {  // 5.4.3.1
      return Fail(ErrorCode::kRollback, "version " + std::to_string(next.version) + " of " + name +
                                            " is older than the trusted version " + std::to_string(trusted->version));
    }
    if (next.version == trusted->version) {
      timestamp_differs_ = next.signed_bytes != trusted->signed_bytes;
      timestamp_ = *std::move(trusted);
      return CheckFresh(timestamp_, kTimestamp);
    }
    const std::int64_t before = trusted->body.snapshot.version;
    if (next.body.snapshot.version < before) {  // 5.4.3.2
      return Fail(ErrorCode::kRollback, name + " leads back from version " + std::to_string(before) +
                                            " of the snapshot to version " +
                                            std::to_string(next.body.snapshot.version));
    }
  }
  PISHIP_CHECK(CheckFresh(next, kTimestamp));                      // 5.4.4
  PISHIP_CHECK(directory_.Save(kTimestamp, bytes, next.version));  // 5.4.5
  timestamp_ = std::move(next);
  return {};
}

Status Client::UpdateSnapshot() {
  const MetaFile& listed = timestamp_.body.snapshot;
  const RoleKeys& keys = TopLevelKeys(kSnapshot);
  std::optional<Metadata<Snapshot>> trusted;
  PISHIP_TRY(const std::optional<std::string> stored, directory_.Load(kSnapshot));
  if (stored) {
    auto known = Verified(ParseSnapshot(*stored, "snapshot.json"), root_.body.keys, keys, "snapshot.json");
    if (known) trusted = *std::move(known);
  }
  if (trusted && trusted->version == listed.version) {
    if (listed.hashes && !listed.hashes->Match(*stored)) {
      return Fail(Mismatch("snapshot.json", "of this version is known with another digest"));
    }
    if (CheckFresh(*trusted, kSnapshot)) {
      snapshot_ = *std::move(trusted);
      return {};
    }
  }
  const std::string name = NameOf(kSnapshot, listed.version);
  PISHIP_TRY(const std::string bytes, Fetch(name, listed, limits_.snapshot_bytes));  // 5.5.1, 5.5.2
  PISHIP_TRY(Metadata<Snapshot> next, Verified(ParseSnapshot(bytes, name), root_.body.keys, keys, name));  // 5.5.3
  if (next.version != listed.version) {                                                                    // 5.5.4
    return Fail(
        Mismatch(name, "is version " + std::to_string(next.version) + ", not the one that the timestamp names"));
  }
  if (trusted) {  // 5.5.5
    for (const auto& [role, before] : trusted->body.roles) {
      const auto after = next.body.roles.find(role);
      if (after == next.body.roles.end()) {
        return Fail(ErrorCode::kRollback, name + " no longer lists the role " + Printable(role));
      }
      if (after->second.version < before.version) {
        return Fail(ErrorCode::kRollback, name + " leads back from version " + std::to_string(before.version) + " of " +
                                              Printable(role) + " to version " + std::to_string(after->second.version));
      }
    }
  }
  PISHIP_CHECK(CheckFresh(next, kSnapshot));                      // 5.5.6
  PISHIP_CHECK(directory_.Save(kSnapshot, bytes, next.version));  // 5.5.7
  snapshot_ = std::move(next);
  return {};
}

Result<Metadata<Targets>> Client::LoadTargets(std::string_view role, const KeySet& keys, const RoleKeys& role_keys) {
  const auto found = snapshot_.body.roles.find(role);
  const std::string subject = Printable(role) + ".json";
  if (found == snapshot_.body.roles.end()) return Fail(Mismatch(subject, "is not listed by the snapshot"));
  const MetaFile& listed = found->second;
  PISHIP_TRY(const std::optional<std::string> stored, directory_.Load(role));
  if (stored) {
    auto known = Verified(ParseTargets(*stored, subject), keys, role_keys, subject);
    if (known && known->version == listed.version) {
      if (listed.hashes && !listed.hashes->Match(*stored)) {
        return Fail(Mismatch(subject, "of this version is known with another digest"));
      }
      if (CheckFresh(*known, role)) return known;
    }
  }
  const std::string name = NameOf(role, listed.version);
  PISHIP_TRY(const std::string bytes, Fetch(name, listed, limits_.targets_bytes));                 // 5.6.1, 5.6.2
  PISHIP_TRY(Metadata<Targets> next, Verified(ParseTargets(bytes, name), keys, role_keys, name));  // 5.6.3
  if (next.version != listed.version) {                                                            // 5.6.4
    return Fail(Mismatch(name, "is version " + std::to_string(next.version) + ", not the one that the snapshot names"));
  }
  PISHIP_CHECK(CheckFresh(next, role));                      // 5.6.5
  PISHIP_CHECK(directory_.Save(role, bytes, next.version));  // 5.6.6
  return next;
}

Result<FoundTarget> Client::Find(std::string_view path) {
  PISHIP_CHECK(Refresh());
  struct Visit {
    DelegatedRole role;
    std::shared_ptr<const Metadata<Targets>> delegator;  // null for the top-level targets
  };
  std::vector<Visit> stack(1);
  stack[0].role.name = kTargets;
  std::set<std::string> visited;
  while (!stack.empty() && visited.size() < static_cast<std::size_t>(limits_.visited_roles)) {
    const Visit visit = std::move(stack.back());
    stack.pop_back();
    if (!visited.insert(visit.role.name).second) continue;
    auto metadata = std::make_shared<Metadata<Targets>>();
    if (visit.delegator == nullptr) {
      *metadata = targets_;
    } else {
      PISHIP_TRY(*metadata, LoadTargets(visit.role.name, visit.delegator->body.delegation_keys, visit.role.keys));
    }
    const auto entry = metadata->body.targets.find(path);
    if (entry != metadata->body.targets.end()) return FoundTarget{std::string(path), visit.role.name, entry->second};
    std::vector<Visit> next;
    if (metadata->body.succinct) next.push_back({BinFor(*metadata->body.succinct, path), metadata});
    for (const DelegatedRole& role : metadata->body.delegations) {
      if (!IsDelegated(role, path)) continue;
      next.push_back({role, metadata});
      if (role.terminating) {
        stack.clear();  // nobody else is asked, whether or not this role or one below it knows the target
        break;
      }
    }
    std::move(next.rbegin(), next.rend(), std::back_inserter(stack));
  }
  return Fail(ErrorCode::kTargetUnknown, "no role of the repository that may name '" + Printable(path) + "' does");
}

Result<Metadata<Targets>> Client::DelegatedTargets(std::string_view name) {
  PISHIP_CHECK(Refresh());
  for (const DelegatedRole& role : targets_.body.delegations) {
    if (role.name == name) return LoadTargets(name, targets_.body.delegation_keys, role.keys);
  }
  return Fail(ErrorCode::kTargetUnknown, "the repository has no role '" + Printable(name) + "'");
}

}  // namespace piship::tuf
