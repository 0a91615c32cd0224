// SPDX-License-Identifier: MIT
// Node's resolution of a specifier to a file of the tree, for what the bundle's owner names (PUBLIC_MODULES) and for
// what code names in strings. What the bundle itself imports, esbuild resolves.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "bundle/module_text.h"
#include "model/inventory.h"

namespace piship::bundle {

class Resolver {
 public:
  using Read = std::function<Result<std::string>(const InventoryEntry&)>;
  // `tree` must outlive this. `conditions` are those that hold for both ways ("node", "node-addons", ...).
  Resolver(const Inventory& tree, Read read, std::vector<std::string> conditions);

  // The file that `specifier` means in the module `from`, imported (kModule) or required; nothing where it means none,
  // also where it is one of Node's own modules. Errors only where the store fails.
  Result<std::optional<std::string>> Resolve(std::string_view specifier, std::string_view from, Format how);

  // The directory's package.json that decides what a file's ending .js means; null where there is none.
  Result<const json::Value*> ScopeOf(std::string_view path);
  // Whether Node takes the file for a module by its name and package.json alone; nothing where its text decides.
  Result<std::optional<Format>> FormatOf(std::string_view path);

 private:
  Result<const json::Value*> Manifest(const std::string& directory);
  std::optional<std::string> AsFile(const std::string& path, Format how) const;
  Result<std::optional<std::string>> AsFileOrDirectory(const std::string& path, Format how);
  Result<std::optional<std::string>> InPackage(const std::string& package, const std::string& subpath, Format how);
  std::optional<std::string> Exported(const json::Value& exports, const std::string& subpath, Format how) const;
  std::optional<std::string> Mapped(const json::Value& exports, const std::string& subpath, Format how) const;
  Result<std::optional<std::string>> ResolveImport(const std::string& specifier, std::string_view from, Format how);
  std::optional<std::string> Target(const json::Value& target, std::string_view star, Format how) const;

  const Inventory& tree_;
  Read read_;
  std::set<std::string, std::less<>> conditions_;
  std::set<std::string, std::less<>> directories_;
  std::map<std::string, std::optional<json::Value>> manifests_;
};

// "fs", "node:fs", "fs/promises": answered by the engine itself.
bool IsEngineModule(std::string_view specifier);

// "a/b" for "./b" in the directory "a"; nothing where it leaves the tree.
std::optional<std::string> JoinRelative(std::string_view directory, std::string_view relative);

}  // namespace piship::bundle
