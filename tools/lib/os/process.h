// SPDX-License-Identifier: MIT
// Runs another program to its end: by argument vector, never through a shell, with the caller's environment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship {

struct ProcessResult {
  int status = 0;  // its exit status, or 128 + the signal that ended it
  std::string output;
};

// Gives it `input` on standard input and collects standard output, at most `output_limit` bytes (kLimitExceeded); its
// standard error is the caller's. argv[0] is looked up in PATH where it has no slash. kFileNotFound where there is no
// such program.
Result<ProcessResult> RunProcess(const std::vector<std::string>& argv, std::string_view input,
                                 std::size_t output_limit);

}  // namespace piship
