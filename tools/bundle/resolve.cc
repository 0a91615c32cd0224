// SPDX-License-Identifier: MIT
#include "bundle/resolve.h"

#include <algorithm>
#include <array>

#include "base/files.h"

namespace piship::bundle {
namespace {

constexpr std::array<std::string_view, 43> kEngineModules = {"assert",
                                                             "async_hooks",
                                                             "buffer",
                                                             "child_process",
                                                             "cluster",
                                                             "console",
                                                             "constants",
                                                             "crypto",
                                                             "dgram",
                                                             "diagnostics_channel",
                                                             "dns",
                                                             "domain",
                                                             "events",
                                                             "fs",
                                                             "http",
                                                             "http2",
                                                             "https",
                                                             "inspector",
                                                             "module",
                                                             "net",
                                                             "os",
                                                             "path",
                                                             "perf_hooks",
                                                             "process",
                                                             "punycode",
                                                             "querystring",
                                                             "readline",
                                                             "repl",
                                                             "stream",
                                                             "string_decoder",
                                                             "sys",
                                                             "timers",
                                                             "tls",
                                                             "trace_events",
                                                             "tty",
                                                             "url",
                                                             "util",
                                                             "v8",
                                                             "vm",
                                                             "wasi",
                                                             "worker_threads",
                                                             "zlib",
                                                             "_http_agent"};

bool IsRelative(std::string_view specifier) {
  return specifier == "." || specifier == ".." || specifier.starts_with("./") || specifier.starts_with("../");
}

// "name" and "@scope/name" of a bare specifier; empty where it is none.
std::string_view PackageName(std::string_view specifier) {
  std::size_t end = specifier.find('/');
  if (specifier.starts_with('@')) {
    if (end == std::string_view::npos) return {};
    end = specifier.find('/', end + 1);
  }
  const std::string_view name = specifier.substr(0, end);
  const bool good = !name.empty() && name.front() != '.' && name.front() != '#' && name.back() != '/' &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                             std::string_view("@/-._~").find(c) != std::string_view::npos;
                    });
  return good ? name : std::string_view();
}

std::string StringMember(const json::Value* value, std::string_view name) {
  const json::Value* member = value != nullptr ? value->Find(name) : nullptr;
  return member != nullptr && member->is(json::Kind::kString) ? member->string() : std::string();
}

}  // namespace

bool IsEngineModule(std::string_view specifier) {
  if (specifier.starts_with("node:")) return true;
  const std::string_view first = specifier.substr(0, specifier.find('/'));
  return std::find(kEngineModules.begin(), kEngineModules.end(), first) != kEngineModules.end();
}

std::optional<std::string> JoinRelative(std::string_view directory, std::string_view relative) {
  std::vector<std::string_view> components;
  const auto take = [&](std::string_view path) {
    while (!path.empty()) {
      const std::size_t slash = path.find('/');
      const std::string_view component = path.substr(0, slash);
      path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
      if (component.empty() || component == ".") continue;
      if (component != "..") {
        components.push_back(component);
      } else {
        if (components.empty()) return false;
        components.pop_back();
      }
    }
    return true;
  };
  if (!take(directory) || !take(relative) || components.empty()) return std::nullopt;
  std::string joined;
  for (const std::string_view component : components) joined += (joined.empty() ? "" : "/") + std::string(component);
  return joined;
}

Resolver::Resolver(const Inventory& tree, Read read, std::vector<std::string> conditions)
    : tree_(tree), read_(std::move(read)), conditions_(conditions.begin(), conditions.end()) {
  for (const InventoryEntry& entry : tree.entries()) {
    for (std::string path = ParentPath(entry.path.str()); path != "."; path = ParentPath(path)) {
      if (!directories_.insert(path).second) break;
    }
  }
}

Result<const json::Value*> Resolver::Manifest(const std::string& directory) {
  const auto [known, is_new] = manifests_.try_emplace(directory);
  if (is_new) {
    const InventoryEntry* entry = tree_.Find(JoinPath(directory, "package.json"));
    if (entry != nullptr) {
      PISHIP_TRY(const std::string text, read_(*entry));
      // One that can't be parsed says nothing, as for esbuild; Node would refuse to load what lies beside it.
      if (auto value = json::Parse(text, entry->path.str())) known->second = *std::move(value);
    }
  }
  return known->second ? &*known->second : nullptr;
}

Result<const json::Value*> Resolver::ScopeOf(std::string_view path) {
  for (std::string directory = ParentPath(path); directory != "."; directory = ParentPath(directory)) {
    PISHIP_TRY(const json::Value* manifest, Manifest(directory));
    if (manifest != nullptr || FileName(directory) == "node_modules") return manifest;
  }
  return nullptr;
}

Result<std::optional<Format>> Resolver::FormatOf(std::string_view path) {
  if (path.ends_with(".mjs") || path.ends_with(".mts")) return Format::kModule;
  if (path.ends_with(".cjs") || path.ends_with(".cts")) return Format::kCommonJs;
  PISHIP_TRY(const json::Value* scope, ScopeOf(path));
  const std::string type = StringMember(scope, "type");
  if (type == "module") return Format::kModule;
  if (type == "commonjs") return Format::kCommonJs;
  return std::nullopt;
}

std::optional<std::string> Resolver::AsFile(const std::string& path, Format how) const {
  if (tree_.Find(path) != nullptr) return path;
  if (how == Format::kModule) return std::nullopt;
  for (const char* ending : {".js", ".json", ".node"}) {
    if (tree_.Find(path + ending) != nullptr) return path + ending;
  }
  return std::nullopt;
}

Result<std::optional<std::string>> Resolver::AsFileOrDirectory(const std::string& path, Format how) {
  if (auto file = AsFile(path, how)) return file;
  if (how == Format::kModule || !directories_.contains(path)) return std::nullopt;
  PISHIP_TRY(const json::Value* manifest, Manifest(path));
  if (const std::string main = StringMember(manifest, "main"); !main.empty()) {
    if (const auto joined = JoinRelative(path, main)) {
      if (auto file = AsFile(*joined, how)) return file;
      if (auto file = AsFile(*joined + "/index", how)) return file;
    }
  }
  return AsFile(path + "/index", how);
}

std::optional<std::string> Resolver::Target(const json::Value& target, std::string_view star, Format how) const {
  if (target.is(json::Kind::kString)) {
    std::string path = target.string();
    for (std::size_t at = path.find('*'); at != std::string::npos; at = path.find('*', at + star.size())) {
      path.replace(at, 1, star);
    }
    return path;
  }
  if (target.is(json::Kind::kArray)) {
    for (const json::Value& item : target.array()) {
      if (auto path = Target(item, star, how)) return path;
    }
    return std::nullopt;
  }
  if (!target.is(json::Kind::kObject)) return std::nullopt;
  for (const json::Member& member : target.object()) {
    const bool holds = member.name == "default" || conditions_.contains(member.name) ||
                       member.name == (how == Format::kModule ? "import" : "require");
    if (!holds) continue;
    if (auto path = Target(member.value, star, how)) return path;
  }
  return std::nullopt;
}

std::optional<std::string> Resolver::Exported(const json::Value& exports, const std::string& subpath,
                                              Format how) const {
  const bool is_map =
      exports.is(json::Kind::kObject) && !exports.object().empty() && exports.object().front().name.starts_with('.');
  if (!is_map) return subpath == "." ? Target(exports, "", how) : std::nullopt;
  return Mapped(exports, subpath, how);
}

// The target of `subpath` in a map of exports or imports.
std::optional<std::string> Resolver::Mapped(const json::Value& exports, const std::string& subpath, Format how) const {
  if (const json::Value* exact = exports.Find(subpath); exact != nullptr && subpath.find('*') == std::string::npos) {
    return Target(*exact, "", how);
  }
  const json::Member* best = nullptr;
  for (const json::Member& member : exports.object()) {
    const std::size_t star = member.name.find('*');
    if (star == std::string::npos) continue;
    const std::string_view before = std::string_view(member.name).substr(0, star);
    const std::string_view after = std::string_view(member.name).substr(star + 1);
    const bool matches =
        subpath.size() >= member.name.size() && subpath.starts_with(before) && subpath.ends_with(after);
    if (matches && (best == nullptr || star > best->name.find('*'))) best = &member;
  }
  if (best == nullptr) return std::nullopt;
  const std::size_t star = best->name.find('*');
  return Target(best->value, std::string_view(subpath).substr(star, subpath.size() - best->name.size() + 1), how);
}

Result<std::optional<std::string>> Resolver::InPackage(const std::string& package, const std::string& subpath,
                                                       Format how) {
  PISHIP_TRY(const json::Value* manifest, Manifest(package));
  const json::Value* exports = manifest != nullptr ? manifest->Find("exports") : nullptr;
  if (exports != nullptr && !exports->is(json::Kind::kNull)) {
    const auto target = Exported(*exports, subpath, how);
    const auto path = target && target->starts_with("./") ? JoinRelative(package, *target) : std::nullopt;
    return path && tree_.Find(*path) != nullptr ? path : std::nullopt;
  }
  if (subpath != ".") {
    const auto path = JoinRelative(package, subpath);
    if (!path) return std::nullopt;
    return AsFileOrDirectory(*path, how);
  }
  return AsFileOrDirectory(package, Format::kCommonJs);  // "main" and index.js, for imports too
}

// "#name", which the package's own map of imports explains.
Result<std::optional<std::string>> Resolver::ResolveImport(const std::string& specifier, std::string_view from,
                                                           Format how) {
  for (std::string directory = ParentPath(from); directory != "."; directory = ParentPath(directory)) {
    PISHIP_TRY(const json::Value* manifest, Manifest(directory));
    if (manifest == nullptr) continue;
    const json::Value* imports = manifest->Find("imports");
    if (imports == nullptr || !imports->is(json::Kind::kObject)) return std::nullopt;
    const auto target = Mapped(*imports, specifier, how);
    if (!target || target->starts_with('#')) return std::nullopt;
    // A package or a file, either as seen from the package.json.
    return Resolve(*target, directory + "/package.json", how);
  }
  return std::nullopt;
}

Result<std::optional<std::string>> Resolver::Resolve(std::string_view specifier, std::string_view from, Format how) {
  if (IsRelative(specifier)) {
    const auto path = JoinRelative(ParentPath(from), specifier);
    if (!path) return std::nullopt;
    return AsFileOrDirectory(*path, how);
  }
  if (specifier.starts_with('#')) return ResolveImport(std::string(specifier), from, how);
  const std::string_view name = PackageName(specifier);
  if (name.empty() || IsEngineModule(specifier)) return std::nullopt;
  const std::string subpath = name == specifier ? "." : "." + std::string(specifier.substr(name.size()));
  // A package may name itself, where it has exports.
  for (std::string directory = ParentPath(from); directory != "."; directory = ParentPath(directory)) {
    PISHIP_TRY(const json::Value* manifest, Manifest(directory));
    if (manifest == nullptr) continue;
    if (StringMember(manifest, "name") == name && manifest->Find("exports") != nullptr) {
      return InPackage(directory, subpath, how);
    }
    break;
  }
  for (std::string directory = ParentPath(from); directory != "."; directory = ParentPath(directory)) {
    if (FileName(directory) == "node_modules") continue;
    const std::string package = directory + "/node_modules/" + std::string(name);
    if (directories_.contains(package)) return InPackage(package, subpath, how);
  }
  return std::nullopt;
}

}  // namespace piship::bundle
