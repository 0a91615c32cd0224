// SPDX-License-Identifier: MIT
// Makes the compressed frames of an archive, several at a time, and remembers each in the store, so that a frame whose
// files, level and zstd are the same is compressed once ever.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/archive_layout.h"
#include "store/store.h"

namespace piship {

class TaskPool;

class FrameMaker {
 public:
  // All must outlive this. `inventory_text` is the content of the layout's entry 0. threads 0: as many as the machine
  // has.
  FrameMaker(const Store& store, const ArchiveLayout& layout, std::string_view inventory_text, int level,
             unsigned threads);

  // Recalls or makes every frame; afterwards each is an object of the store. kObjectMissing or kObjectDamaged where a
  // file's content is not in the store.
  Status MakeAll();
  // The bytes of one frame, checked. A remembered frame that turns out to be damaged is made again.
  Result<std::string> Read(std::size_t number);

 private:
  std::string KeyOf(const FramePlan& plan) const;
  int LevelOf(const FramePlan& plan) const;
  Status Recall();
  Status MakeMissing();
  Status MakeParts(std::size_t first, TaskPool& pool, std::vector<std::size_t>& made);
  Status Make(std::size_t number, std::string_view content);
  Result<std::string> Gather(const FramePlan& plan) const;
  Status Remember(std::size_t number) const;
  Status StreamEntry(std::size_t index, const std::function<Status(std::string_view)>& take) const;

  const Store& store_;
  const ArchiveLayout& layout_;
  std::string_view inventory_text_;
  int level_;
  unsigned threads_;
  std::vector<std::optional<StoredObject>> frames_;  // by number; each element is written by one thread
};

}  // namespace piship
