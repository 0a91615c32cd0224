// SPDX-License-Identifier: MIT
// The script that judges the engine's version inside the engine (docs/adr/0009). A launch hands it to the engine with
// --require, before the application's entry.
#pragma once

#include <string>
#include <string_view>

#include "model/semver.h"

namespace piship {

// JavaScript that any engine since Node.js 4 can run. An engine whose version is in `range` goes on as if the script
// had not been there: it removes itself from process.execArgv and from the module cache. Any other one prints what
// `name` needs and what was found, as `command` would, and exits with status 126. A prerelease of the engine counts as
// the version that it leads to: 22.0.0-rc.1 is judged as 22.0.0.
std::string EngineCheckScript(const VersionRange& range, std::string_view name, std::string_view command);

}  // namespace piship
