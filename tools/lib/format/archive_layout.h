// SPDX-License-Identifier: MIT
// Where everything of an archive lies in its tar stream, and how that stream is cut into zstd frames: a pure function
// of the inventory, so that a reader knows every header, every offset and every frame before it has seen one.
// docs/formats/archive.md has the rules and the reasons for the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/tar_header.h"
#include "model/inventory.h"

namespace piship {

// A file above this many bytes has frames of its own, cut at multiples of it.
inline constexpr std::uint64_t kPartBytes = std::uint64_t{8} << 20;
// No frame of whole entries ends below this by content, and none grows above kFrameMax but for a single entry.
inline constexpr std::uint64_t kFrameMin = std::uint64_t{2} << 20;
inline constexpr std::uint64_t kFrameMax = std::uint64_t{8} << 20;
// Above the minimum, an entry ends its frame where the first so many bits of its digest are a number below its bytes.
inline constexpr unsigned kFrameSpreadBits = 21;
// What a frame may hold at most: a part with its header.
inline constexpr std::size_t kMaxFrameContent = kPartBytes + kMaxTarHeader + kTarBlock;

enum class FrameKind : std::uint8_t {
  kEntries,  // whole entries
  kPart,     // a piece of one large file: its header before the first, its padding after the last
  kEnd,      // the two blocks of zeros
};

struct FramePlan {
  FrameKind kind = FrameKind::kEntries;
  std::uint64_t offset = 0;       // of the first byte in the tar stream
  std::size_t size = 0;           // bytes of the tar stream
  std::size_t first_entry = 0;    // index in the layout
  std::size_t entry_count = 0;    // kEntries; 1 for kPart
  std::uint64_t part_offset = 0;  // of the part in the file, where a single entry fills the frame or several
  std::size_t part_size = 0;      // bytes of the file in such a frame
};

// The frames of an entry that shares none with others, from `offset` on: one, or its parts above kPartBytes.
void AppendFramesOf(const InventoryEntry& entry, std::size_t index, std::uint64_t offset,
                    std::vector<FramePlan>& frames);

class ArchiveLayout {
 public:
  // `inventory` must outlive the layout and stay where it is; `text` is its text. kPayloadInvalid where the payload has
  // a file in the place of metadata/inventory.
  static Result<ArchiveLayout> Of(const Inventory& inventory, std::string_view text);

  // Entry 0 is metadata/inventory; where the payload has a piship.lock at its top, that is entry 1, so that whoever
  // reads a stream knows what it is before anything else comes; then the inventory's entries in their order.
  const InventoryEntry& entry(std::size_t index) const {
    return index == 0 ? inventory_entry_ : inventory_->entries()[PlaceInInventory(index - 1)];
  }
  // The index of the inventory's entry number `place`.
  std::size_t IndexOf(std::size_t place) const;
  std::size_t entry_count() const { return inventory_->entries().size() + 1; }
  const std::vector<FramePlan>& frames() const { return frames_; }
  std::uint64_t tar_bytes() const { return tar_bytes_; }

 private:
  std::size_t PlaceInInventory(std::size_t number) const {
    if (number > lock_place_) return number;
    return number == 0 ? lock_place_ : number - 1;
  }

  const Inventory* inventory_ = nullptr;
  std::size_t lock_place_ = 0;  // of piship.lock in the inventory; 0, which changes nothing, where there is none
  InventoryEntry inventory_entry_;
  std::vector<FramePlan> frames_;
  std::uint64_t tar_bytes_ = 0;
};

// metadata/inventory as an entry.
InventoryEntry EntryOfInventory(std::string_view text);

}  // namespace piship
