// SPDX-License-Identifier: MIT
// Keeps the engine's compile caches small: the engine writes them and never removes anything (docs/adr/0025).
#pragma once

#include <cstdint>
#include <string>

#include "model/receipt.h"
#include "os/beneath.h"

namespace piship {

// More than any application's modules need; a cache that is larger has grown by what an application loads once.
inline constexpr std::uint64_t kMostCompileCacheBytes = std::uint64_t{64} << 20;

// Removes the caches of versions that the receipt does not name (all of them where there is none), and those that are
// too large, as long as `stop` lets it. What can't be removed stays: nothing needs a cache, and nothing trusts one. A
// program that runs meanwhile goes on, and may begin its cache anew.
void BoundCompileCaches(const std::string& state_home, const std::string& id, const Receipt* receipt,
                        const Stop& stop = {});

}  // namespace piship
