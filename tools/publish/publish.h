// SPDX-License-Identifier: MIT
// The verbs of piship-publish.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "publish/signers.h"

namespace piship::publish {

struct Options {
  std::string repository;
  SignerOptions signing;
  std::string keys_directory;           // where new keys go
  std::vector<std::string> role_keys;   // "<role>=<pem file>"
  std::vector<std::string> thresholds;  // "<role>=<number>"
  std::vector<std::string> days;        // "<role>=<number>"; "channel" for all delegated roles
  std::vector<std::string> channels;    // init
  std::vector<std::string> releases;    // add: release.json files
  std::int64_t deltas = 0;              // add: from how many releases before the newest
  std::string channel;                  // add, withdraw; promote: to which
  std::string from;                     // promote
  std::string role;                     // rotate
  std::string id;                       // withdraw, promote
  std::string version;                  // withdraw, promote
  std::optional<std::string> platform;  // withdraw, promote: only of this one
  std::optional<std::string> now;       // a time in place of the clock's
};

// What was done goes to standard output, a line each.
Status Run(std::string_view verb, const Options& options);

}  // namespace piship::publish
