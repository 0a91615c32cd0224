// SPDX-License-Identifier: MIT
// Which packages of a lock `npm ci --omit=dev` puts on disk for a platform, and what npm would refuse. docs/vendor.md
// has the rules in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/problems.h"
#include "model/platform.h"
#include "model/semver.h"
#include "vendor/lockfile.h"

namespace piship {

struct SelectionOptions {
  Platform platform;
  // Optional packages whose "engines" exclude this version of Node are left out, as npm does with its own Node; absent:
  // engines decide nothing.
  std::optional<Version> node;
  std::vector<std::string> without_integrity;  // packages that may lack "integrity"
};

struct SelectedPackage {
  const LockEntry* entry = nullptr;
  const LockEntry* bundler = nullptr;  // whose tarball brings this package along; null: it has its own
};

enum class LeftOutReason : std::uint8_t {
  kDevelopment,  // needed for development only
  kExtraneous,   // nothing needs it
  kPlatform,     // optional, for another os, cpu or C library
  kEngine,       // optional, for another Node
  kNotNeeded,    // only a package that was left out needs it
};
std::string_view LeftOutReasonName(LeftOutReason reason);  // "development", "platform", ...

struct LeftOutPackage {
  const LockEntry* entry = nullptr;
  LeftOutReason reason = LeftOutReason::kExtraneous;
  std::string detail;  // "os is darwin", or empty
};

struct Selection {
  std::vector<SelectedPackage> packages;  // in the order of the lock
  std::vector<LeftOutPackage> left_out;
  std::vector<std::string> notes;  // what npm would warn of
};

// `lock_problems` takes what is wrong with entries that would be placed, `mismatches` where package.json and the lock
// disagree. With a problem in either the selection is of no use. Its pointers are into `lockfile`.
Selection Select(const Manifest& manifest, const Lockfile& lockfile, const SelectionOptions& options,
                 Problems& lock_problems, Problems& mismatches);

// Why a package can't run on the platform, for example "os is darwin"; empty where it can.
std::string WhyNotOn(const Platform& platform, const PlatformConditions& conditions);

}  // namespace piship
