// SPDX-License-Identifier: MIT
#include "launch/launch.h"

#include "commands/commands.h"
#include "home/homes.h"
#include "model/names.h"

namespace piship {

Status RunLaunch(const LaunchOptions& options) {
  PISHIP_CHECK(CheckId(options.id, "the id"));
  PISHIP_TRY(const std::string install_home, InstallHomeFromEnvironment());
  std::vector<const char*> arguments;
  for (const std::string& argument : options.arguments) arguments.push_back(argument.c_str());
  return Fail(Launch({install_home, options.id}, arguments));
}

}  // namespace piship
