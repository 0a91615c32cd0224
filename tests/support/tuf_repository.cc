// SPDX-License-Identifier: MIT
#include "support/tuf_repository.h"

#include <cstdlib>

#include "net/url.h"
#include "tuf/canonical_json.h"
#include "tuf/key.h"

namespace piship {
namespace {

using json::Value;

// Failures here are bugs of the test.
template <class T>
T Must(Result<T> result) {
  if (!result) {
    std::fputs((FormatError("simulator", result.error()) + "\n").c_str(), stderr);
    std::abort();
  }
  return *std::move(result);
}

Value Strings(const std::vector<std::string>& texts) {
  Value list = Value::Array();
  for (const std::string& text : texts) list.Append(text);
  return list;
}

Value KeysOf(const std::vector<std::vector<tuf::SigningKey>>& lists) {
  std::map<std::string, Value> keys;
  for (const auto& list : lists) {
    for (const tuf::SigningKey& key : list) keys.emplace(key.public_key().id, key.public_key().object);
  }
  Value object = Value::Object();
  for (auto& [id, key] : keys) object.Set(id, key);
  return object;
}

Value KeyIds(const std::vector<tuf::SigningKey>& keys) {
  std::vector<std::string> ids;
  for (const tuf::SigningKey& key : keys) ids.push_back(key.public_key().id);
  return Strings(ids);
}

Value Sha256Value(std::string_view content) {
  Value hashes = Value::Object();
  hashes.Set("sha256", Digest::Of(content).Hex());
  return hashes;
}

Value KeysIntoRole(const std::vector<tuf::SigningKey>& keys, std::int64_t threshold) {
  Value value = Value::Object();
  value.Set("keyids", KeyIds(keys)).Set("threshold", threshold);
  return value;
}

}  // namespace

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) std::abort();
  return text.replace(at, from.size(), to);
}

TufRepository::TufRepository() {
  for (const std::string name : {"root", "targets", "snapshot", "timestamp"}) RotateKeys(name);
  Publish({"targets", "snapshot", "timestamp", "root"});
}

void TufRepository::RotateKeys(const std::string& name, int count) {
  roles[name].keys.clear();
  for (int key = 0; key < count; ++key) {
    roles[name].keys.push_back(Must(tuf::SigningKey::Generate(tuf::KeyKind::kEd25519)));
  }
}

void TufRepository::AddDelegation(const std::string& delegator, Delegation delegation) {
  if (roles[delegation.name].keys.empty()) RotateKeys(delegation.name);
  delegations[delegator].push_back(std::move(delegation));
}

void TufRepository::AddSuccinct(const std::string& delegator, int bits, const std::string& prefix) {
  succinct[delegator] = {bits, prefix};
  RotateKeys(prefix);  // the keys of all bins; no role of that name is published
}

void TufRepository::AddTarget(const std::string& name, const std::string& path, std::string content) {
  artifacts[path] = content;
  targets[name][path] = {std::move(content), {}};
}

std::string TufRepository::NameOf(const std::string& name, std::int64_t version) const {
  const std::string file = PercentEncode(name) + ".json";
  const bool versioned = name == "root" || (consistent_snapshot && name != "timestamp");
  return versioned ? std::to_string(version) + "." + file : file;
}

std::string& TufRepository::FileOf(const std::string& name) { return metadata[NameOf(name, roles[name].version)]; }

void TufRepository::Publish(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    ++roles[name].version;
    Sign(name);
  }
}

void TufRepository::PublishAgain(const std::vector<std::string>& names) {
  for (const std::string& name : names) Sign(name);
}

Value TufRepository::MetaFileValue(const std::string& file, std::int64_t version) const {
  Value value = Value::Object();
  value.Set("version", version);
  if (list_digests) value.Set("length", static_cast<std::int64_t>(file.size())).Set("hashes", Sha256Value(file));
  return value;
}

Value TufRepository::Signed(const std::string& name) const {
  const Role& role = roles.at(name);
  const bool top = tuf::IsTopLevel(name);
  Value body = Value::Object();
  body.Set("_type", top ? name : "targets").Set("spec_version", "1.0.31").Set("version", role.version);
  body.Set("expires", role.expires);
  if (name == "root") {
    std::vector<std::vector<tuf::SigningKey>> all;
    Value list = Value::Object();
    for (const std::string each : {"root", "targets", "snapshot", "timestamp"}) {
      all.push_back(roles.at(each).keys);
      list.Set(each, KeysIntoRole(roles.at(each).keys, roles.at(each).threshold));
    }
    body.Set("keys", KeysOf(all)).Set("roles", list).Set("consistent_snapshot", consistent_snapshot);
  } else if (name == "timestamp" || name == "snapshot") {
    Value meta = Value::Object();
    if (name == "timestamp") {
      const std::int64_t version = roles.at("snapshot").version;
      meta.Set("snapshot.json", MetaFileValue(metadata.at(NameOf("snapshot", version)), version));
    } else {
      for (const auto& [each, file] : listed) {
        meta.Set(each + ".json", MetaFileValue(metadata.at(NameOf(each, file.version)), file.version));
      }
    }
    body.Set("meta", meta);
  } else {
    Value files = Value::Object();
    if (const auto found = targets.find(name); found != targets.end()) {
      for (const auto& [path, target] : found->second) {
        Value file = Value::Object();
        file.Set("length", static_cast<std::int64_t>(target.content.size()));
        file.Set("hashes",
                 target.hashes.empty() ? Sha256Value(target.content) : Must(json::Parse(target.hashes, "hashes")));
        files.Set(path, file);
      }
    }
    body.Set("targets", files);
    std::vector<std::vector<tuf::SigningKey>> all;
    Value list = Value::Array();
    if (const auto found = delegations.find(name); found != delegations.end()) {
      for (const Delegation& each : found->second) {
        const auto& keys = each.keys ? *each.keys : roles.at(each.name).keys;
        all.push_back(keys);
        Value value = KeysIntoRole(keys, roles.at(each.name).threshold);
        value.Set("name", each.name).Set("terminating", each.terminating);
        if (each.prefixes.empty()) {
          value.Set("paths", Strings(each.paths));
        } else {
          value.Set("path_hash_prefixes", Strings(each.prefixes));
        }
        list.Append(value);
      }
    }
    Value delegated = Value::Object();
    if (const auto found = succinct.find(name); found != succinct.end()) {
      const auto& [bits, prefix] = found->second;
      all.push_back(roles.at(prefix).keys);
      Value value = KeysIntoRole(roles.at(prefix).keys, 1);
      value.Set("bit_length", static_cast<std::int64_t>(bits)).Set("name_prefix", prefix);
      delegated.Set("keys", KeysOf(all)).Set("succinct_roles", value);
      body.Set("delegations", delegated);
    } else if (!list.array().empty()) {
      delegated.Set("keys", KeysOf(all)).Set("roles", list);
      body.Set("delegations", delegated);
    }
  }
  return body;
}

void TufRepository::Sign(const std::string& name) {
  const Role& role = roles[name];
  Value body = Signed(name);
  if (role.edit) body = Must(json::Parse(role.edit(json::Canonical(body)), name));
  const std::string text = Must(tuf::CanonicalForm(body, name));
  Value signatures = Value::Array();
  for (const tuf::SigningKey& key : role.signers ? *role.signers : role.keys) {
    signatures.Append(tuf::SignatureObject(key.public_key(), Must(key.Sign(text))));
  }
  Value envelope = Value::Object();
  envelope.Set("signatures", signatures).Set("signed", body);
  // Not the form that is signed: a client has to make that itself.
  metadata[NameOf(name, role.version)] = json::Canonical(envelope);
  if (name != "root" && name != "timestamp" && name != "snapshot") listed[name].version = role.version;
}

Result<std::optional<std::string>> TufRepository::FetchMetadata(const std::string& name, std::uint64_t limit) {
  requests.push_back(name);
  const auto found = metadata.find(name);
  if (found == metadata.end()) return std::nullopt;
  if (found->second.size() > limit) return Fail(ErrorCode::kLimitExceeded, name + " is too long");
  return found->second;
}

Status TufRepository::FetchArtifact(const std::string& path, const tuf::ByteRange& /*range*/, std::uint64_t limit,
                                    tuf::ArtifactSink& sink) {
  requests.push_back(path);
  std::string plain = path;
  if (consistent_snapshot) {
    const std::size_t slash = plain.rfind('/') == std::string::npos ? 0 : plain.rfind('/') + 1;
    plain.erase(slash, plain.find('.', slash) + 1 - slash);
  }
  const auto found = artifacts.find(plain);
  if (found == artifacts.end()) return Fail(ErrorCode::kMetadataMissing, path + " is not there");
  if (found->second.size() > limit) return Fail(ErrorCode::kLimitExceeded, path + " is too long");
  PISHIP_CHECK(sink.Begin(0));
  return sink.Take(found->second);
}

}  // namespace piship
