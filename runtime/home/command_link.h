// SPDX-License-Identifier: MIT
// The command of a distribution: a symbolic link <bin home>/<command> to <install home>/apps/<id>/launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "home/homes.h"

namespace piship {

// kCommandTaken where the command's name belongs to something else. A link of this distribution's is fine, also a
// broken one that was made for an install home which has been moved since. kPermissionDenied where there is no link yet
// and none can be made.
Status CheckCommandFree(const Homes& homes, const std::string& command, const std::string& id);
// Makes the link, atomically; a right one is left alone.
Status MakeCommandLink(const Homes& homes, const std::string& command, const std::string& id);
// The names of all links of this distribution's in the bin home.
Result<std::vector<std::string>> CommandLinks(const Homes& homes, const std::string& id);
// Removes the links of this distribution's that have another name than `except`.
Status RemoveCommandLinks(const Homes& homes, const std::string& id, const std::string& except);

// Whether the bin home is a directory of PATH.
bool BinHomeIsOnPath(const Homes& homes);
// The first command of that name on PATH that is the launcher, whoever made the link; absent where there is none.
std::optional<std::string> CommandOnPath(const std::string& command, const std::string& launcher);

}  // namespace piship
