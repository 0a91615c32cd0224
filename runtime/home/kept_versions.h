// SPDX-License-Identifier: MIT
// How many versions stay installed beside the active one: the user's number in the receipt, else the owner's in the
// active version's piship.lock (docs/adr/0022).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "home/homes.h"
#include "model/distribution_lock.h"
#include "model/receipt.h"

namespace piship {

// `active` is the lock of the receipt's active version.
std::int64_t VersionsToKeep(const Receipt& receipt, const DistributionLock& active);
// Takes the oldest kept versions out of the receipt where there are more.
void DropSurplus(Receipt& receipt, const DistributionLock& active);

// The user's choice: a number, or none of its own. Absent: nothing is changed.
struct KeepChoice {
  std::optional<std::int64_t> versions;
};
struct KeepReport {
  std::int64_t versions = 0;  // that count now
  bool chosen = false;        // by the user
  std::vector<std::string> dropped;
  Receipt receipt;
};
// kNotInstalled, kLockHeld, kUsage for a number that can't be; kIntegrityFailed where the active version's lock is
// damaged. What is dropped is deleted, within the time that a commit has for it.
Result<KeepReport> KeepVersions(const Homes& homes, const std::string& id, const std::optional<KeepChoice>& choice);

}  // namespace piship
