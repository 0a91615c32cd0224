// SPDX-License-Identifier: MIT
#include "tree/payload_writer.h"

namespace piship {

Status PayloadWriter::Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view bytes) {
  TreeWriter::File* file = nullptr;
  {
    // References into an unordered_map stay valid when others are inserted or removed.
    const std::lock_guard lock(mutex_);
    if (offset == 0) {
      PISHIP_TRY(TreeWriter::File begun, writer_.Begin(entry.path, entry.mode, entry.size));
      file = &open_.emplace(&entry, std::move(begun)).first->second;
    } else {
      file = &open_.at(&entry);
    }
  }
  PISHIP_CHECK(file->Append(bytes));
  if (offset + bytes.size() < entry.size) return {};
  Status finished = file->Finish();
  const std::lock_guard lock(mutex_);
  open_.erase(&entry);
  return finished;
}

}  // namespace piship
