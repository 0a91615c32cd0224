// SPDX-License-Identifier: MIT
// The stage: a lock and a package.json in, the inventory of node_modules out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "vendor/fetch.h"
#include "vendor/selection.h"

namespace piship {

struct VendorOptions {
  std::string package_json;
  std::string lockfile;
  SelectionOptions selection;
  std::string store;
  FetchOptions fetch;
  std::string output;
  std::string depfile;
  std::optional<std::string> report;
};

// Gives the warnings that a user should see, one line each.
Result<std::vector<std::string>> Vendor(const VendorOptions& options);

struct EngineOptions {
  std::optional<std::string> executable;  // instead of an engine: this file of the package alone, under its own name
  std::string package;
  std::string version;
  std::string integrity;
  std::string store;
  FetchOptions fetch;
  std::string output;
  std::string depfile;
};

// The executable of an npm package that brings a JavaScript engine, as engine/node, and its licence as engine/LICENSE.
Result<std::vector<std::string>> VendorEngine(const EngineOptions& options);

}  // namespace piship
