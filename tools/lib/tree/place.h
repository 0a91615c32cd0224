// SPDX-License-Identifier: MIT
// Puts an inventory's files on disk out of the content store, and brings a directory that differs back to an inventory.
// Every byte is checked against its digest on the way. Copies share blocks (reflink) where the file system can; they
// are never hard links, because what is placed may be written to by others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/inventory.h"
#include "store/store.h"
#include "tree/compare.h"

namespace piship {

struct PlaceOptions {
  unsigned threads = 0;  // 0: UsableProcessors()
};

// Places every file below `directory`, which must be missing or empty; missing parents are made. After an error the
// directory may hold a part of the files: it is the caller's to remove.
Status PlaceTree(const Inventory& inventory, const Store& store, const std::string& directory,
                 const PlaceOptions& options = {});

// Makes the open directory equal to the inventory, given the differences that CompareTree found; touches nothing else.
// A file that changes is replaced by rename, never written into. Directories that become empty are removed.
Status ApplyDifferences(const Inventory& inventory, const Store& store, int directory, std::string_view name,
                        const std::vector<Difference>& differences, const PlaceOptions& options = {});

}  // namespace piship
