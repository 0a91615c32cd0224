// SPDX-License-Identifier: MIT
// piship-sources: an application's own files become an inventory, their bytes objects of the store.
#pragma once

#include <string>

#include "base/result.h"

namespace piship::sources {

struct Options {
  std::string base;
  std::string list;
  std::string prefix;  // where the files go in the inventory; empty: at the top
  std::string store;
  std::string output;
  std::string depfile;
};

Status Run(const Options& options);

}  // namespace piship::sources
