// SPDX-License-Identifier: MIT
// Which JavaScript file a distribution starts: a file of its own, or the program that one of its packages declares.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/inventory.h"

namespace piship {

struct EntryRequest {
  std::optional<std::string> point;    // a path below app/
  std::optional<std::string> package;  // or an npm package below app/node_modules
  std::optional<std::string> bin;      // and the name of one of its programs
};

// Gives the bytes of a payload file.
using ReadPayloadFile = std::function<Result<std::string>(const InventoryEntry&)>;

// The payload path of the entry. Where no `bin` is given it is the package's only program, or the one that is named
// like the package. kEntryPointMissing names what is there; kManifestInvalid where the package.json can't be
// understood.
Result<RelativePath> ResolveEntry(const EntryRequest& request, const Inventory& payload, const ReadPayloadFile& read);

}  // namespace piship
