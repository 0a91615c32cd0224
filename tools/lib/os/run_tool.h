// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "base/cli.h"

namespace piship {

// RunMain (base/cli.h) for a program that starts no other one: a standard stream that is closed is never taken for a
// file, and a file size limit (RLIMIT_FSIZE) is an error that is reported instead of a death by a signal.
int RunTool(int argc, char** argv, CommandLine& command_line, const std::function<Status()>& run);

}  // namespace piship
