// SPDX-License-Identifier: MIT
#include "publish/role_keys.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>

#include "base/files.h"
#include "publish/entries.h"

namespace piship::publish {
namespace {

using json::Value;

constexpr std::string_view kChannelDays = "channel";
const std::vector<std::string> kTopLevel = {"root", "targets", "snapshot", "timestamp"};

// "<role>=<value>" lists, each checked against the roles that exist.
Result<std::vector<std::pair<std::string, std::string>>> Pairs(const std::vector<std::string>& texts,
                                                               const std::vector<std::string>& roles,
                                                               std::string_view option) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string role = text.substr(0, equals);
    if (equals == std::string::npos || std::find(roles.begin(), roles.end(), role) == roles.end()) {
      return Fail(ErrorCode::kUsage, std::string(option) + " '" + text + "' does not begin with \"<role>=\"");
    }
    pairs.emplace_back(role, text.substr(equals + 1));
  }
  return pairs;
}

Result<std::int64_t> NumberFor(const std::vector<std::string>& texts, const std::vector<std::string>& roles,
                               const std::string& role, std::string_view option, std::int64_t otherwise) {
  PISHIP_TRY(const auto pairs, Pairs(texts, roles, option));
  std::int64_t number = otherwise;
  for (const auto& [name, value] : pairs) {
    if (name != role) continue;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > 36'500) {
      return Fail(ErrorCode::kUsage, std::string(option) + " '" + value + "' is not a number from 1 to 36500");
    }
  }
  return number;
}

// The key files that the options name for the role, else one in the keys directory, which is made where it is missing.
Result<std::vector<tuf::PublicKey>> KeysFor(const std::string& role, const Options& options,
                                            const std::vector<std::string>& roles, const std::string& new_name,
                                            Signers& signers) {
  std::vector<tuf::PublicKey> keys;
  PISHIP_TRY(const auto named, Pairs(options.role_keys, roles, "--role-key"));
  for (const auto& [name, file] : named) {
    if (name != role) continue;
    PISHIP_TRY(tuf::PublicKey key, PublicKeyIn(file, options.signing));
    keys.push_back(std::move(key));
  }
  if (!keys.empty()) return keys;
  if (options.keys_directory.empty()) {
    return Fail(ErrorCode::kUsage, "the role '" + role + "' has no key",
                "name one with --role-key, or give --new-keys");
  }
  PISHIP_TRY(const tuf::SigningKey key, tuf::SigningKey::Generate(tuf::KeyKind::kEd25519));
  std::optional<std::string> passphrase;
  if (options.signing.passphrase_fd || options.signing.passphrase_env) {
    PISHIP_TRY(passphrase, PassphraseFor(options.signing, "the new keys"));
  }
  PISHIP_TRY(const std::string pem, key.ToPem(passphrase));
  const std::string file = JoinPath(options.keys_directory, new_name + ".pem");
  PISHIP_CHECK(WritePrivateKey(file, pem));
  std::fputs(("made the key " + Printable(file) + "\n").c_str(), stdout);
  keys.push_back(key.public_key());
  signers.push_back(SignerOf(key));
  return keys;
}

Value Merge(const Value& keys, const std::vector<tuf::PublicKey>& more) {
  Value merged = keys;
  for (const tuf::PublicKey& key : more) merged = With(merged, key.id, key.object);
  return merged;
}

Result<Value> RoleValue(const Value& before, const std::vector<tuf::PublicKey>& keys, std::int64_t threshold,
                        const std::string& role) {
  if (threshold > static_cast<std::int64_t>(keys.size())) {
    return Fail(ErrorCode::kUsage, "the threshold of '" + role + "' is " + std::to_string(threshold) + " and it has " +
                                       std::to_string(keys.size()) + " keys");
  }
  Value ids = Value::Array();
  for (const tuf::PublicKey& key : keys) ids.Append(key.id);
  return With(With(before, "keyids", std::move(ids)), "threshold", threshold);
}

Value Body(std::string_view type) {
  Value body = Value::Object();
  body.Set("_type", type).Set("spec_version", "1.0.31");
  return body;
}

// Without the keys that no role names any more.
Value Pruned(const Value& keys, const std::vector<const Value*>& roles) {
  Value left = Value::Object();
  for (const json::Member& key : keys.object()) {
    const bool used = std::any_of(roles.begin(), roles.end(), [&](const Value* role) {
      const auto& ids = role->Find("keyids")->array();
      return std::any_of(ids.begin(), ids.end(), [&](const Value& id) { return id.string() == key.name; });
    });
    if (used) left.Set(key.name, key.value);
  }
  return left;
}

Result<Value> RotatedRoot(const Value& body, const std::string& role, const std::vector<tuf::PublicKey>& keys,
                          std::int64_t threshold) {
  const Value& before = *body.Find("roles");
  PISHIP_TRY(Value changed, RoleValue(*before.Find(role), keys, threshold, role));
  const Value roles = With(before, role, std::move(changed));
  std::vector<const Value*> used;
  for (const json::Member& member : roles.object()) used.push_back(&member.value);
  return With(With(body, "roles", roles), "keys", Pruned(Merge(*body.Find("keys"), keys), used));
}

Result<Value> RotatedChannel(const Value& body, const std::string& channel, const std::vector<tuf::PublicKey>& keys,
                             std::int64_t threshold) {
  const Value& before = *body.Find("delegations");
  Value roles = Value::Array();
  for (const Value& role : before.Find("roles")->array()) {
    if (role.Find("name")->string() != channel) {
      roles.Append(role);
      continue;
    }
    PISHIP_TRY(Value changed, RoleValue(role, keys, threshold, channel));
    roles.Append(std::move(changed));
  }
  std::vector<const Value*> used;
  for (const Value& role : roles.array()) used.push_back(&role);
  const Value all = Pruned(Merge(*before.Find("keys"), keys), used);
  return With(body, "delegations", With(With(before, "roles", roles), "keys", all));
}

}  // namespace

Status Initialize(Repository& repository, const Options& options, std::int64_t now, Signers& signers) {
  std::vector<std::string> roles = kTopLevel;
  for (const std::string& channel : options.channels) {
    if (!IsChannelName(channel) || std::find(roles.begin(), roles.end(), channel) != roles.end()) {
      return Fail(ErrorCode::kUsage, "'" + Printable(channel) + "' can't be the name of a channel, or is named twice");
    }
    roles.push_back(channel);
  }
  if (options.channels.empty()) return Fail(ErrorCode::kUsage, "init needs --channel");
  std::map<std::string, std::vector<tuf::PublicKey>> keys;
  Value root_keys = Value::Object();
  Value root_roles = Value::Object();
  Value channel_keys = Value::Object();
  Value delegated = Value::Array();
  for (const std::string& role : roles) {
    PISHIP_TRY(keys[role], KeysFor(role, options, roles, role, signers));
    PISHIP_TRY(const std::int64_t threshold, NumberFor(options.thresholds, roles, role, "--threshold", 1));
    PISHIP_TRY(Value value, RoleValue(Value::Object(), keys[role], threshold, role));
    if (tuf::IsTopLevel(role)) {
      root_keys = Merge(root_keys, keys[role]);
      root_roles.Set(role, std::move(value));
    } else {
      channel_keys = Merge(channel_keys, keys[role]);
      Value paths = Value::Array();
      paths.Append(role + "/*");
      value.Set("name", role).Set("paths", std::move(paths)).Set("terminating", true);
      delegated.Append(std::move(value));
    }
  }
  std::vector<std::string> day_names = kTopLevel;
  day_names.emplace_back(kChannelDays);
  Value days = Value::Object();
  for (const auto& [name, otherwise] : std::vector<std::pair<std::string, std::int64_t>>{
           {"root", 365}, {"targets", 365}, {"snapshot", 30}, {"timestamp", 7}, {std::string(kChannelDays), 90}}) {
    PISHIP_TRY(const std::int64_t number, NumberFor(options.days, day_names, name, "--days", otherwise));
    days.Set(name, number);
  }
  Value root = Body("root");
  root.Set("consistent_snapshot", true).Set("keys", std::move(root_keys)).Set("roles", std::move(root_roles));
  root.Set("x-piship-days", std::move(days));
  repository.Stage("root", root, now);
  Value delegations = Value::Object();
  delegations.Set("keys", std::move(channel_keys)).Set("roles", std::move(delegated));
  Value targets = Body("targets");
  targets.Set("targets", Value::Object());
  for (const std::string& channel : options.channels) repository.Stage(channel, targets, now);
  targets.Set("delegations", std::move(delegations));
  repository.Stage("targets", targets, now);
  return {};
}

Status Rotate(Repository& repository, const Options& options, std::int64_t now, Signers& signers) {
  PISHIP_TRY(std::vector<std::string> roles, repository.Channels());
  roles.insert(roles.end(), kTopLevel.begin(), kTopLevel.end());
  const std::string& role = options.role;
  if (std::find(roles.begin(), roles.end(), role) == roles.end()) {
    return Fail(ErrorCode::kTargetUnknown, "the repository has no role '" + Printable(role) + "'");
  }
  const bool top = tuf::IsTopLevel(role);
  const Document& holder = *repository.Latest(top ? "root" : "targets");
  const std::string new_name = role + "-" + std::to_string(holder.version() + 1);
  PISHIP_TRY(const std::vector<tuf::PublicKey> keys, KeysFor(role, options, roles, new_name, signers));
  PISHIP_TRY(const std::int64_t threshold, NumberFor(options.thresholds, roles, role, "--threshold", 1));
  PISHIP_TRY(const Value body, top ? RotatedRoot(holder.body, role, keys, threshold)
                                   : RotatedChannel(holder.body, role, keys, threshold));
  repository.Stage(holder.role, body, now);
  // What the old keys signed is no longer valid: it is signed anew, with the same content.
  if (role != "root" && role != "snapshot" && role != "timestamp" && !(holder.role == role)) {
    repository.Stage(role, repository.Latest(role)->body, now);
  }
  return {};
}

Status Refresh(Repository& repository, const Signers& signers, std::int64_t now) {
  if (repository.Published("timestamp") == nullptr) {
    return Fail(ErrorCode::kMetadataMissing, "nothing is published yet", "finish with 'sign'");
  }
  return repository.PublishTimestamp(signers, now);
}

}  // namespace piship::publish
