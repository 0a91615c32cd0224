// SPDX-License-Identifier: MIT
// The client of a TUF repository: specification 1.0, section 5, whose numbers stand in client.cc.
//
// It begins with a root that this machine trusts and ends with artifacts that the repository's owner signed. What a
// network can do is refuse: older, frozen, mixed, endless or foreign files never become trusted. One fixed reading of
// the clock counts for a whole run. Nothing that failed a check is stored; what passed is stored at once, in the order
// of the specification, so an interrupted run leaves a state that the next one goes on from.
//
// Stricter than the specification asks: metadata of a delegated role that is stored is verified again with the keys of
// the role through which it is reached; a snapshot or targets file whose version is known with other bytes is refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tuf/fetcher.h"
#include "tuf/metadata.h"
#include "tuf/trusted_directory.h"

namespace piship::tuf {

// Bytes of files whose length no metadata tells, and how far a walk goes.
struct ClientLimits {
  std::uint64_t root_bytes = std::uint64_t{512} << 10;
  std::uint64_t timestamp_bytes = std::uint64_t{16} << 10;
  std::uint64_t snapshot_bytes = std::uint64_t{2} << 20;
  std::uint64_t targets_bytes = std::uint64_t{5} << 20;
  int new_roots = 1024;
  int visited_roles = 32;
};

struct FoundTarget {
  std::string path;
  std::string role;  // that says so
  TargetFile file;
};

class Client {
 public:
  // `now` in seconds since 1970; `fetcher` must outlive the client. kTrustMissing where the directory `path` holds no
  // root.
  static Result<Client> Open(std::string path, Fetcher& fetcher, std::int64_t now, ClientLimits limits = {});

  // 5.3 to 5.6.6: root, timestamp, snapshot and targets are up to date. Errors: kSignatureInvalid, kMetadataInvalid,
  // kExpired, kRollback, kMetadataMismatch, kMetadataMissing, kLimitExceeded and those of the fetcher. Once it
  // has succeeded it does nothing.
  Status Refresh();
  // 5.6.7: who says what about the target; refreshes first. kTargetUnknown where no role that may has it.
  Result<FoundTarget> Find(std::string_view path);
  // The metadata of a role to which the top-level targets delegate; refreshes first. kTargetUnknown where there is
  // none.
  Result<Metadata<Targets>> DelegatedTargets(std::string_view name);
  // 5.7: puts the target at `file`, by rename and only when length and hashes are right; a file that is there with the
  // right bytes is left alone. kIntegrityFailed, kLimitExceeded.
  Status Download(const FoundTarget& target, const std::string& file);
  // The bytes alone: the caller checks what it has in the end.
  Status Fetch(const FoundTarget& target, const ByteRange& range, ArtifactSink& sink);

  const Metadata<Root>& root() const { return root_; }
  // The timestamp on the server had the version of the trusted one and other bytes: its owner or a mirror cheats.
  bool timestamp_differs() const { return timestamp_differs_; }

 private:
  Client(TrustedDirectory directory, Fetcher& fetcher, std::int64_t now, ClientLimits limits, Metadata<Root> root)
      : directory_(std::move(directory)), fetcher_(&fetcher), now_(now), limits_(limits), root_(std::move(root)) {}

  Status UpdateRoot();
  Status AdvanceRoot(const std::string& bytes, const std::string& name);
  Status UpdateTimestamp();
  Status UpdateSnapshot();
  Result<Metadata<Targets>> LoadTargets(std::string_view role, const KeySet& keys, const RoleKeys& role_keys);
  template <class Body>
  Result<Metadata<Body>> Verified(Result<Metadata<Body>> parsed, const KeySet& keys, const RoleKeys& role_keys,
                                  const std::string& name) const;
  template <class Body>
  Status CheckFresh(const Metadata<Body>& metadata, std::string_view role) const;
  const RoleKeys& TopLevelKeys(std::string_view role) const { return root_.body.roles.find(role)->second; }
  std::string NameOf(std::string_view role, std::int64_t version) const;
  Result<std::string> Fetch(const std::string& name, const MetaFile& listed, std::uint64_t limit);

  TrustedDirectory directory_;
  Fetcher* fetcher_;
  std::int64_t now_;
  ClientLimits limits_;
  bool refreshed_ = false;
  bool timestamp_differs_ = false;
  Metadata<Root> root_;
  Metadata<Timestamp> timestamp_;
  Metadata<Snapshot> snapshot_;
  Metadata<Targets> targets_;
};

}  // namespace piship::tuf
