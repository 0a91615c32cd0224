// SPDX-License-Identifier: MIT
// The texts of the modules that mention their own place, with that place bound: esbuild's plain transform with defines,
// one process for all of a format. What was made once is remembered by the store.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/facts.h"
#include "store/store.h"

namespace piship::bundle {

struct RewriteRequest {
  std::string path;  // of the tree
  InventoryEntry original;
  const Facts* facts = nullptr;
  bool is_program = false;
};

// `scratch` is a directory for what esbuild reads and writes. `version` names everything else that the result depends
// on: esbuild and this program.
Result<std::map<std::string, StoredObject>> Rewrite(const std::vector<RewriteRequest>& requests, const Esbuild& esbuild,
                                                    const std::string& version, const std::string& scratch,
                                                    const Store& store);

}  // namespace piship::bundle
