// SPDX-License-Identifier: MIT
// piship-strip: takes what no run needs out of an inventory of npm packages. It edits a list; no file is touched.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace piship::strip {

struct Options {
  std::string input;
  std::string store;
  std::vector<std::string> keep;  // patterns (glob.h) of whole paths
  std::string output;
  std::string report;
  std::string depfile;
};

Status Run(const Options& options);

}  // namespace piship::strip
