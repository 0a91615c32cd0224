// SPDX-License-Identifier: MIT
// Data that a version has stored outlives it. Going to a version that can't read it is the user's to decide.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/distribution_lock.h"
#include "model/receipt.h"

namespace piship {

enum class AcceptState : std::uint8_t { kNo, kYes };

// kStateNewer where the lock of the active version has a higher state schema than `next`, unless that is accepted. An
// active version whose lock is damaged says nothing, so that whatever replaces it is not held up.
Status CheckState(const std::string& install_home, const Receipt& receipt, const DistributionLock& next,
                  AcceptState accept);

}  // namespace piship
