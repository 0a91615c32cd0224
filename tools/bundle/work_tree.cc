// SPDX-License-Identifier: MIT
#include "bundle/work_tree.h"

#include <fcntl.h>

#include "base/files.h"
#include "tree/compare.h"
#include "tree/place.h"

namespace piship::bundle {

Status UpdateWorkTree(const std::string& directory, const Inventory& inventory, const Store& store) {
  PISHIP_CHECK(MakeDirectories(directory));
  PISHIP_TRY(const UniqueFd root, OpenFile(directory, O_RDONLY | O_DIRECTORY));
  PISHIP_TRY(const auto differences, CompareTree(inventory, root.get(), directory));
  if (differences.empty()) return {};
  return ApplyDifferences(inventory, store, root.get(), directory, differences);
}

Status PlaceTool(const Inventory& tool, const Store& store, const std::string& path) {
  if (tool.entries().size() != 1 || tool.entries().front().mode != FileMode::kExecutable) {
    return Fail(ErrorCode::kUsage, "--bundler needs an inventory of one executable");
  }
  const InventoryEntry& entry = tool.entries().front();
  if (const auto there = ReadFile(path, entry.size); there && Digest::Of(*there) == entry.digest) return {};
  PISHIP_TRY(const std::string bytes, store.Read(entry.digest, entry.size));
  return WriteFileAtomically(path, bytes, 0755);
}

}  // namespace piship::bundle
