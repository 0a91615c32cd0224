// SPDX-License-Identifier: MIT
// Where things lie below an install home and in a payload: for the runtime, which works there, and for whoever makes an
// install home that a package manager brings. Nothing here looks at the disk.
#pragma once

#include <string>
#include <string_view>

namespace piship {

// Below an install home.
std::string ReceiptsDirectory(std::string_view install_home);
std::string ReceiptPath(std::string_view install_home, std::string_view id);
// Holds the versions' directories, "launch" and ".lock".
std::string AppDirectory(std::string_view install_home, std::string_view id);
std::string VersionDirectory(std::string_view install_home, std::string_view id, std::string_view version);
std::string LauncherPath(std::string_view install_home, std::string_view id);

// Names in the payload.
inline constexpr std::string_view kPayloadLock = "piship.lock";
inline constexpr std::string_view kPayloadInventory = "metadata/inventory";
inline constexpr std::string_view kPayloadRoot = "metadata/root.json";  // of the channel, where the lock names one
inline constexpr std::string_view kPayloadRuntime = "bin/piship";

}  // namespace piship
