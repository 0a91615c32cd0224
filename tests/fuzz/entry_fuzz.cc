// SPDX-License-Identifier: MIT
// Whatever the package.json of an entry's package says, the entry is a file of the payload, or there is none.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "model/entry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<piship::InventoryEntry> entries;
  for (const char* path : {"app/node_modules/@s/p/bin/a.js", "app/node_modules/@s/p/b",
                           "app/node_modules/@s/p/package.json", "app/node_modules/q/index.js", "piship.lock"}) {
    entries.push_back({piship::Digest(), 1, piship::FileMode::kPlain, *piship::RelativePath::Parse(path)});
  }
  const piship::Inventory payload = *piship::Inventory::FromEntries(std::move(entries));
  for (const char* bin : {"", "a"}) {
    piship::EntryRequest request;
    request.package = "@s/p";
    if (*bin != '\0') request.bin = bin;
    const auto entry = ResolveEntry(request, payload,
                                    [&](const piship::InventoryEntry&) { return piship::Result<std::string>(text); });
    if (entry && (payload.Find(entry->str()) == nullptr || !entry->str().starts_with("app/node_modules/@s/p/")))
      std::abort();
  }
  return 0;
}
