// SPDX-License-Identifier: MIT
// Runs another program to its end, for what it says on standard error (os/process.h has those whose output is wanted).
// No shell, no environment of one's own: everything that it sees is named here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace piship::bundle {

struct ProgramRequest {
  std::string executable;                           // a path
  std::vector<std::string> arguments;               // without the program's own name
  std::string directory;                            // its working directory
  std::vector<std::string> environment = {};        // "<name>=<value>", the whole of it
  std::size_t error_limit = std::size_t{64} << 20;  // of what it may print to its standard error
};

struct ProgramResult {
  int status = 0;     // the exit status, or 128 and the signal that ended it
  std::string error;  // what it printed to its standard error
};

// Standard input and output are /dev/null. kSystem-like errors only where the program could not be started or watched.
Result<ProgramResult> RunProgram(const ProgramRequest& request);

}  // namespace piship::bundle
