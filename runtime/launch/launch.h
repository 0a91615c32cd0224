// SPDX-License-Identifier: MIT
// Starts an installed distribution: what happens between a user's command and its JavaScript engine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship {

struct LauncherPlace {
  std::string install_home;
  std::string id;
};
// The distribution whose launcher a program at `own_place` (absolute) is: <install home>/apps/<id>/launch. Absent for
// any other place.
std::optional<LauncherPlace> LauncherPlaceOf(std::string_view own_place);

// Executes the engine in place of this process with the user's `arguments` after the distribution's own. Returns only
// where that was not possible. Standard streams, working directory, signal mask and signal dispositions stay as they
// are.
Error Launch(const LauncherPlace& place, const std::vector<const char*>& arguments);

// 127 where the engine is missing, 126 where it can't run the application, 125 for everything else: what a shell uses
// for the programs that it starts, so that no other number can be mistaken for the application's.
int LaunchExitStatus(const Error& error);

}  // namespace piship
