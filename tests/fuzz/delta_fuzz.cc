// SPDX-License-Identifier: MIT
// A delta of a fixed small base: whatever the bytes are, both frames are decoded within the sizes that the head names.
#include <cstdint>
#include <string>

#include "format/delta.h"

namespace {

using namespace piship;

Inventory Base() {
  const std::string_view text =
      "piship-inventory 1\n"
      "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb 1 - a\n";
  return *Inventory::Parse(text, "base");
}

void Apply(std::string_view bytes) {
  const Inventory base = Base();
  auto delta = ParseDelta(bytes, "delta");
  if (!delta) return;
  delta->base = Digest::Of(base.Text());  // else nearly nothing would get further
  const auto text = InventoryOf(*delta, base.Text(), "delta");
  const auto release = text ? Inventory::Parse(*text, "release") : Inventory();
  if (!release) return;
  DeltaContents contents = CompareContents(base, *release);
  const auto content = [](const InventoryEntry&) -> Result<std::string> { return std::string("a"); };
  const auto gone = GoneContents(contents, content);
  contents.added_bytes = delta->added_bytes;
  static_cast<void>(AddedContents(*delta, contents, *gone, "delta"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Apply({reinterpret_cast<const char*>(data), size});
  return 0;
}
