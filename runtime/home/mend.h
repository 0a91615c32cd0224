// SPDX-License-Identifier: MIT
// Brings an installed payload that differs back to its inventory, file by file, while programs may run from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tree/compare.h"

namespace piship {

// Whether the file of the difference is to be written anew; otherwise what is at its path only goes.
bool IsWritten(const Difference& difference, bool listed);

// Renames the files of the open directory `staged` (`written`, relative paths) to the same paths in the open directory
// `payload`, which `name` is the name of, after everything of a wrong type and everything extra has been removed there.
// What was at a path stays until the right file takes its place.
Status MendPayload(int payload, std::string_view name, int staged, const std::vector<Difference>& differences,
                   const std::vector<std::string>& written);

}  // namespace piship
