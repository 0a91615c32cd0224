// SPDX-License-Identifier: MIT
// A TUF repository in memory that a test may also make wrong: every role's keys, signers, versions, expiry and text can
// be changed before Publish signs it, and every published file afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuf/fetcher.h"
#include "tuf/metadata.h"
#include "tuf/signing_key.h"

namespace piship {

class TufRepository : public tuf::Fetcher {
 public:
  struct Role {
    std::vector<tuf::SigningKey> keys;                    // that its delegator names
    std::optional<std::vector<tuf::SigningKey>> signers;  // in place of `keys`
    std::int64_t threshold = 1;
    std::int64_t version = 0;
    std::string expires = "2040-01-01T00:00:00Z";
    // Changes the body's JSON (sorted, indented) before its canonical form is signed.
    std::function<std::string(std::string)> edit;
  };
  struct Target {
    std::string content;
    std::string hashes;  // JSON in place of the right ones
  };
  struct Delegation {
    std::string name;
    std::vector<std::string> paths = {"*"};
    std::vector<std::string> prefixes = {};
    bool terminating = false;
    std::optional<std::vector<tuf::SigningKey>> keys = {};  // in place of the role's
  };

  // One Ed25519 key a role, all four roles published as version 1.
  TufRepository();

  Role& role(const std::string& name) { return roles[name]; }
  // Raises the versions and signs, in this order; snapshot lists every targets role as it is then, timestamp the
  // snapshot.
  void Publish(const std::vector<std::string>& names);
  // The same with the versions as they are.
  void PublishAgain(const std::vector<std::string>& names);
  void AddDelegation(const std::string& delegator, Delegation delegation);
  void AddSuccinct(const std::string& delegator, int bits, const std::string& prefix);
  void AddTarget(const std::string& role, const std::string& path, std::string content);
  // Takes every key from a role and gives it `count` new ones.
  void RotateKeys(const std::string& role, int count = 1);

  Result<std::optional<std::string>> FetchMetadata(const std::string& name, std::uint64_t limit) override;
  Status FetchArtifact(const std::string& path, const tuf::ByteRange& range, std::uint64_t limit,
                       tuf::ArtifactSink& sink) override;

  // "1.root.json", "timestamp.json", ...
  std::string NameOf(const std::string& role, std::int64_t version) const;
  // The published file of the role's present version.
  std::string& FileOf(const std::string& role);

  std::map<std::string, Role> roles;
  std::map<std::string, std::map<std::string, Target>> targets;  // by role and path
  std::map<std::string, std::vector<Delegation>> delegations;
  std::map<std::string, std::pair<int, std::string>> succinct;
  bool consistent_snapshot = true;
  bool list_digests = false;                     // in snapshot and timestamp
  std::map<std::string, tuf::MetaFile> listed;   // in the snapshot, by role
  std::map<std::string, std::string> metadata;   // what is served, by name
  std::map<std::string, std::string> artifacts;  // by path, without a digest before the name
  std::vector<std::string> requests;             // names and paths, in order

 private:
  json::Value Signed(const std::string& name) const;
  json::Value MetaFileValue(const std::string& file, std::int64_t version) const;
  void Sign(const std::string& name);
};

// A text with the first `from` replaced; the test ends where there is none.
std::string Replaced(std::string text, std::string_view from, std::string_view to);

}  // namespace piship
