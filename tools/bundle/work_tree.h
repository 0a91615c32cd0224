// SPDX-License-Identifier: MIT
// The directory that esbuild reads: an inventory on disk, brought up to date by differences. Every file is read and
// hashed before esbuild sees it, so what somebody changed there is put right and never bundled.
#pragma once

#include <string>

#include "base/result.h"
#include "model/inventory.h"
#include "store/store.h"

namespace piship::bundle {

// Makes `directory` equal to `inventory`; made where it is missing.
Status UpdateWorkTree(const std::string& directory, const Inventory& inventory, const Store& store);

// Puts the one executable of a tool's inventory at `path`, unless it is there already.
Status PlaceTool(const Inventory& tool, const Store& store, const std::string& path);

}  // namespace piship::bundle
