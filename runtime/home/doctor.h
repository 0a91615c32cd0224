// SPDX-License-Identifier: MIT
// What is well and what is not with an installation, and mending what needs no release. Examining writes nothing and
// keeps nobody from starting: it takes shared locks only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "home/health.h"
#include "home/homes.h"
#include "model/distribution_lock.h"
#include "model/receipt.h"

namespace piship {

// What the examination has read on the way.
struct Examination {
  std::vector<Check> checks;
  std::optional<Receipt> receipt;        // absent where it is missing or damaged
  std::optional<DistributionLock> lock;  // of the active version; absent where it is damaged
  bool intact = false;                   // the active payload
};
// kNotInstalled where there is neither a receipt nor a directory of the distribution.
Result<Examination> ExamineInstallation(const Homes& homes, const std::string& id);
// Archives in the install home that no process is downloading.
Check ExamineDownloads(const Homes& homes);
void RemoveDownloads(const Homes& homes);

// Waits for the disk where an install did not, makes launcher and command link anew where they are missing or wrong,
// and deletes leftovers for at most kDoctorReclaimBudget. kNotInstalled, kLockHeld, kCommandTaken, and what the system
// says.
Status MendInstallation(const Homes& homes, const std::string& id);

}  // namespace piship
