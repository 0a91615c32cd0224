// SPDX-License-Identifier: MIT
// Writes the files of a payload into a directory as a reader hands them on (format/archive_reader.h): whole, or in
// parts and then from one thread at a time for each file.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "model/inventory.h"
#include "tree/tree_writer.h"

namespace piship {

class PayloadWriter {
 public:
  // Uses the open directory, which must stay open; `name` is what errors call it.
  PayloadWriter(int directory, std::string name) : writer_(directory, std::move(name)) {}

  Status Create(const RelativePath& path, FileMode mode, std::string_view bytes) {
    return writer_.Create(path, mode, bytes);
  }
  // The part at `offset`, in order; the last one finishes the file.
  Status Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view bytes);

 private:
  TreeWriter writer_;
  std::mutex mutex_;  // protects open_
  std::unordered_map<const InventoryEntry*, TreeWriter::File> open_;
};

}  // namespace piship
