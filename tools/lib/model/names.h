// SPDX-License-Identifier: MIT
// The short names that an owner chooses, which become file names, parts of URLs and words that are typed in a shell;
// and the names of npm packages in paths.
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

// The package that `path` belongs to: ".../node_modules/<name>" or ".../node_modules/@<scope>/<name>"; empty where it
// belongs to none. A view into `path`.
std::string_view PackageOf(std::string_view path);
// Whether the file is a licence or a notice by its name; such files are never left out, whatever their names end in.
bool IsLicence(std::string_view path);

}  // namespace piship
