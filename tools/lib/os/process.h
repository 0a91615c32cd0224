// SPDX-License-Identifier: MIT
// Runs another program to its end: by argument vector, never through a shell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship {

// Which of the program's streams is collected. With kError its standard output is thrown away; with kOutput its
// standard error is the caller's.
enum class Collected : std::uint8_t { kOutput, kError };

struct ProcessRequest {
  std::vector<std::string> argv;                             // argv[0] is looked up in PATH where it has no slash
  std::string_view input = {};                               // what it reads on standard input
  std::size_t output_limit = 0;                              // bytes; kLimitExceeded where it prints more
  Collected collected = Collected::kOutput;                  //
  std::optional<std::string> directory = {};                 // its working directory; the caller's where there is none
  std::optional<std::vector<std::string>> environment = {};  // "<name>=<value>", all of it; the caller's where none
};

struct ProcessResult {
  int status = 0;      // its exit status, or 128 + the signal that ended it
  std::string output;  // of the collected stream
};

// kFileNotFound where there is no such program.
Result<ProcessResult> RunProcess(const ProcessRequest& request);

}  // namespace piship
