// SPDX-License-Identifier: MIT
// Removes a distribution. Its state, what the application itself has written, goes only on demand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "home/homes.h"
#include "home/installer.h"

namespace piship {

enum class State : std::uint8_t { kKeep, kPurge };

struct UninstallReport {
  bool was_installed = false;         // else only what an interrupted operation had left was removed
  std::vector<std::string> versions;  // removed, sorted
  std::vector<std::string> commands;  // links removed from the bin home
  // The path of the command that the receipt names, where it is something else than this distribution's link.
  std::vector<std::string> commands_left;
  std::string state_directory;
  bool state_exists = false;
  bool state_removed = false;
};

// kNotInstalled where there is nothing at all; kInUse, with nothing changed, where a program runs from it; kLockHeld.
// With DryRun::kYes the report says what would be removed.
Result<UninstallReport> Uninstall(const Homes& homes, const std::string& id, State state, DryRun dry_run);

}  // namespace piship
