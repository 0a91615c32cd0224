// SPDX-License-Identifier: MIT
// What lies in apps/<id> and is named by no receipt: versions that an update has dropped, and what killed operations
// have left. It goes after a commit or when doctor is told to, never on the way to a start (docs/adr/0022).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "home/homes.h"
#include "model/receipt.h"
#include "os/beneath.h"

namespace piship {

// How long deleting may last, from its first question on; PISHIP_RECLAIM_BUDGET_MS in the environment is another time
// for both.
inline constexpr std::chrono::milliseconds kReclaimBudget{1500};          // after a commit
inline constexpr std::chrono::milliseconds kDoctorReclaimBudget{30'000};  // on demand
Stop StopAfter(std::chrono::milliseconds budget);

struct Leftover {
  std::string name;                   // of a directory in apps/<id>
  std::uint64_t bytes = 0;            // of all files in it
  std::optional<std::string> holder;  // "process 12", which uses or writes it; absent where nobody is known to
};
// Reads only, and takes no lock. Without a receipt everything is a leftover. Sorted by name.
std::vector<Leftover> FindLeftovers(const std::string& install_home, const std::string& id, const Receipt* receipt);

// The bytes of all files in a directory; what can't be read counts nothing.
std::uint64_t BytesIn(const std::string& directory);

// Deletes the leftovers that nobody has locked, and apps/<id> itself where nothing is installed. kLockHeld; a receipt
// that can't be read fails, and nothing is deleted.
Status Reclaim(const std::string& install_home, const std::string& id, const Stop& stop);

}  // namespace piship
