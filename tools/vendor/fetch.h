// SPDX-License-Identifier: MIT
// From lock entries to verified tarballs: out of the tarball cache where it has them, else from the registry, several
// at a time, with the user's npm configuration (docs/npm-configuration.md).
//
// The npm configuration is read only when something must be fetched, so a build with a warm cache depends on no file of
// the user. What `take` gets always matches the entry's integrity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship {

// What the outcome of a fetch is made of; all of it comes from a lock entry.
struct TarballRequest {
  std::string name;       // as the registry knows it ("@scope/name"; of an alias the name that it stands for)
  std::string version;    // exact
  std::string resolved;   // http(s) URL, or empty: then the configured registry is asked
  std::string integrity;  // SRI value, or empty: then nothing is checked but the transport (the caller's decision)
};

enum class NetworkUse : std::uint8_t { kAllowed, kRefused };

struct FetchOptions {
  std::string tarballs;           // the tarball cache's directory; made where it is missing
  std::string project_directory;  // where package.json lies: its .npmrc is the project's
  std::string registry;           // used where no npm configuration names one; may be empty
  NetworkUse network = NetworkUse::kAllowed;
  std::vector<std::string> environment;  // "NAME=value" each: npm_config_*, proxies, certificates, HOME, CI, NO_COLOR
  std::size_t threads = 0;               // that run `take`; 0: one per processor
  int progress_fd = -1;                  // where progress is drawn if it is a terminal; -1: nowhere
};

struct FetchSummary {
  std::size_t cached = 0;   // tarballs that were there
  std::size_t fetched = 0;  // tarballs that came over the network
  std::uint64_t fetched_bytes = 0;
  std::vector<std::string> warnings;  // one line each, for standard error ("strict-ssl is false: ...")
};

// Called once per request, in no particular order, from several threads at once; `tarball` lives until it returns.
using TakeTarball = std::function<Status(std::size_t index, std::string_view tarball)>;

// Delivers every request's tarball to `take`. All requests are tried; a single failure (of fetching or of `take`) is
// returned as it is, several as one error with the first one's code and a line for each. Codes: kOffline,
// kRegistryUnknown, kNpmrcInvalid, kNetworkFailed, kTlsFailed, kHttpFailed, kAuthenticationFailed, kIntegrityMismatch,
// kLimitExceeded, kLockfileInvalid (an integrity or a URL that can't be used), and those of files.
Result<FetchSummary> FetchTarballs(const std::vector<TarballRequest>& requests, const FetchOptions& options,
                                   const TakeTarball& take);

}  // namespace piship
