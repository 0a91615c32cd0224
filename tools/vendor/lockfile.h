// SPDX-License-Identifier: MIT
// package-lock.json, lockfileVersion 2 and 3, as strict types (the format is described in npm's documentation,
// "package-lock.json"). Only "packages" is read; "dependencies" of version 2 repeats it for npm 6.
//
// Flags that npm computes again from the dependencies whenever it installs ("dev", "optional", "peer", "extraneous")
// are not read: what a lock says about them may be stale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/problems.h"
#include "vendor/dependency.h"

namespace piship {

struct BinFile {
  std::string command;
  std::string target;  // relative to the package, normalized: never leaves it
};

// Where a package says it runs. Absent: anywhere.
struct PlatformConditions {
  std::optional<std::vector<std::string>> os;
  std::optional<std::vector<std::string>> cpu;
  std::optional<std::vector<std::string>> libc;
};

struct LockEntry {
  std::string path;     // "node_modules/a/node_modules/@b/c"
  std::string parent;   // "node_modules/a"; empty: the project
  std::string name;     // "@b/c": under this name others find it
  std::string package;  // the name in the registry, another one for an alias
  std::string version;
  std::string resolved;   // empty where the lock names no URL
  std::string integrity;  // empty where it is missing
  json::Position position;
  std::vector<Dependency> dependencies;
  std::vector<std::string> bundled;  // names that come inside this package's tarball
  std::vector<BinFile> bins;
  PlatformConditions platforms;
  std::string node_range;  // engines.node, or empty
  bool link = false;
  bool install_script = false;
  bool shrinkwrap = false;  // brings a lock of its own, which decides what its dependencies are
};

// A directory outside node_modules: a workspace, or what a "file:" dependency names.
struct LocalDirectory {
  std::string path;
  json::Position position;
};

struct Lockfile {
  std::vector<LockEntry> entries;  // in the order of the file, without the project itself
  std::vector<LocalDirectory> locals;
};

// Notes in `problems` everything that is wrong with the form and leaves out the entries concerned; which of the others
// may be used is the selection's business. kJsonInvalid where the text is no JSON.
Result<Lockfile> ParseLockfile(std::string_view text, Problems& problems);

// The commands of a "bin" value, in the order in which npm makes them.
std::vector<BinFile> ReadBins(const json::Value& value, std::string_view package);
PlatformConditions ReadPlatformConditions(const json::Value& package, Problems& problems);

// What is read from the project's package.json.
struct Manifest {
  std::vector<Dependency> dependencies;
  std::vector<std::string> overridden;  // names for which "overrides" decides the version
  PlatformConditions platforms;
};
Result<Manifest> ParseManifest(std::string_view text, Problems& problems);

}  // namespace piship
