// SPDX-License-Identifier: MIT
#include "launch/launch.h"

#include "commands/commands.h"
#include "home/homes.h"
#include "model/names.h"

namespace piship {

Status RunLaunch(const LaunchOptions& options) {
  PISHIP_CHECK(CheckId(options.id, "the id"));
  PISHIP_TRY(const Homes homes, HomesFromEnvironment());
  std::vector<const char*> arguments;
  for (const std::string& argument : options.arguments) arguments.push_back(argument.c_str());
  return Fail(Launch({homes.install, options.id}, arguments));
}

}  // namespace piship
