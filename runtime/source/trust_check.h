// SPDX-License-Identifier: MIT
// What doctor says about the metadata that a distribution's updates are verified with; no network is asked.
#pragma once

#include <cstdint>
#include <string>

#include "home/health.h"
#include "model/receipt.h"

namespace piship {

// `now` in seconds since 1970.
Check ExamineTrust(const std::string& trust_directory, const Receipt& receipt, std::int64_t now);

}  // namespace piship
