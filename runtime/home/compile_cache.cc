// SPDX-License-Identifier: MIT
#include "home/compile_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "home/homes.h"
#include "home/reclaim.h"

namespace piship {

namespace {

// The directory at `path` below `root`, and those above it, as far as nothing else is in them.
void RemoveEmpty(int root, std::string path) {
  while (true) {
    const std::string parent = ParentPath(path);
    const UniqueFd above(OpenBeneath(root, parent.c_str(), O_RDONLY | O_DIRECTORY));
    if (!above.valid() || unlinkat(above.get(), std::string(FileName(path)).c_str(), AT_REMOVEDIR) != 0) return;
    if (parent == ".") return;
    path = parent;
  }
}

}  // namespace

void BoundCompileCaches(const std::string& state_home, const std::string& id, const Receipt* receipt,
                        const Stop& stop) {
  const auto home = OpenFile(state_home, O_RDONLY | O_DIRECTORY);
  if (!home) return;
  const std::string caches = CompileCachesDirectory(state_home, id);
  const std::string below = caches.substr(JoinPath(state_home, "").size());
  const UniqueFd directory(OpenBeneath(home->get(), below.c_str(), O_RDONLY | O_DIRECTORY));
  std::vector<DirectoryEntry> entries;
  if (!directory.valid() || ReadDirectory(directory.get(), entries) != 0) return;
  for (const DirectoryEntry& entry : entries) {
    const bool named = receipt != nullptr && receipt->Find(entry.name) != nullptr;
    if (named && BytesIn(JoinPath(caches, entry.name)) <= kMostCompileCacheBytes) continue;
    RemoveBeneath(directory.get(), entry.name.c_str(), stop);
  }
  if (receipt == nullptr) RemoveEmpty(home->get(), below);
}

}  // namespace piship
