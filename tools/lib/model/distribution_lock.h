// SPDX-License-Identifier: MIT
// piship.lock: the small file of a payload that decides what runs. docs/formats/lock.md has the format.
//
// It holds no time and no path of a machine, so equal inputs give equal bytes; the receipt records its digest, and a
// launch compares that before it believes a word of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "model/channel_place.h"
#include "model/platform.h"
#include "model/relative_path.h"
#include "model/semver.h"

namespace piship {

enum class EngineKind : std::uint8_t {
  kSystem,   // the `node` of PATH, whose version must be in a range
  kPayload,  // an executable of the payload
};

struct EngineRequirement {
  EngineKind kind = EngineKind::kSystem;
  VersionRange range;       // kSystem
  RelativePath check;       // kSystem: the script that checks the version inside the engine, in the payload
  RelativePath executable;  // kPayload
  std::string package;      // kPayload: the npm package's name
  std::string version;      // kPayload: and version
  // Options of the engine itself, before the entry: "--name" or "--name=value", where the value may have places in it.
  std::vector<std::string> flags;
  // The script that gives the application what a launch keeps from its engine (docs/adr/0025); kSystem: `check`, which
  // does both. Locks of before have none.
  std::optional<RelativePath> prepare;
};

struct LockedResource {
  std::string kind;   // the second argument of piship_add_resources: "skills", "extensions", ...
  RelativePath path;  // in the payload: resources/<kind>/...
  Digest digest;
};

// A value of the environment or a leading argument may contain "{payload}", "{resources}" and "{state}": the payload's
// directory, its resources/ and the distribution's state directory. "{{" stands for "{"; a "{" before anything else is
// an error, "}" means itself.
struct Places {
  std::string payload;  // absolute directories, without a slash at the end
  std::string state;
};
// Why `text` is not such a value, a clause with its subject; empty where it is one.
std::string WhyNotTemplate(std::string_view text);
// The same of an engine's flag, which is a word by itself: what follows a word without "--" would be the script.
std::string WhyNotEngineFlag(std::string_view text);
// `text` with the places put in; `text` has passed WhyNotTemplate.
std::string ExpandTemplate(std::string_view text, const Places& places);

struct EnvironmentEntry {
  std::string name;
  std::string value;
};

// How many versions may stay installed beside the active one, so that a user can go back to them.
inline constexpr std::int64_t kDefaultKeepVersions = 1;
inline constexpr std::int64_t kMostKeepVersions = 99;

// The number of the form in which an application stores its data; whoever has a lower one can't read it.
inline constexpr std::int64_t kMostStateSchema = 999'999'999;

enum class VerifyAtLaunch : std::uint8_t { kOff, kOn };

struct DistributionLock {
  static constexpr std::int64_t kFormat = 1;
  std::string id;
  std::string name;  // for people; the id where the owner gave none
  std::string command;
  std::string version;  // Semantic Versioning
  Platform platform;
  RelativePath entry;  // the JavaScript file that the engine gets, for example app/node_modules/x/cli.js
  EngineRequirement engine;
  std::vector<EnvironmentEntry> environment;  // sorted by name
  std::vector<std::string> arguments;         // given to the entry before the user's own
  std::vector<LockedResource> resources;      // sorted by path
  // Where updates come from; the payload then has the root that they are verified with, metadata/root.json.
  std::optional<ChannelPlace> channel;
  std::optional<Digest> npm_lock;  // of the package-lock.json, where there is one
  VerifyAtLaunch verify_at_launch = VerifyAtLaunch::kOff;
  bool compile_cache = false;  // the engine may remember compiled modules in the state home; not with verify_at_launch
  std::int64_t keep_versions = kDefaultKeepVersions;  // where the user has not chosen another number
  std::int64_t state_schema = 0;

  // Canonical JSON.
  std::string Text() const;
  // Checks form and contradictions; all problems at once, kLockInvalid, or kFormatNewer. Unknown keys are an error: the
  // format number grows with every key.
  static Result<DistributionLock> Parse(std::string_view text, std::string_view name);
};

}  // namespace piship
