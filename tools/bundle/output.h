// SPDX-License-Identifier: MIT
// What esbuild has written becomes files of the application, and the old places that must stay loadable get forwarding
// modules.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/facts.h"
#include "bundle/plan.h"
#include "model/inventory.h"
#include "store/store.h"

namespace piship::bundle {

struct OutputRequest {
  const Inventory* app = nullptr;  // paths app/...
  const Plan* plan = nullptr;
  const Ledger* ledger = nullptr;
  const Metafile* metafile = nullptr;
  std::string tree;                  // where esbuild has run
  bool program_may_require = false;  // every engine that may run this can require() a module of ESM
};

struct BundledApp {
  Inventory inventory;               // paths app/...
  std::vector<std::string> bundled;  // modules of the application that are in the bundle and no longer files
  std::vector<std::string> chunks;   // the files of the bundle
};

Result<BundledApp> MakeOutput(const OutputRequest& request, const Store& store);

// One file of esbuild's with its own require bound to the file's place. `is_changed` tells whether it had one.
std::string FinishChunk(std::string_view text);
// The text of a forwarding module. `first_line` is the original's where that is a hashbang, else empty.
std::string ForwardingModule(std::string_view first_line, std::string_view chunk,
                             const std::vector<std::string>& exports);

}  // namespace piship::bundle
