// SPDX-License-Identifier: MIT
// From selected packages and what they contain to the files of node_modules: who wins where two packages bring the same
// path, and which files are commands.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/inventory.h"
#include "vendor/package.h"
#include "vendor/selection.h"

namespace piship {

// `contents` goes with `packages`; that of a bundled package is empty, since its bundler's has the files.
Result<Inventory> PlacePackages(const std::vector<SelectedPackage>& packages,
                                const std::vector<const Package*>& contents);

// Whether a bundler's content holds the package that the lock says comes inside.
bool HoldsBundled(const Package& bundler_contents, const LockEntry& bundler, const LockEntry& bundled);

// The order in which npm makes commands: of two packages that bring one command, the first in this order has it.
// Shallow packages first, then by path in the collation of English (Unicode's default, which puts letters of either
// case together).
bool MakesCommandsBefore(const LockEntry& a, const LockEntry& b);

}  // namespace piship
