// SPDX-License-Identifier: MIT
// The directories of a user that the runtime works in, and the names of everything below the install home.
// docs/runtime.md lists the variables and their defaults.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

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

// Below an install home.
std::string ReceiptsDirectory(std::string_view install_home);
std::string ReceiptPath(std::string_view install_home, std::string_view id);
// Holds the versions' directories, "launch" and ".lock".
std::string AppDirectory(std::string_view install_home, std::string_view id);
std::string VersionDirectory(std::string_view install_home, std::string_view id, std::string_view version);
std::string LauncherPath(std::string_view install_home, std::string_view id);
// Below a state home: what the engine remembers of one version's modules (docs/adr/0025).
std::string CompileCachesDirectory(std::string_view state_home, std::string_view id);
std::string CompileCacheDirectory(std::string_view state_home, std::string_view id, std::string_view version);
// The TUF metadata that a distribution's updates are verified with.
std::string TrustDirectory(std::string_view install_home, std::string_view id);
// Archives while they are downloaded.
std::string DownloadsDirectory(std::string_view install_home);

// Makes a directory of an install home and those above it. Those in the install home itself are for everybody who may
// start what is installed there: exactly 0755, whatever the umask. An existing one is left alone.
Status MakeHomeDirectory(const std::string& path);

// Names in the payload.
inline constexpr std::string_view kPayloadLock = "piship.lock";
inline constexpr std::string_view kPayloadInventory = "metadata/inventory";
inline constexpr std::string_view kPayloadRoot = "metadata/root.json";  // of the channel, where the lock names one
inline constexpr std::string_view kPayloadRuntime = "bin/piship";

}  // namespace piship
