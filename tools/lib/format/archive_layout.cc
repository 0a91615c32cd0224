// SPDX-License-Identifier: MIT
//
// Where to cut. Frames are what a writer remembers, what a repair or an update fetches and what a reader's threads
// share out, so they should be as equal in size as compression likes, and an edit, a new file or a removed one should
// change the frames around it only. Counting bytes from the start would move every later cut; so the entries themselves
// say where a frame may end: the first bits of an entry's digest are a number that nobody chose, and the entry ends its
// frame where that number is below the entry's size. The chance of a cut is then the same for each byte, whatever the
// files are, and after a change the cuts fall into step again within a frame or two. A minimum keeps compression good,
// a maximum bounds memory. Top-level directories change for different reasons (an application, its engine, its
// resources), so no frame crosses from one to the next.
#include "format/archive_layout.h"

#include <algorithm>

#include "model/path_set.h"

namespace piship {
namespace {

// What a frame does not leave: the top-level directory, and in it what is vendored. Files at the top are a part too.
std::string_view PartOf(const InventoryEntry& entry) {
  constexpr std::string_view kVendored = "node_modules/";
  const std::string_view path = entry.path.str();
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return {};
  const bool vendored = path.substr(slash + 1).starts_with(kVendored);
  return path.substr(0, vendored ? slash + kVendored.size() : slash);
}

bool EndsFrame(const InventoryEntry& entry, std::uint64_t entry_bytes) {
  const auto& bytes = entry.digest.bytes();
  const std::uint32_t number = (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) |
                               (std::uint32_t{bytes[2]} << 8) | std::uint32_t{bytes[3]};
  return (number >> (32 - kFrameSpreadBits)) < entry_bytes;
}

// A payload that has metadata/inventory, or a name that can't lie beside it.
Status CheckPlaceOfInventory(const Inventory& inventory) {
  std::string_view last_top;
  bool metadata = false;
  for (const InventoryEntry& entry : inventory.entries()) {
    const std::string_view path = entry.path.str();
    const std::string_view top = path.substr(0, path.find('/'));
    if (top != last_top || last_top.empty()) {
      metadata = FoldPath(top) == "metadata";
      last_top = top;
    }
    if (!metadata) continue;
    const std::string_view rest = path.substr(std::min(path.size(), top.size() + 1));
    if (top != "metadata" || rest.empty() || FoldPath(rest.substr(0, rest.find('/'))) == "inventory") {
      return Fail(ErrorCode::kPayloadInvalid,
                  "the payload's '" + std::string(path) + "' is in the way of metadata/inventory",
                  "rename it; PiShip puts the inventory there");
    }
  }
  return {};
}

// Whole entries, gathered until a cut.
class Gatherer {
 public:
  Gatherer(std::vector<FramePlan>& frames, std::uint64_t& offset) : frames_(frames), offset_(offset) {}

  void Add(const InventoryEntry& entry, std::size_t index) {
    const std::string_view part = PartOf(entry);
    if (open_ && part != part_) Close();
    part_ = part;
    const std::uint64_t bytes = TarEntrySize(entry);
    if (entry.size > kPartBytes) {
      Close();
      AppendFramesOf(entry, index, offset_, frames_);
      offset_ += bytes;
      return;
    }
    if (open_ && frame_.size + bytes > kFrameMax) Close();
    if (!open_) {
      frame_ = FramePlan{};
      frame_.offset = offset_;
      frame_.first_entry = index;
      open_ = true;
    }
    frame_.size += static_cast<std::size_t>(bytes);
    frame_.entry_count += 1;
    offset_ += bytes;
    if (frame_.size >= kFrameMin && EndsFrame(entry, bytes)) Close();
  }

  void Close() {
    if (open_) frames_.push_back(frame_);
    open_ = false;
  }

 private:
  std::vector<FramePlan>& frames_;
  std::uint64_t& offset_;
  FramePlan frame_;
  std::string_view part_;
  bool open_ = false;
};

}  // namespace

void AppendFramesOf(const InventoryEntry& entry, std::size_t index, std::uint64_t offset,
                    std::vector<FramePlan>& frames) {
  FramePlan frame;
  frame.offset = offset;
  frame.first_entry = index;
  frame.entry_count = 1;
  if (entry.size <= kPartBytes) {
    frame.size = static_cast<std::size_t>(TarEntrySize(entry));
    frame.part_size = static_cast<std::size_t>(entry.size);
    frames.push_back(frame);
    return;
  }
  frame.kind = FrameKind::kPart;
  for (std::uint64_t part = 0; part < entry.size; part += kPartBytes) {
    frame.part_offset = part;
    frame.part_size = static_cast<std::size_t>(std::min(kPartBytes, entry.size - part));
    frame.size = frame.part_size;
    if (part == 0) frame.size += TarHeaderSize(entry);
    if (part + frame.part_size == entry.size) frame.size += TarPadding(entry.size);
    frames.push_back(frame);
    frame.offset += frame.size;
  }
}

InventoryEntry EntryOfInventory(std::string_view text) {
  InventoryEntry entry;
  entry.digest = Digest::Of(text);
  entry.size = text.size();
  entry.path = InventoryPath();
  return entry;
}

Result<ArchiveLayout> ArchiveLayout::Of(const Inventory& inventory, std::string_view text) {
  PISHIP_CHECK(CheckPlaceOfInventory(inventory));
  ArchiveLayout layout;
  layout.inventory_ = &inventory;
  if (const InventoryEntry* lock = inventory.Find("piship.lock")) {
    layout.lock_place_ = static_cast<std::size_t>(lock - inventory.entries().data());
  }
  layout.inventory_entry_ = EntryOfInventory(text);
  AppendFramesOf(layout.inventory_entry_, 0, 0, layout.frames_);
  std::uint64_t offset = TarEntrySize(layout.inventory_entry_);
  Gatherer gatherer(layout.frames_, offset);
  for (std::size_t index = 1; index < layout.entry_count(); ++index) gatherer.Add(layout.entry(index), index);
  gatherer.Close();
  FramePlan end;
  end.kind = FrameKind::kEnd;
  end.offset = offset;
  end.size = kTarEndBytes;
  end.first_entry = layout.entry_count();
  layout.frames_.push_back(end);
  layout.tar_bytes_ = offset + kTarEndBytes;
  return layout;
}

std::size_t ArchiveLayout::IndexOf(std::size_t place) const {
  if (place > lock_place_) return place + 1;
  return place == lock_place_ ? 1 : place + 2;
}

}  // namespace piship
