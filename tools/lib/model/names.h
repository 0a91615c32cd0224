// SPDX-License-Identifier: MIT
// The short names that an owner chooses. They become file names, parts of URLs and words that are typed in a shell.
#pragma once

#include <string_view>

#include "base/result.h"

namespace piship {

// Distribution ids and commands: lower-case letters, digits and single hyphens, beginning with a letter, not ending in
// a hyphen, at most 64 bytes; no device name of Windows. `what` is the subject of the error ("the command").
Status CheckId(std::string_view text, std::string_view what);
// Environment variables: upper-case letters, digits and '_', not beginning with a digit; none that changes how programs
// are loaded (LD_*, DYLD_*) and none of PiShip's own (PISHIP_*).
Status CheckEnvironmentName(std::string_view text);

}  // namespace piship
