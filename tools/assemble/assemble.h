// SPDX-License-Identifier: MIT
// The stage that makes a payload of its parts: their inventories under their places, piship.lock, the runtime, reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/distribution_lock.h"
#include "model/entry.h"

namespace piship::assembly {

// As the command line gives them; names of files unless said otherwise.
struct Options {
  std::optional<std::string> packages;        // an inventory of node_modules/...
  std::vector<std::string> sources;           // inventories of the application's own files
  std::vector<std::string> resources;         // "<kind>=<inventory>"
  std::optional<std::string> engine;          // an inventory of engine/...
  std::optional<std::string> engine_package;  // its npm package, not a file
  std::optional<std::string> engine_version;
  std::optional<std::string> engine_range;  // instead of the three: what the engine of the user's PATH must satisfy
  std::optional<std::string> package_json;  // becomes app/package.json
  std::optional<std::string> npm_lockfile;  // its digest goes into the lock
  std::string runtime;
  std::vector<std::string> reports;  // "<name>=<file>"
  std::string id;
  std::optional<std::string> name;
  std::string command;
  std::string version;
  std::string platform;
  EntryRequest entry;
  std::vector<std::string> environment;  // "<name>=<value>"
  std::vector<std::string> arguments;
  std::vector<std::string> engine_flags;
  bool compile_cache = false;  // the engine may remember compiled modules; not where each start checks the payload
  bool verify_at_launch = false;
  std::optional<std::string> channel_url;  // all three or none
  std::optional<std::string> channel;
  std::optional<std::string> channel_root;  // a file: the root of the repository
  std::int64_t keep_versions = kDefaultKeepVersions;
  std::int64_t state_schema = 0;
  std::string store;
  std::string output;
  std::string lock_output;
  std::string depfile;
};

// Reads every part, checks that they fit together and writes lock, depfile and (last) inventory, each only if changed.
Status Assemble(const Options& options);

}  // namespace piship::assembly
