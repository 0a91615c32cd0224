// SPDX-License-Identifier: MIT
// A delta: what a release has and another one, its base, has not, compressed against what only the base has. Whoever
// has the base makes the whole release of both. docs/formats/delta.md fixes the bytes.
//
// Which contents those are follows from the two inventories, so a delta lists nothing: it carries the release's
// inventory and then contents, in an order that both sides know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "model/inventory.h"

namespace piship {

// What applying a delta may hold in memory: the delta, the contents that are gone and those that are added, together.
inline constexpr std::uint64_t kMaxDeltaMemory = std::uint64_t{40} << 20;

// Each content once, by the first path that has it, in the order of the paths.
struct DeltaContents {
  std::vector<const InventoryEntry*> gone;   // in the base and not in the release
  std::vector<const InventoryEntry*> added;  // in the release and not in the base
  std::uint64_t gone_bytes = 0;
  std::uint64_t added_bytes = 0;
};
// The entries belong to the inventories, which must stay where they are.
DeltaContents CompareContents(const Inventory& base, const Inventory& release);

struct Delta {
  Digest base;       // the inventory of the release that must be there
  Digest inventory;  // of the release that is made
  std::uint64_t inventory_bytes = 0;
  std::string_view inventory_frame;  // zstd, the base's inventory as its prefix
  std::uint64_t added_bytes = 0;
  std::string_view added_frame;  // zstd, the contents that are gone as its prefix
};

// The content of an entry, which has been checked against its digest.
using ContentOf = std::function<Result<std::string>(const InventoryEntry& entry)>;

// The same bytes for the same zstd, releases and level. kLimitExceeded where applying it would need more than
// kMaxDeltaMemory, before any content is asked for where the contents alone do.
Result<std::string> MakeDelta(const Inventory& base, const ContentOf& base_content, const Inventory& release,
                              const ContentOf& release_content, int level);

// The frames are views into `bytes`, and not yet looked at; every size is within kMaxDeltaMemory. `name` is the subject
// of errors: kArchiveInvalid, kArchiveTruncated, kFormatNewer, kLimitExceeded.
Result<Delta> ParseDelta(std::string_view bytes, std::string_view name);

// The release's inventory, which has the digest that the delta names. kIntegrityFailed where the delta or the base's
// text is not the right one.
Result<std::string> InventoryOf(const Delta& delta, std::string_view base_text, std::string_view name);
// What stands before the added contents for zstd: the contents that are gone, one after the other.
Result<std::string> GoneContents(const DeltaContents& contents, const ContentOf& base_content);
// The added contents, one after the other; the caller compares each with its digest. kIntegrityFailed, and
// kLimitExceeded where all that is then in memory is more than kMaxDeltaMemory.
Result<std::string> AddedContents(const Delta& delta, const DeltaContents& contents, std::string_view gone,
                                  std::string_view name);

}  // namespace piship
