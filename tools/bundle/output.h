// SPDX-License-Identifier: MIT
// What esbuild has written becomes files of the application, and the old places that must stay loadable get forwarding
// modules.
#pragma once

#include <functional>
#include <map>
#include <set>
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
// esbuild's file for a module of CommonJS that something import()s has its exports as the default alone. Node gives
// their names as well, so such a file gets a namespace as Node makes it,
std::string AddNamespace(std::string_view text);
// which takes the place of the file's own where a file import()s one of `chunks` (names without directory).
std::string UseNamespaces(std::string_view text, const std::set<std::string, std::less<>>& chunks);
// The text of a forwarding module. `first_line` is the original's where that is a hashbang, else empty.
std::string ForwardingModule(std::string_view first_line, std::string_view chunk,
                             const std::vector<std::string>& exports);

}  // namespace piship::bundle
