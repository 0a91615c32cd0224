// SPDX-License-Identifier: MIT
// Makes a kept version the active one again. No network is asked, no payload is read or written and the launcher stays:
// it starts every older version, and could not be sure of the reverse.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "home/homes.h"
#include "home/installer.h"
#include "home/state_schema.h"
#include "model/receipt.h"

namespace piship {

struct RollbackReport {
  std::string from;     // was active
  Receipt receipt;      // as it is now, or would be
  bool changed = true;  // else `to` was active already
};

// To the version `to`, or, where it is absent, to the one that was active before the active one. kNotInstalled where
// the distribution or the version is not there; kIntegrityFailed where the kept version's piship.lock is not the one
// that was installed; kStateNewer, kPlatformMismatch, kCommandTaken, kLockHeld. With DryRun::kYes nothing is changed.
Result<RollbackReport> RollBack(const Homes& homes, const std::string& id, const std::optional<std::string>& to,
                                AcceptState accept_state, DryRun dry_run);

}  // namespace piship
