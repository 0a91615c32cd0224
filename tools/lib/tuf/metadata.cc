// SPDX-License-Identifier: MIT
#include "tuf/metadata.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <limits>
#include <set>

#include "base/problems.h"
#include "net/url.h"
#include "tuf/canonical_json.h"

namespace piship::tuf {
namespace {

constexpr json::Limits kLimits = {.depth = 32, .values = 500'000};
// Enough to see what is wrong; a hostile file must not make a list as long as itself.
constexpr std::size_t kMaxProblems = 20;
// The name becomes a file's, percent-encoded; a file name has at most 255 bytes.
constexpr std::size_t kMaxRoleName = 240;

std::optional<Hashes> ReadHashes(const json::Value& value, Problems& problems) {
  Hashes hashes;
  for (const json::Member& member : value.object()) {
    if (!member.value.is(json::Kind::kString)) {
      problems.Add(member.position, "a hash is not a string");
      return std::nullopt;
    }
    const std::string& hex = member.value.string();
    const bool is_256 = member.name == "sha256";
    if (!is_256 && member.name != "sha512") continue;
    const std::size_t size = is_256 ? 64 : 128;
    const bool digits =
        std::all_of(hex.begin(), hex.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    if (hex.size() != size || !digits) {
      problems.Add(member.position, "the " + member.name + " is not " + std::to_string(size) + " hexadecimal digits");
      return std::nullopt;
    }
    hashes.known.emplace(is_256 ? HashAlgorithm::kSha256 : HashAlgorithm::kSha512, hex);
  }
  return hashes;
}

// Reads the members of one kind; what is wrong goes to `problems`.
class Reader {
 public:
  explicit Reader(Problems& problems) : problems_(problems) {}

  bool TooMany() const { return problems_.lines().size() >= kMaxProblems; }

  std::int64_t Positive(ObjectReader& reader, std::string_view name) {
    const auto number = reader.Integer(name);
    if (number && *number < 1) problems_.Add(reader.PositionOf(name), "\"" + std::string(name) + "\" is not positive");
    return number.value_or(1);
  }

  std::vector<std::string> Strings(const json::Value* list, std::string_view what) {
    std::vector<std::string> strings;
    if (list == nullptr) return strings;
    for (const json::Value& item : list->array()) {
      if (TooMany()) break;
      if (item.is(json::Kind::kString)) {
        strings.push_back(item.string());
      } else {
        problems_.Add(item.position(), std::string(what) + " is not a string");
      }
    }
    return strings;
  }

  RoleKeys ReadRoleKeys(ObjectReader& reader) {
    RoleKeys role;
    role.key_ids = Strings(reader.Array("keyids"), "a key id");
    role.threshold = Positive(reader, "threshold");
    std::set<std::string_view> seen;
    for (const std::string& id : role.key_ids) {
      if (!seen.insert(id).second) {
        problems_.Add(reader.PositionOf("keyids"), "the key id \"" + id + "\" is named twice");
        break;
      }
    }
    return role;
  }

  KeySet ReadKeys(const json::Value* object) {
    KeySet keys;
    if (object == nullptr) return keys;
    for (const json::Member& member : object->object()) {
      if (TooMany()) break;
      ObjectReader reader(member.value, "the key", problems_, UnknownKeys::kIgnore);
      const auto keytype = reader.String("keytype");
      const auto scheme = reader.String("scheme");
      const json::Value* keyval = reader.Object("keyval");
      if (!keytype || !scheme || keyval == nullptr) continue;
      const json::Value* material = keyval->Find("public");
      const bool text = material != nullptr && material->is(json::Kind::kString);
      keys.emplace(member.name, text ? Key::From(*keytype, *scheme, material->string()) : std::nullopt);
    }
    return keys;
  }

  MetaFile ReadMetaFile(const json::Value& value) {
    MetaFile file;
    ObjectReader reader(value, "the file", problems_, UnknownKeys::kIgnore);
    file.version = Positive(reader, "version");
    if (const json::Value* length = value.Find("length")) file.length = Length(*length);
    if (const json::Value* hashes = reader.OptionalObject("hashes")) file.hashes = ReadHashes(*hashes, problems_);
    return file;
  }

  std::uint64_t Length(const json::Value& value) {
    if (value.is(json::Kind::kInteger) && value.integer() >= 0) return static_cast<std::uint64_t>(value.integer());
    problems_.Add(value.position(), "the length is not a number of bytes");
    return 0;
  }

  bool RoleName(const std::string& name, json::Position position) {
    if (!name.empty() && PercentEncode(name).size() <= kMaxRoleName && !IsTopLevel(name)) return true;
    problems_.Add(position, "\"" + name.substr(0, kMaxRoleName) + "\" can't be the name of a delegated role");
    return false;
  }

  void Read(ObjectReader& reader, Root& root) {
    root.consistent_snapshot = reader.OptionalBoolean("consistent_snapshot").value_or(false);
    root.keys = ReadKeys(reader.Object("keys"));
    const json::Value* roles = reader.Object("roles");
    if (roles == nullptr) return;
    ObjectReader names(*roles, "\"roles\"", problems_, UnknownKeys::kIgnore);
    for (const std::string_view name : {kRoot, kTimestamp, kSnapshot, kTargets}) {
      const json::Value* role = names.Object(name);
      if (role == nullptr) continue;
      ObjectReader role_reader(*role, "the role", problems_, UnknownKeys::kIgnore);
      root.roles.emplace(name, ReadRoleKeys(role_reader));
    }
  }

  void Read(ObjectReader& reader, Timestamp& timestamp) {
    const json::Value* meta = reader.Object("meta");
    if (meta == nullptr) return;
    ObjectReader files(*meta, "\"meta\"", problems_, UnknownKeys::kIgnore);
    if (const json::Value* file = files.Object("snapshot.json")) timestamp.snapshot = ReadMetaFile(*file);
  }

  void Read(ObjectReader& reader, Snapshot& snapshot) {
    const json::Value* meta = reader.Object("meta");
    if (meta == nullptr) return;
    constexpr std::string_view kEnding = ".json";
    for (const json::Member& member : meta->object()) {
      if (TooMany()) return;
      std::string_view name = member.name;
      if (!name.ends_with(kEnding)) continue;
      name.remove_suffix(kEnding.size());
      snapshot.roles.emplace(name, ReadMetaFile(member.value));
    }
    if (!snapshot.roles.contains(kTargets)) problems_.Add(meta->position(), "\"targets.json\" is not listed");
  }

  void Read(ObjectReader& reader, Targets& targets) {
    if (const json::Value* files = reader.Object("targets")) {
      for (const json::Member& member : files->object()) {
        if (TooMany()) return;
        targets.targets.emplace(member.name, ReadTarget(member.value));
      }
    }
    if (const json::Value* delegations = reader.OptionalObject("delegations")) ReadDelegations(*delegations, targets);
  }

 private:
  TargetFile ReadTarget(const json::Value& value) {
    TargetFile file;
    ObjectReader reader(value, "the target", problems_, UnknownKeys::kIgnore);
    if (const json::Value* length = reader.Any("length")) {
      file.length = Length(*length);
    } else {
      problems_.Add(value.position(), "the target lacks a length");
    }
    if (const json::Value* hashes = reader.Object("hashes")) {
      file.hashes = ReadHashes(*hashes, problems_).value_or(Hashes{});
    }
    if (const json::Value* custom = reader.OptionalObject("custom")) file.custom = *custom;
    return file;
  }

  void ReadDelegations(const json::Value& value, Targets& targets) {
    ObjectReader reader(value, "\"delegations\"", problems_, UnknownKeys::kIgnore);
    targets.delegation_keys = ReadKeys(reader.Object("keys"));
    const json::Value* roles = reader.OptionalArray("roles");
    const json::Value* succinct = reader.OptionalObject("succinct_roles");
    if ((roles == nullptr) == (succinct == nullptr)) {
      problems_.Add(value.position(), "a delegation has either \"roles\" or \"succinct_roles\"");
      return;
    }
    if (succinct != nullptr) {
      targets.succinct = ReadSuccinct(*succinct);
      return;
    }
    std::set<std::string> seen;
    for (const json::Value& item : roles->array()) {
      if (TooMany()) return;
      DelegatedRole role = ReadDelegatedRole(item);
      if (!seen.insert(role.name).second) problems_.Add(item.position(), "the role is delegated twice");
      targets.delegations.push_back(std::move(role));
    }
  }

  DelegatedRole ReadDelegatedRole(const json::Value& value) {
    DelegatedRole role;
    ObjectReader reader(value, "the role", problems_, UnknownKeys::kIgnore);
    role.name = reader.String("name").value_or("");
    RoleName(role.name, value.position());
    role.keys = ReadRoleKeys(reader);
    role.terminating = reader.OptionalBoolean("terminating").value_or(false);
    const json::Value* paths = reader.OptionalArray("paths");
    const json::Value* prefixes = reader.OptionalArray("path_hash_prefixes");
    if ((paths == nullptr) == (prefixes == nullptr)) {
      problems_.Add(value.position(), "a delegated role has either \"paths\" or \"path_hash_prefixes\"");
    }
    role.paths = Strings(paths, "a path");
    role.path_hash_prefixes = Strings(prefixes, "a prefix");
    return role;
  }

  SuccinctRoles ReadSuccinct(const json::Value& value) {
    SuccinctRoles roles;
    ObjectReader reader(value, "\"succinct_roles\"", problems_, UnknownKeys::kIgnore);
    roles.keys = ReadRoleKeys(reader);
    const auto bits = reader.Integer("bit_length");
    if (bits && (*bits < 1 || *bits > 32)) {
      problems_.Add(reader.PositionOf("bit_length"), "\"bit_length\" is not between 1 and 32");
    }
    roles.bit_length = static_cast<int>(std::clamp<std::int64_t>(bits.value_or(1), 1, 32));
    roles.name_prefix = reader.String("name_prefix").value_or("");
    RoleName(roles.name_prefix, value.position());
    return roles;
  }

  Problems& problems_;
};

std::vector<Signature> ReadSignatures(const json::Value* list, Problems& problems) {
  std::vector<Signature> signatures;
  if (list == nullptr) return signatures;
  std::set<std::string> seen;
  for (const json::Value& item : list->array()) {
    if (problems.lines().size() >= kMaxProblems) break;
    ObjectReader reader(item, "the signature", problems, UnknownKeys::kIgnore);
    auto id = reader.String("keyid");
    const auto hex = reader.String("sig");
    if (!id || !hex) continue;
    // Section 4.2: a key id stands at most once in the list.
    if (!seen.insert(*id).second) problems.Add(item.position(), "the key \"" + *id + "\" signs twice");
    signatures.push_back({*std::move(id), BytesOfHex(*hex).value_or("")});
  }
  return signatures;
}

// "1.x" or "1.x.y": what section 4.3 calls compatible with this client.
bool IsSupportedSpecification(std::string_view version) {
  const bool form =
      std::all_of(version.begin(), version.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return form && version.starts_with("1.") && version.size() > 2;
}

template <class Body>
Result<Metadata<Body>> ParseAs(std::string_view text, std::string_view name, std::string_view type) {
  PISHIP_TRY(const json::Value document, json::Parse(text, name, kLimits));
  Problems problems{std::string(name)};
  Metadata<Body> metadata;
  ObjectReader envelope(document, "the metadata", problems, UnknownKeys::kIgnore);
  const json::Value* body = envelope.Object("signed");
  metadata.signatures = ReadSignatures(envelope.Array("signatures"), problems);
  if (body != nullptr) {
    ObjectReader reader(*body, "\"signed\"", problems, UnknownKeys::kIgnore);
    const auto found = reader.String("_type");
    if (found && *found != type) {
      // One line: whoever serves one role's file in place of another's is the whole story.
      return Fail(ErrorCode::kMetadataInvalid,
                  std::string(name) + ": the type is \"" + *found + "\", not \"" + std::string(type) + "\"");
    }
    const auto specification = reader.String("spec_version");
    if (specification && !IsSupportedSpecification(*specification)) {
      problems.Add(reader.PositionOf("spec_version"),
                   "version \"" + *specification + "\" of the specification is not 1.x");
    }
    Reader parts(problems);
    metadata.version = parts.Positive(reader, "version");
    metadata.expires_text = reader.String("expires").value_or("");
    if (const auto time = ParseTime(metadata.expires_text)) {
      metadata.expires = *time;
    } else if (!metadata.expires_text.empty()) {
      problems.Add(reader.PositionOf("expires"), "\"expires\" is not a time like 2031-02-28T23:59:59Z");
    }
    parts.Read(reader, metadata.body);
  }
  if (body == nullptr || !problems.empty()) return Fail(problems.ToError(ErrorCode::kMetadataInvalid));
  PISHIP_TRY(metadata.signed_bytes, CanonicalForm(*body, name));
  return metadata;
}

}  // namespace

bool IsTopLevel(std::string_view role) {
  return role == kRoot || role == kTimestamp || role == kSnapshot || role == kTargets;
}

bool Hashes::Match(std::string_view bytes) const {
  for (const auto& [algorithm, hex] : known) {
    Hasher hasher(algorithm);
    hasher.Update(bytes);
    if (HexOf(hasher.Finish()) != hex) return false;
  }
  return !known.empty();
}

Result<Metadata<Root>> ParseRoot(std::string_view text, std::string_view name) {
  return ParseAs<Root>(text, name, kRoot);
}
Result<Metadata<Root>> ParseFirstRoot(std::string_view text, std::string_view name) {
  PISHIP_TRY(Metadata<Root> root, ParseRoot(text, name));
  PISHIP_CHECK(VerifySignatures(root.signed_bytes, root.signatures, root.body.keys,
                                root.body.roles.at(std::string(kRoot)), name));
  return root;
}

Status CheckSignedBy(std::string_view root_text, const Digest& key_id, std::string_view name) {
  PISHIP_TRY(const Metadata<Root> root, ParseFirstRoot(root_text, name));
  PISHIP_TRY(const json::Value document, json::Parse(root_text, name));
  const json::Value* body = document.Find("signed");
  const json::Value* keys = body != nullptr ? body->Find("keys") : nullptr;
  if (keys == nullptr) return Fail(ErrorCode::kMetadataInvalid, std::string(name) + ": lacks keys");
  for (const json::Member& member : keys->object()) {
    const auto id = KeyIdOf(member.value);
    const auto key = root.body.keys.find(member.name);
    if (!id || *id != key_id.Hex() || key == root.body.keys.end() || !key->second) continue;
    for (const Signature& signature : root.signatures) {
      if (signature.key_id == member.name && key->second->Verify(root.signed_bytes, signature.bytes)) return {};
    }
  }
  return Fail(ErrorCode::kSignatureInvalid, std::string(name) + " is not signed by the key " + key_id.Hex(),
              "ask the owner for the id of a key that has signed the root");
}

Result<Metadata<Timestamp>> ParseTimestamp(std::string_view text, std::string_view name) {
  return ParseAs<Timestamp>(text, name, kTimestamp);
}
Result<Metadata<Snapshot>> ParseSnapshot(std::string_view text, std::string_view name) {
  return ParseAs<Snapshot>(text, name, kSnapshot);
}
Result<Metadata<Targets>> ParseTargets(std::string_view text, std::string_view name) {
  return ParseAs<Targets>(text, name, kTargets);
}

std::size_t CountSignatures(std::string_view signed_bytes, const std::vector<Signature>& signatures, const KeySet& keys,
                            const RoleKeys& role) {
  std::set<std::string_view> signers;
  for (const std::string& id : role.key_ids) {
    const auto key = keys.find(id);
    if (key == keys.end() || !key->second) continue;
    const auto signature =
        std::find_if(signatures.begin(), signatures.end(), [&](const Signature& s) { return s.key_id == id; });
    if (signature == signatures.end() || signers.contains(key->second->identity())) continue;
    if (key->second->Verify(signed_bytes, signature->bytes)) signers.insert(key->second->identity());
  }
  return signers.size();
}

Status VerifySignatures(std::string_view signed_bytes, const std::vector<Signature>& signatures, const KeySet& keys,
                        const RoleKeys& role, std::string_view name) {
  const std::size_t count = CountSignatures(signed_bytes, signatures, keys, role);
  if (count >= static_cast<std::uint64_t>(role.threshold)) return {};
  return Fail(ErrorCode::kSignatureInvalid, std::string(name) + " is signed by " + std::to_string(count) +
                                                " of the keys that may sign it; " + std::to_string(role.threshold) +
                                                (role.threshold == 1 ? " is" : " are") + " needed");
}

std::optional<std::int64_t> ParseTime(std::string_view text) {
  // Digits stand at the zeros.
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() <= kForm.size() || text.back() != 'Z') return std::nullopt;
  std::array<int, 6> fields{};
  std::size_t field = 0;
  for (std::size_t index = 0; index < kForm.size(); ++index) {
    if (kForm[index] != '0') {
      if (text[index] != kForm[index]) return std::nullopt;
      ++field;
    } else {
      if (text[index] < '0' || text[index] > '9') return std::nullopt;
      fields[field] = fields[field] * 10 + (text[index] - '0');
    }
  }
  const std::string_view rest = text.substr(kForm.size(), text.size() - kForm.size() - 1);
  if (!rest.empty() && (rest.size() < 2 || rest.size() > 10 || rest[0] != '.' ||
                        !std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; }))) {
    return std::nullopt;
  }
  using std::chrono::sys_days;
  const std::chrono::year_month_day date{std::chrono::year(fields[0]),
                                         std::chrono::month(static_cast<unsigned>(fields[1])),
                                         std::chrono::day(static_cast<unsigned>(fields[2]))};
  if (!date.ok() || fields[3] > 23 || fields[4] > 59 || fields[5] > 59) return std::nullopt;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  return ((days * 24 + fields[3]) * 60 + fields[4]) * 60 + fields[5];
}

std::string FormatTime(std::int64_t seconds) {
  using namespace std::chrono;
  const sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

}  // namespace piship::tuf
