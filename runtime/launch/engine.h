// SPDX-License-Identifier: MIT
// Executes the JavaScript engine of a payload.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "launch/environment.h"
#include "model/distribution_lock.h"

namespace piship {

// `payload`: the version's directory, absolute. `user_arguments` follow the lock's. The process's environment is passed
// on. Returns only with the reason why nothing was executed: kEngineMissing, kEngineUnsuitable, or what the system
// said.
Error ExecuteEngine(const DistributionLock& lock, const std::string& payload, const EngineStart& start,
                    const std::vector<const char*>& user_arguments);

}  // namespace piship
