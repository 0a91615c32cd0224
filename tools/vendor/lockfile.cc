// SPDX-License-Identifier: MIT
#include "vendor/lockfile.h"

#include <algorithm>
#include <unordered_set>

#include "model/relative_path.h"
#include "model/semver.h"

namespace piship {
namespace {

std::string Quoted(std::string_view text) { return "'" + Printable(text) + "'"; }

// "node_modules/a/node_modules/@b/c" taken apart from the end: the name and the parent's path. False: not such a path.
bool SplitPath(std::string_view path, std::string& name, std::string& parent) {
  constexpr std::string_view kDirectory = "node_modules/";
  std::size_t begin = 0;
  std::size_t last = std::string_view::npos;
  while (true) {
    if (!path.substr(begin).starts_with(kDirectory)) return false;
    last = begin;
    begin += kDirectory.size();
    const std::size_t next = path.find("/node_modules/", begin);
    if (!IsPackageName(path.substr(begin, next == std::string_view::npos ? next : next - begin))) return false;
    if (next == std::string_view::npos) break;
    begin = next + 1;
  }
  name = std::string(path.substr(last + kDirectory.size()));
  parent = last == 0 ? std::string{} : std::string(path.substr(0, last - 1));
  return true;
}

// As path.posix.join("/", text) without the slash in front: "..", "." and doubled slashes can't leave the package.
std::string NormalizeTarget(std::string_view text) {
  std::vector<std::string> components;
  std::string component;
  const auto finish = [&] {
    if (component == "..") {
      if (!components.empty()) components.pop_back();
    } else if (!component.empty() && component != ".") {
      components.push_back(component);
    }
    component.clear();
  };
  for (const char c : text) {
    if (c == '/' || c == '\\') {
      finish();
    } else {
      component += c;
    }
  }
  finish();
  std::string out;
  for (const std::string& part : components) out += (out.empty() ? "" : "/") + part;
  return out;
}

std::string CommandName(std::string_view key) {
  const std::size_t at = key.find_last_of("/\\:");
  const std::string_view base = at == std::string_view::npos ? key : key.substr(at + 1);
  return base == "." || base == ".." ? std::string{} : std::string(base);
}

class EntryReader {
 public:
  EntryReader(const json::Member& member, Problems& problems)
      : member_(member),
        problems_(problems),
        reader_(member.value, Quoted(member.name), problems, UnknownKeys::kIgnore) {}

  std::optional<LockEntry> Read() {
    LockEntry entry;
    entry.path = member_.name;
    entry.position = member_.position;
    if (!member_.value.is(json::Kind::kObject)) return std::nullopt;
    if (const char* why = RelativePath::WhyNot(entry.path); why != nullptr) {
      problems_.Add(entry.position, Quoted(entry.path) + " is not a path that can be placed: it " + why);
      return std::nullopt;
    }
    if (!SplitPath(entry.path, entry.name, entry.parent)) {
      problems_.Add(entry.position, Quoted(entry.path) + " is not a place for a package in node_modules");
      return std::nullopt;
    }
    entry.package = reader_.OptionalString("name").value_or(entry.name);
    entry.version = reader_.OptionalString("version").value_or("");
    entry.resolved = reader_.OptionalString("resolved").value_or("");
    entry.integrity = reader_.OptionalString("integrity").value_or("");
    entry.link = reader_.OptionalBoolean("link").value_or(false);
    entry.install_script = reader_.OptionalBoolean("hasInstallScript").value_or(false);
    entry.shrinkwrap = reader_.OptionalBoolean("hasShrinkwrap").value_or(false);
    entry.dependencies = ReadDependencies(member_.value, DevelopmentDependencies::kIgnore, problems_);
    entry.platforms = ReadPlatformConditions(member_.value, problems_);
    ReadBundled(entry);
    if (const json::Value* bin = member_.value.Find("bin"); bin != nullptr) entry.bins = ReadBins(*bin, entry.package);
    ReadNodeRange(entry);
    return Check(entry) ? std::optional(std::move(entry)) : std::nullopt;
  }

 private:
  void ReadBundled(LockEntry& entry) {
    const json::Value* bundled = member_.value.Find("bundleDependencies");
    if (bundled == nullptr) return;
    if (!bundled->is(json::Kind::kBoolean)) {
      entry.bundled = ReadWords(*bundled, "bundleDependencies", problems_);
    } else if (bundled->boolean()) {
      for (const Dependency& dependency : entry.dependencies) {
        if (!dependency.peer()) entry.bundled.push_back(dependency.name);
      }
    }
  }
  // Old packages have an array or a string there; npm makes nothing of those.
  void ReadNodeRange(LockEntry& entry) {
    const json::Value* engines = member_.value.Find("engines");
    const json::Value* node = engines != nullptr ? engines->Find("node") : nullptr;
    if (node != nullptr && node->is(json::Kind::kString)) entry.node_range = node->string();
  }
  bool Check(const LockEntry& entry) {
    bool good = true;
    const auto note = [&](const std::string& text) {
      problems_.Add(entry.position, Quoted(entry.path) + " " + text);
      good = false;
    };
    if (!IsPackageName(entry.package)) note("has the name " + Quoted(entry.package) + ", which no package can have");
    if (!entry.link && entry.version.empty()) note("has no version");
    if (!entry.version.empty() && !Version::Parse(entry.version, SemverGrammar::kLoose)) {
      note("has the version " + Quoted(entry.version) + ", which is none");
    }
    return good;
  }

  const json::Member& member_;
  Problems& problems_;
  ObjectReader reader_;
};

// Drops the entries that lie in a directory which no entry describes, or whose entry was dropped; the former are noted.
void DropOrphans(Lockfile& lockfile, Problems& problems) {
  const bool complete = problems.empty();
  std::vector<const LockEntry*> by_depth;
  for (const LockEntry& entry : lockfile.entries) by_depth.push_back(&entry);
  std::stable_sort(by_depth.begin(), by_depth.end(),
                   [](const LockEntry* a, const LockEntry* b) { return a->path.size() < b->path.size(); });
  std::unordered_set<std::string> good;
  for (const LockEntry* entry : by_depth) {
    if (entry->parent.empty() || good.contains(entry->parent)) {
      good.insert(entry->path);
    } else if (complete) {
      problems.Add(entry->position, Quoted(entry->path) + " lies in " + Quoted(entry->parent) + ", which has no entry");
    }
  }
  std::erase_if(lockfile.entries, [&](const LockEntry& entry) { return !good.contains(entry.path); });
}

// Every name in "overrides", however deep; a key may carry a range ("a@1").
void CollectOverridden(const json::Value& overrides, std::vector<std::string>& names) {
  if (!overrides.is(json::Kind::kObject)) return;
  for (const json::Member& member : overrides.object()) {
    if (member.name != ".") names.push_back(member.name.substr(0, member.name.find('@', 1)));
    CollectOverridden(member.value, names);
  }
}

}  // namespace

std::vector<BinFile> ReadBins(const json::Value& value, std::string_view package) {
  std::vector<BinFile> bins;
  const auto add = [&](std::string_view key, const json::Value& target) {
    if (!target.is(json::Kind::kString)) return;
    BinFile bin{CommandName(key), NormalizeTarget(target.string())};
    if (bin.command.empty() || bin.target.empty()) return;
    const auto same =
        std::find_if(bins.begin(), bins.end(), [&](const BinFile& other) { return other.command == bin.command; });
    if (same == bins.end()) {
      bins.push_back(std::move(bin));
    } else {
      *same = std::move(bin);
    }
  };
  if (value.is(json::Kind::kString)) add(package, value);
  if (value.is(json::Kind::kArray)) {
    for (const json::Value& item : value.array()) {
      if (item.is(json::Kind::kString)) add(item.string(), item);
    }
  }
  if (value.is(json::Kind::kObject)) {
    for (const json::Member& member : value.object()) add(member.name, member.value);
  }
  return bins;
}

PlatformConditions ReadPlatformConditions(const json::Value& package, Problems& problems) {
  PlatformConditions conditions;
  const auto read = [&](std::string_view name, std::optional<std::vector<std::string>>& out) {
    const json::Value* value = package.Find(name);
    if (value != nullptr && !value->is(json::Kind::kNull)) out = ReadWords(*value, name, problems);
  };
  read("os", conditions.os);
  read("cpu", conditions.cpu);
  read("libc", conditions.libc);
  return conditions;
}

Result<Lockfile> ParseLockfile(std::string_view text, Problems& problems) {
  PISHIP_TRY(const json::Value document, json::Parse(text, problems.file()));
  Lockfile lockfile;
  ObjectReader reader(document, "the lock", problems, UnknownKeys::kIgnore);
  const auto version = reader.Integer("lockfileVersion");
  if (!version) return lockfile;
  if (*version != 2 && *version != 3) {
    problems.Add(reader.PositionOf("lockfileVersion"),
                 "lockfileVersion " + std::to_string(*version) +
                     " can't be read, only 2 and 3; write the lock anew with npm 7 or later");
    return lockfile;
  }
  const json::Value* packages = reader.Object("packages");
  if (packages == nullptr) return lockfile;
  for (const json::Member& member : packages->object()) {
    if (member.name.empty()) continue;
    if (!member.name.starts_with("node_modules/")) {
      lockfile.locals.push_back({member.name, member.position});
      continue;
    }
    if (auto entry = EntryReader(member, problems).Read()) lockfile.entries.push_back(*std::move(entry));
  }
  DropOrphans(lockfile, problems);
  return lockfile;
}

Result<Manifest> ParseManifest(std::string_view text, Problems& problems) {
  PISHIP_TRY(const json::Value document, json::Parse(text, problems.file()));
  Manifest manifest;
  if (!document.is(json::Kind::kObject)) {
    problems.Add(document.position(),
                 "a package.json must be an object, not " + std::string(json::KindName(document.kind())));
    return manifest;
  }
  manifest.dependencies = ReadDependencies(document, DevelopmentDependencies::kRead, problems);
  manifest.platforms = ReadPlatformConditions(document, problems);
  if (const json::Value* overrides = document.Find("overrides"); overrides != nullptr) {
    CollectOverridden(*overrides, manifest.overridden);
  }
  if (const json::Value* workspaces = document.Find("workspaces"); workspaces != nullptr) {
    const bool none = workspaces->is(json::Kind::kArray) && workspaces->array().empty();
    if (!none)
      problems.Add(workspaces->position(), "\"workspaces\" can't be vendored; vendor each workspace by its own lock");
  }
  return manifest;
}

}  // namespace piship
