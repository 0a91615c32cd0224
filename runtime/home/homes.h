// SPDX-License-Identifier: MIT
// The directories of a user that the runtime works in, and the names of everything below the install home.
// docs/runtime.md lists the variables and their defaults.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/home_layout.h"

namespace piship {

// Absolute paths without a slash at the end.
struct Homes {
  std::string install;
  std::string state;
  std::string bin;
  std::string cache;
};

// From PISHIP_*_HOME, the XDG base directories and HOME. kHomeInvalid: a variable of PiShip's is not absolute, HOME is
// needed and missing, or one home lies in another.
Result<Homes> HomesFromEnvironment();
// One home alone, for a launch: the others may be unset or wrong.
Result<std::string> InstallHomeFromEnvironment();
Result<std::string> StateHomeFromEnvironment();

// Below a state home: what the engine remembers of one version's modules (docs/adr/0025).
std::string CompileCachesDirectory(std::string_view state_home, std::string_view id);
std::string CompileCacheDirectory(std::string_view state_home, std::string_view id, std::string_view version);
// Below an install home, beside what model/home_layout.h names.
// The TUF metadata that a distribution's updates are verified with.
std::string TrustDirectory(std::string_view install_home, std::string_view id);
// Archives while they are downloaded.
std::string DownloadsDirectory(std::string_view install_home);

// Makes a directory of an install home and those above it. Those in the install home itself are for everybody who may
// start what is installed there: exactly 0755, whatever the umask. An existing one is left alone.
Status MakeHomeDirectory(const std::string& path);

}  // namespace piship
