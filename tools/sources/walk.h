// SPDX-License-Identifier: MIT
// Finds the files that a list names below a base directory. docs/formats/source-list.md has the rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/problems.h"
#include "model/relative_path.h"

namespace piship::sources {

struct Found {
  std::vector<RelativePath> files;       // relative to the base, sorted, each once
  std::vector<std::string> directories;  // those that were walked, relative to the base ("." for itself), sorted
};

// `base` is the open base directory, `list` the text of the list file: a path a line. What can't be taken is noted in
// `problems` and left out; `code` becomes that of the first problem.
Found Walk(int base, std::string_view list, Problems& problems, ErrorCode& code);

// True for the names that are never taken: what a file manager or a version control system keeps for itself.
bool IsLeftOut(std::string_view name);

}  // namespace piship::sources
