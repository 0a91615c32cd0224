// SPDX-License-Identifier: MIT
// A cheap look into an archive that is a seekable file: its inventory and single small files, by the frame index at its
// end, reading only the frames that hold them. What it gives matches the inventory and the index, but it has not seen
// the whole archive: only ReadArchive (archive_reader.h) proves that. Of a file of which only some frames have been
// fetched it needs the index and the frames of the inventory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/archive_layout.h"
#include "format/archive_limits.h"
#include "format/seek_table.h"
#include "model/inventory.h"

namespace piship {

class ArchiveFile {
 public:
  // `fd` must stay open as long as this lives and is read by position. kFileInvalid where it is not a regular file,
  // else the errors of ReadArchive.
  static Result<ArchiveFile> Open(int fd, std::string name, const ArchiveLimits& limits = {});

  const Inventory& inventory() const { return *inventory_; }
  const std::string& inventory_text() const { return inventory_text_; }
  const ArchiveLayout& layout() const { return layout_; }
  const std::vector<FrameRecord>& frames() const { return frames_; }
  std::uint64_t bytes() const { return bytes_; }  // of the archive

  // The content of one file of at most kPartBytes, checked. kFileNotFound where the inventory does not list it.
  Result<std::string> Read(std::string_view path) const;

  // Where frame `number` begins in the file.
  std::uint64_t FrameOffset(std::size_t number) const { return offsets_[number]; }
  // Whether its bytes are there, as the index has them.
  Result<bool> HasFrame(std::size_t number) const;
  // Its content. kIntegrityFailed where it is not there or damaged.
  Result<std::string> FrameContent(std::size_t number) const;

 private:
  Result<std::string> ReadFrame(std::size_t index, std::size_t content_bytes) const;
  Status ReadIndex();
  Status ReadInventory(const ArchiveLimits& limits);
  int fd_ = -1;
  std::string name_;
  std::uint64_t bytes_ = 0;
  std::vector<FrameRecord> frames_;
  std::vector<std::uint64_t> offsets_;    // of each frame in the file
  std::unique_ptr<Inventory> inventory_;  // its place in memory does not change when this object moves
  std::string inventory_text_;
  ArchiveLayout layout_;
};

}  // namespace piship
