// SPDX-License-Identifier: MIT
#include "os/run_tool.h"

#include "os/descriptors.h"

namespace piship {

int RunTool(int argc, char** argv, CommandLine& command_line, const std::function<Status()>& run) {
  OpenClosedStandardStreams();
  ReportFileSizeLimit();
  return RunMain(argc, argv, command_line, run);
}

}  // namespace piship
