// SPDX-License-Identifier: MIT
// The script that runs inside the engine before the application's entry; a launch hands it to it with --require. It
// prepares the application's start (docs/adr/0025), and judges the version of an engine of the user's (docs/adr/0009).
#pragma once

#include <string>
#include <string_view>

#include "model/semver.h"

namespace piship {

// JavaScript that any engine since Node.js 4 can run. An engine whose version is in `range` goes on, prepared, as if
// the script had not been there: it removes itself from process.execArgv and from the module cache. Any other one
// prints what `name` needs and what was found, as `command` would, and exits with status 126. A prerelease of the
// engine counts as the version that it leads to: 22.0.0-rc.1 is judged as 22.0.0.
std::string EngineCheckScript(const VersionRange& range, std::string_view name, std::string_view command);

// The same for an engine of the payload, without a judgement: what a launch has put into the environment for it
// (runtime/launch/environment.cc) is done, which never fails. Variables that were kept from the engine are given back
// to the application, and the engine's compile cache is turned on.
std::string EnginePrepareScript();

}  // namespace piship
