// SPDX-License-Identifier: MIT
#include "support/payload_builder.h"

#include <cstdlib>

#include "model/distribution_lock.h"

namespace piship {

std::string TestLock(const std::string& version) {
  DistributionLock lock;
  lock.id = "hello";
  lock.name = "Hello";
  lock.command = "hello";
  lock.version = version;
  lock.platform = *Platform::Parse("linux-x64");
  lock.entry = *RelativePath::Parse("app/main.js");
  lock.engine.range = *VersionRange::Parse(">=20.6");
  lock.engine.check = *RelativePath::Parse("engine/check.cjs");
  return lock.Text();
}

Inventory PutPayload(const Store& store, const std::vector<TestFile>& files) {
  std::vector<InventoryEntry> entries;
  for (const TestFile& file : files) {
    const auto digest = store.Put(file.content);
    auto path = RelativePath::Parse(file.path);
    if (!digest || !path) std::abort();
    entries.push_back({*digest, file.content.size(), file.mode, *std::move(path)});
  }
  return *Inventory::FromEntries(std::move(entries));
}

}  // namespace piship
