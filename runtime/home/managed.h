// SPDX-License-Identifier: MIT
// An installation that a package manager has brought, docs/adr/0024: the runtime starts and checks it, and changes
// nothing.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/receipt.h"

namespace piship {

enum class Change : std::uint8_t { kUpdate, kRepair, kRemove, kOther };

// kPackageManaged where the receipt names a package manager; what to do instead is the hint.
Status CheckChangeable(const Receipt& receipt, Change change);

// What the user types for that: a command of the package manager, where it is one that PiShip knows.
std::string ManagerAdvice(const ManagedBy& owner, Change change);

}  // namespace piship
