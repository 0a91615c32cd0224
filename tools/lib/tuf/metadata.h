// SPDX-License-Identifier: MIT
// The metadata of The Update Framework, specification 1.0 (sections 4.2 to 4.6), as types. What is parsed here is not
// verified yet: parsing is bounded in bytes by the caller and in depth and values here, and nothing is believed before
// VerifySignatures and the workflow in client.h. Unknown members and keys of unknown types are ignored; they stay in
// the bytes that are verified and stored.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "base/result.h"
#include "tuf/key.h"

namespace piship::tuf {

// The four roles that a root names. A delegated role may not be called like one of them.
inline constexpr std::string_view kRoot = "root";
inline constexpr std::string_view kTimestamp = "timestamp";
inline constexpr std::string_view kSnapshot = "snapshot";
inline constexpr std::string_view kTargets = "targets";
bool IsTopLevel(std::string_view role);

// Digests by algorithm, in hexadecimal; those of unknown algorithms are left out.
struct Hashes {
  std::map<HashAlgorithm, std::string> known;
  bool Match(std::string_view bytes) const;
};

struct MetaFile {
  std::int64_t version = 0;
  std::optional<std::uint64_t> length;
  std::optional<Hashes> hashes;  // absent where the metadata has none
};

struct TargetFile {
  std::uint64_t length = 0;
  Hashes hashes;
  json::Value custom;  // null where there is none
};

struct RoleKeys {
  std::vector<std::string> key_ids;
  std::int64_t threshold = 1;
};

// By key id. A key that this client can't use is there without a value.
using KeySet = std::map<std::string, std::optional<Key>>;

struct Root {
  bool consistent_snapshot = false;
  KeySet keys;
  std::map<std::string, RoleKeys, std::less<>> roles;  // all four
};

struct Timestamp {
  MetaFile snapshot;
};

struct Snapshot {
  std::map<std::string, MetaFile, std::less<>> roles;  // by role, without ".json"
};

struct DelegatedRole {
  std::string name;
  RoleKeys keys;
  bool terminating = false;
  std::vector<std::string> paths;  // one of the two lists is empty
  std::vector<std::string> path_hash_prefixes;
};

// TAP 15: 2^bit_length roles, each for the paths whose SHA-256 begins with the bits of its number.
struct SuccinctRoles {
  RoleKeys keys;
  int bit_length = 1;
  std::string name_prefix;
};

struct Targets {
  std::map<std::string, TargetFile, std::less<>> targets;
  KeySet delegation_keys;
  std::vector<DelegatedRole> delegations;
  std::optional<SuccinctRoles> succinct;
};

struct Signature {
  std::string key_id;
  std::string bytes;  // empty where the text is not hexadecimal: it then verifies with no key
};

// What every kind has, around its body.
template <class Body>
struct Metadata {
  Body body;
  std::int64_t version = 0;
  std::int64_t expires = 0;  // seconds since 1970
  std::string expires_text;
  std::vector<Signature> signatures;
  std::string signed_bytes;  // the canonical form of "signed"
};

// `name` is the subject of errors, "timestamp.json". Errors: kJsonInvalid, kMetadataInvalid.
Result<Metadata<Root>> ParseRoot(std::string_view text, std::string_view name);
// A root that trust may begin with: signed by as many of its own keys as it asks for. Also kSignatureInvalid.
Result<Metadata<Root>> ParseFirstRoot(std::string_view text, std::string_view name);
// That root, where it is signed by the key with this id (KeyIdOf, key.h), too: whoever knows the id another way then
// knows whose root it is. What the root calls the key counts for nothing. kSignatureInvalid.
Status CheckSignedBy(std::string_view root_text, const Digest& key_id, std::string_view name);
Result<Metadata<Timestamp>> ParseTimestamp(std::string_view text, std::string_view name);
Result<Metadata<Snapshot>> ParseSnapshot(std::string_view text, std::string_view name);
Result<Metadata<Targets>> ParseTargets(std::string_view text, std::string_view name);

// kSignatureInvalid unless at least `role.threshold` different keys of the role have signed. Two ids of the same key
// count once, and signatures that are wrong or of other keys don't matter.
Status VerifySignatures(std::string_view signed_bytes, const std::vector<Signature>& signatures, const KeySet& keys,
                        const RoleKeys& role, std::string_view name);
// How many different keys of the role have signed.
std::size_t CountSignatures(std::string_view signed_bytes, const std::vector<Signature>& signatures, const KeySet& keys,
                            const RoleKeys& role);

// "2031-02-28T23:59:59Z", with or without decimals of the second; absent where it is no such time.
std::optional<std::int64_t> ParseTime(std::string_view text);
std::string FormatTime(std::int64_t seconds);

}  // namespace piship::tuf
