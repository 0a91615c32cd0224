// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/platform.h"

namespace piship {

// kPlatformMismatch, naming both, where a payload for `platform` can't run on this machine. The C library counts where
// the machine has just the other one. `subject` begins the message ("hello 1.0.0").
Status CheckPlatform(const Platform& platform, std::string_view subject);

}  // namespace piship
