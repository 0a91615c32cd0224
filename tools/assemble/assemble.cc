// SPDX-License-Identifier: MIT
// A payload is a list, so joining parts is renaming and sorting. The parts keep out of each other's way by their
// prefixes; what can still meet (two resource kinds never do, own sources and packages can below app/node_modules) is
// refused with the origin of both. The bytes that exist nowhere else (lock, engine check) enter the store here, as do
// the runtime and the reports, so this edge lists the store's epoch like every edge that puts objects.
#include "assemble/assemble.h"

#include <algorithm>
#include <map>

#include "base/depfile.h"
#include "base/files.h"
#include "model/distribution_lock.h"
#include "model/engine_check.h"
#include "model/names.h"
#include "store/store.h"
#include "tuf/metadata.h"

namespace piship::assembly {
namespace {

constexpr std::string_view kEngineCheckPath = "engine/check.cjs";
constexpr std::string_view kEnginePreparePath = "engine/prepare.cjs";
constexpr std::size_t kMaxDistributionName = 256;
constexpr std::size_t kMaxRoot = std::size_t{1} << 20;

struct Named {
  std::string name;
  std::string value;
};

Result<Named> SplitNamed(const std::string& text, std::string_view option) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0) {
    return Fail(ErrorCode::kUsage, std::string(option) + " needs <name>=<value>, not '" + text + "'");
  }
  return Named{text.substr(0, at), text.substr(at + 1)};
}

// Collects the payload's entries and remembers where each came from.
class Payload {
 public:
  explicit Payload(const Store& store) : store_(store) {}

  // Every entry of the inventory `file`, below `prefix` (which ends in "/" or is empty) and, before that, below `must`.
  Status AddInventory(const std::string& file, const std::string& prefix, std::string_view must,
                      const std::string& what) {
    PISHIP_TRY(const Inventory part, ReadInventory(file));
    inputs_.push_back(file);
    for (const InventoryEntry& entry : part.entries()) {
      if (!entry.path.str().starts_with(must)) {
        return Fail(ErrorCode::kPayloadInvalid, file + ": '" + entry.path.str() + "' is not below " +
                                                    std::string(must) + ", where " + what + " lie");
      }
      PISHIP_CHECK(Add(entry, prefix + entry.path.str(), what));
    }
    return {};
  }

  Status AddFile(const std::string& file, const std::string& path, FileMode mode, const std::string& what) {
    PISHIP_TRY(const StoredObject object, store_.PutFile(file));
    inputs_.push_back(file);
    return Add({object.digest, object.size, mode, {}}, path, what);
  }

  Status AddBytes(std::string_view bytes, std::string_view path, const std::string& what) {
    PISHIP_TRY(const Digest digest, store_.Put(bytes));
    return Add({digest, bytes.size(), FileMode::kPlain, {}}, std::string(path), what);
  }

  // What has been added so far.
  Result<Inventory> ToInventory() const { return Inventory::FromEntries(entries_); }
  const std::vector<std::string>& inputs() const { return inputs_; }

 private:
  Status Add(InventoryEntry entry, const std::string& path, const std::string& what) {
    PISHIP_TRY(entry.path, RelativePath::Parse(path));
    const auto [known, is_new] = origins_.emplace(path, Origin{what, entries_.size()});
    if (!is_new) {
      const InventoryEntry& first = entries_[known->second.index];
      if (first.digest == entry.digest && first.mode == entry.mode) return {};
      return Fail(ErrorCode::kPathConflict,
                  "'" + path + "' comes with different content from " + known->second.what + " and from " + what,
                  "rename one of them or leave it out");
    }
    entries_.push_back(std::move(entry));
    return {};
  }

  struct Origin {
    std::string what;
    std::size_t index;
  };
  const Store& store_;
  std::vector<InventoryEntry> entries_;
  std::map<std::string, Origin> origins_;
  std::vector<std::string> inputs_;
};

Status AddResources(const Options& options, Payload& payload) {
  for (const std::string& option : options.resources) {
    PISHIP_TRY(const Named resource, SplitNamed(option, "--resources"));
    PISHIP_CHECK(CheckId(resource.name, "the resource kind"));
    PISHIP_CHECK(payload.AddInventory(resource.value, "resources/" + resource.name + "/", "",
                                      "the " + resource.name + " resources"));
  }
  return {};
}

Status AddReports(const Options& options, Payload& payload) {
  for (const std::string& option : options.reports) {
    PISHIP_TRY(const Named report, SplitNamed(option, "--report"));
    if (report.name == "inventory" || report.name == "root.json") {
      return Fail(ErrorCode::kUsage, "--report: the name '" + report.name + "' has a meaning of its own in metadata/");
    }
    PISHIP_CHECK(payload.AddFile(report.value, "metadata/" + report.name, FileMode::kPlain, "the reports"));
  }
  return {};
}

// A root that nobody could begin to trust is found here and not at the first user's.
Status AddChannel(const Options& options, DistributionLock& lock, Payload& payload) {
  if (!options.channel_url && !options.channel && !options.channel_root) return {};
  if (!options.channel_url || !options.channel || !options.channel_root) {
    return Fail(ErrorCode::kUsage, "--channel-url, --channel and --channel-root belong together");
  }
  lock.channel = ChannelPlace{*options.channel_url, *options.channel};
  if (const std::string why = WhyNotChannelPlace(*lock.channel); !why.empty()) return Fail(ErrorCode::kUsage, why);
  PISHIP_TRY(const std::string root, ReadFile(*options.channel_root, kMaxRoot));
  PISHIP_CHECK(tuf::ParseFirstRoot(root, *options.channel_root));
  return payload.AddFile(*options.channel_root, "metadata/root.json", FileMode::kPlain, "the channel's root");
}

Status AddParts(const Options& options, Payload& payload) {
  if (options.packages) PISHIP_CHECK(payload.AddInventory(*options.packages, "app/", "node_modules/", "the packages"));
  for (const std::string& sources : options.sources) {
    PISHIP_CHECK(payload.AddInventory(sources, "app/", "", "the sources"));
  }
  if (options.package_json) {
    PISHIP_CHECK(payload.AddFile(*options.package_json, "app/package.json", FileMode::kPlain, *options.package_json));
  }
  PISHIP_CHECK(AddResources(options, payload));
  if (options.engine) PISHIP_CHECK(payload.AddInventory(*options.engine, "", "engine/", "the engine's files"));
  PISHIP_CHECK(payload.AddFile(options.runtime, "bin/piship", FileMode::kExecutable, "the runtime"));
  return AddReports(options, payload);
}

// The engine of the payload is its only executable: `node`, or `node.exe` where the platform wants that.
Result<RelativePath> FindEngine(const Inventory& payload) {
  for (const std::string_view path : {"engine/node", "engine/node.exe"}) {
    const InventoryEntry* entry = payload.Find(path);
    if (entry != nullptr && entry->mode == FileMode::kExecutable) return entry->path;
  }
  return Fail(ErrorCode::kPayloadInvalid, "the engine's inventory has no executable 'engine/node'");
}

Status AddFlags(const Options& options, EngineRequirement& engine) {
  for (const std::string& flag : options.engine_flags) {
    if (const std::string why = WhyNotEngineFlag(flag); !why.empty()) {
      return Fail(ErrorCode::kUsage, "--engine-flag: " + why);
    }
  }
  engine.flags = options.engine_flags;
  return {};
}

Result<EngineRequirement> AddEngine(const Options& options, const DistributionLock& lock, const Inventory& parts,
                                    Payload& payload) {
  EngineRequirement engine;
  PISHIP_CHECK(AddFlags(options, engine));
  if (options.engine) {
    if (options.engine_range) return Fail(ErrorCode::kUsage, "--engine excludes --engine-range");
    if (!options.engine_package || !options.engine_version) {
      return Fail(ErrorCode::kUsage, "--engine needs --engine-package and --engine-version");
    }
    engine.kind = EngineKind::kPayload;
    engine.package = *options.engine_package;
    engine.version = *options.engine_version;
    PISHIP_TRY(engine.executable, FindEngine(parts));
    PISHIP_TRY(engine.prepare, RelativePath::Parse(kEnginePreparePath));
    PISHIP_CHECK(payload.AddBytes(EnginePrepareScript(), kEnginePreparePath, "the engine's preparation"));
    return engine;
  }
  if (!options.engine_range) return Fail(ErrorCode::kUsage, "one of --engine and --engine-range is needed");
  PISHIP_TRY(engine.range, VersionRange::Parse(*options.engine_range));
  PISHIP_TRY(engine.check, RelativePath::Parse(kEngineCheckPath));
  engine.prepare = engine.check;
  PISHIP_CHECK(
      payload.AddBytes(EngineCheckScript(engine.range, lock.name, lock.command), kEngineCheckPath, "the engine check"));
  return engine;
}

Status ReadIdentity(const Options& options, DistributionLock& lock) {
  PISHIP_CHECK(CheckId(options.id, "the id"));
  PISHIP_CHECK(CheckId(options.command, "the command"));
  PISHIP_TRY(const Version version, Version::Parse(options.version));
  PISHIP_TRY(lock.platform, Platform::Parse(options.platform));
  lock.id = options.id;
  lock.name = options.name.value_or(options.id);
  lock.command = options.command;
  lock.version = version.str();
  if (lock.name.empty() || lock.name.size() > kMaxDistributionName) {
    return Fail(ErrorCode::kNameInvalid, "the distribution's name must have 1 to 256 bytes");
  }
  lock.verify_at_launch = options.verify_at_launch ? VerifyAtLaunch::kOn : VerifyAtLaunch::kOff;
  if (options.keep_versions < 0 || options.keep_versions > kMostKeepVersions) {
    return Fail(ErrorCode::kUsage, "--keep-versions is " + std::to_string(options.keep_versions) +
                                       ", it must be between 0 and " + std::to_string(kMostKeepVersions));
  }
  lock.keep_versions = options.keep_versions;
  if (options.state_schema < 0 || options.state_schema > kMostStateSchema) {
    return Fail(ErrorCode::kUsage, "--state-schema is " + std::to_string(options.state_schema) +
                                       ", it must be between 0 and " + std::to_string(kMostStateSchema));
  }
  lock.state_schema = options.state_schema;
  lock.compile_cache = options.compile_cache && !options.verify_at_launch;
  return {};
}

Status ReadStart(const Options& options, DistributionLock& lock) {
  for (const std::string& option : options.environment) {
    PISHIP_TRY(Named variable, SplitNamed(option, "--environment"));
    PISHIP_CHECK(CheckEnvironmentName(variable.name));
    if (const std::string why = WhyNotTemplate(variable.value); !why.empty()) {
      return Fail(ErrorCode::kUsage, "--environment: the value of " + variable.name + " " + why);
    }
    lock.environment.push_back({std::move(variable.name), std::move(variable.value)});
  }
  const auto by_name = [](const EnvironmentEntry& a, const EnvironmentEntry& b) { return a.name < b.name; };
  std::sort(lock.environment.begin(), lock.environment.end(), by_name);
  const auto same = [](const EnvironmentEntry& a, const EnvironmentEntry& b) { return a.name == b.name; };
  const auto twice = std::adjacent_find(lock.environment.begin(), lock.environment.end(), same);
  if (twice != lock.environment.end()) return Fail(ErrorCode::kUsage, "--environment sets " + twice->name + " twice");
  for (const std::string& argument : options.arguments) {
    if (const std::string why = WhyNotTemplate(argument); !why.empty()) {
      return Fail(ErrorCode::kUsage, "--argument: '" + argument + "' " + why);
    }
  }
  lock.arguments = options.arguments;
  return {};
}

Status LockResources(const Inventory& parts, DistributionLock& lock) {
  for (const InventoryEntry& entry : parts.entries()) {
    constexpr std::string_view kPrefix = "resources/";
    const std::string& path = entry.path.str();
    if (!path.starts_with(kPrefix)) continue;
    const std::string kind = path.substr(kPrefix.size(), path.find('/', kPrefix.size()) - kPrefix.size());
    lock.resources.push_back({kind, entry.path, entry.digest});
  }
  return {};
}

}  // namespace

Status Assemble(const Options& options) {
  PISHIP_TRY(const Store store, Store::Open(options.store));
  DistributionLock lock;
  PISHIP_CHECK(ReadIdentity(options, lock));
  PISHIP_CHECK(ReadStart(options, lock));

  Payload payload(store);
  PISHIP_CHECK(AddParts(options, payload));
  PISHIP_CHECK(AddChannel(options, lock, payload));
  PISHIP_TRY(const Inventory parts, payload.ToInventory());
  const auto read = [&](const InventoryEntry& entry) { return store.Read(entry.digest, entry.size); };
  PISHIP_TRY(lock.entry, ResolveEntry(options.entry, parts, read));
  PISHIP_TRY(lock.engine, AddEngine(options, lock, parts, payload));
  PISHIP_CHECK(LockResources(parts, lock));
  std::vector<std::string> inputs = payload.inputs();
  if (options.npm_lockfile) {
    PISHIP_TRY(const std::string text, ReadFile(*options.npm_lockfile));
    lock.npm_lock = Digest::Of(text);
    inputs.push_back(*options.npm_lockfile);
  }

  const std::string lock_text = lock.Text();
  PISHIP_CHECK(DistributionLock::Parse(lock_text, "piship.lock"));  // what a launch would refuse is never shipped
  PISHIP_CHECK(payload.AddBytes(lock_text, "piship.lock", "the lock"));
  PISHIP_TRY(const Inventory inventory, payload.ToInventory());
  inputs.push_back(store.epoch_path());
  PISHIP_CHECK(WriteDepfile(options.depfile, options.output, inputs));
  PISHIP_CHECK(WriteFileIfChanged(options.lock_output, lock_text));
  PISHIP_CHECK(WriteFileIfChanged(options.output, inventory.Text()));
  return {};
}

}  // namespace piship::assembly
