// SPDX-License-Identifier: MIT
#include "publish/publish.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "publish/deltas.h"
#include "publish/entries.h"
#include "publish/repository.h"
#include "publish/role_keys.h"

namespace piship::publish {
namespace {

constexpr std::int64_t kDay = std::int64_t{24} * 60 * 60;  // seconds
constexpr std::int64_t kMostDeltas = 50;

void Print(const std::string& line) { std::fputs((Printable(line) + "\n").c_str(), stdout); }

Result<std::int64_t> Now(const Options& options) {
  using namespace std::chrono;
  if (!options.now) return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
  const auto time = tuf::ParseTime(*options.now);
  if (!time) return Fail(ErrorCode::kUsage, "--now is not a time like 2031-02-28T23:59:59Z");
  return *time;
}

Status Finish(Repository& repository, const Signers& signers, std::int64_t now) {
  PISHIP_TRY(const Advanced advanced, repository.Advance(signers, now));
  if (advanced.published) {
    Print("published");
    return {};
  }
  if (advanced.missing.empty()) {
    Print("there is nothing to publish");
    return {};
  }
  Print("staged; not published before these have signed, each with 'piship-publish sign':");
  for (const std::string& line : advanced.missing) Print("  " + line);
  return {};
}

// Changes the entries of one channel.
Status ChangeChannel(Repository& repository, const std::string& channel, std::int64_t now,
                     const std::function<Result<json::Value>(const json::Value&)>& change) {
  const Document* document = IsChannelName(channel) ? repository.Latest(channel) : nullptr;
  if (document == nullptr) {
    return Fail(ErrorCode::kTargetUnknown, "the repository has no channel '" + Printable(channel) + "'");
  }
  PISHIP_TRY(json::Value targets, change(*document->body.Find("targets")));
  repository.Stage(channel, With(document->body, "targets", std::move(targets)), now);
  return {};
}

Status Add(Repository& repository, const Options& options, std::int64_t now) {
  if (options.releases.empty()) return Fail(ErrorCode::kUsage, "add needs --release");
  if (options.deltas < 0 || options.deltas > kMostDeltas) {
    return Fail(ErrorCode::kUsage, "--deltas is " + std::to_string(options.deltas) + ", it must be between 0 and " +
                                       std::to_string(kMostDeltas));
  }
  return ChangeChannel(repository, options.channel, now, [&](const json::Value& before) -> Result<json::Value> {
    json::Value targets = before;
    for (const std::string& file : options.releases) {
      PISHIP_TRY(targets, WithRelease(targets, repository, options.channel, file));
      Print("added " + file);
    }
    return WithDeltas(targets, repository, options.channel, static_cast<int>(options.deltas), Print);
  });
}

Selection SelectionOf(const Options& options) { return {options.id, options.version, options.platform}; }

Status Withdraw(Repository& repository, const Options& options, std::int64_t now) {
  return ChangeChannel(repository, options.channel, now, [&](const json::Value& before) {
    return WithoutReleases(before, SelectionOf(options), options.channel);
  });
}

Status Promote(Repository& repository, const Options& options, std::int64_t now) {
  const Document* source = IsChannelName(options.from) ? repository.Latest(options.from) : nullptr;
  if (source == nullptr) {
    return Fail(ErrorCode::kTargetUnknown, "the repository has no channel '" + Printable(options.from) + "'");
  }
  const json::Value candidates = *source->body.Find("targets");
  return ChangeChannel(repository, options.channel, now, [&](const json::Value& before) {
    return WithPromoted(before, repository, candidates, SelectionOf(options), options.from, options.channel);
  });
}

std::string ContentOf(const json::Value& targets) {
  const auto count = [&](std::string_view kind) {
    return std::to_string(
        std::count_if(targets.object().begin(), targets.object().end(),
                      [&](const json::Member& member) { return !TextOf(member.value, kind, "id").empty(); }));
  };
  return ", " + count(kReleaseEntry) + " archives, " + count(kDeltaEntry) + " deltas";
}

Status ShowStatus(const Repository& repository, std::int64_t now) {
  PISHIP_TRY(std::vector<std::string> roles, repository.Channels());
  roles.insert(roles.begin(), {"root", "timestamp", "snapshot", "targets"});
  for (const std::string& role : roles) {
    const Document* document = repository.Published(role);
    if (document == nullptr) {
      Print(role + ": not published");
      continue;
    }
    const json::Value* expires = document->body.Find("expires");
    const std::string text = expires != nullptr && expires->is(json::Kind::kString) ? expires->string() : std::string();
    const std::int64_t days = (tuf::ParseTime(text).value_or(now) - now) / kDay;
    const json::Value* targets = document->body.Find("targets");
    std::string line = role + ": version " + std::to_string(document->version());
    line += days > 0 ? ", good for " + std::to_string(days) + " days" : ", expires or expired at " + text;
    if (targets != nullptr && !tuf::IsTopLevel(role)) line += ContentOf(*targets);
    Print(line);
  }
  if (const Document* root = repository.Published("root"); root != nullptr) {
    Print("keys that have signed the root, for 'piship install --expect-key':");
    for (const tuf::Signature& signature : root->Signatures()) Print("  " + signature.key_id);
  }
  PISHIP_TRY(const std::vector<std::string> missing, repository.MissingSignatures());
  if (repository.HasStaged()) Print("staged, waiting for 'piship-publish sign':");
  for (const std::string& line : missing) Print("  " + line);
  return {};
}

}  // namespace

Status Run(std::string_view verb, const Options& options) {
  PISHIP_TRY(const std::int64_t now, Now(options));
  PISHIP_TRY(Signers signers, OpenSigners(options.signing));
  if (verb == "init") {
    PISHIP_TRY(Repository repository, Repository::Create(options.repository));
    PISHIP_CHECK(Initialize(repository, options, now, signers));
    return Finish(repository, signers, now);
  }
  PISHIP_TRY(Repository repository, Repository::Open(options.repository));
  if (verb == "status") return ShowStatus(repository, now);
  if (verb == "add") PISHIP_CHECK(Add(repository, options, now));
  if (verb == "withdraw") PISHIP_CHECK(Withdraw(repository, options, now));
  if (verb == "promote") PISHIP_CHECK(Promote(repository, options, now));
  if (verb == "rotate") PISHIP_CHECK(Rotate(repository, options, now, signers));
  if (verb == "refresh") return Refresh(repository, signers, now);
  return Finish(repository, signers, now);
}

}  // namespace piship::publish
