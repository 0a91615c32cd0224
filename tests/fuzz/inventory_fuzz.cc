// SPDX-License-Identifier: MIT
// There is one text for an inventory: what is accepted is written again byte for byte.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/inventory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto inventory = piship::Inventory::Parse(text, "fuzz", {.entries = 1000});
  if (!inventory) return 0;
  if (inventory->Text() != text) std::abort();
  for (const piship::InventoryEntry& entry : inventory->entries()) {
    if (inventory->Find(entry.path.str()) != &entry) std::abort();
  }
  return 0;
}
