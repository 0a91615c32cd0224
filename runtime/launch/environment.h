// SPDX-License-Identifier: MIT
// What the engine and the application of a start get to see: docs/adr/0025.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/distribution_lock.h"

namespace piship {

struct EngineStart {
  std::vector<std::string> flags;      // of the engine
  std::vector<std::string> arguments;  // of the application, before the user's
  // The lock's script must run before the application: it finds what to do in the environment, and takes that away.
  bool prepares = false;
};

// The lock's values, expanded; the environment of this process becomes the engine's.
Result<EngineStart> PrepareStart(const DistributionLock& lock, const std::string& payload);

}  // namespace piship
