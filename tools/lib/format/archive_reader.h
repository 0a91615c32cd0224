// SPDX-License-Identifier: MIT
// Reads a release archive in one pass, from a file or a pipe, checking every byte against the inventory that leads it.
// docs/formats/archive.md fixes the bytes.
//
// Since the inventory decides every header and every offset, frames are decompressed, checked and handed on by several
// threads at once. What does not match byte for byte is refused; a header is interpreted only to say what is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"
#include "format/archive_limits.h"
#include "model/inventory.h"

namespace piship {

// Takes the content. An error from any function ends the reading with that error.
class PayloadSink {
 public:
  virtual ~PayloadSink() = default;
  // Once, before any file and from the calling thread: the inventory, still unproven, and its text, which is the
  // content of metadata/inventory and comes by no other function. Both stay valid and in place until ReadArchive
  // returns.
  virtual Status Begin(const Inventory& inventory, std::string_view inventory_text) = 0;
  // A whole file whose digest has been checked. Called from several threads at once; each entry once. piship.lock,
  // where the payload has one, is the first, from the calling thread, and no other file is handed on before that call
  // returns.
  virtual Status File(const InventoryEntry& entry, std::string_view bytes) = 0;
  // A file above kPartBytes (archive_layout.h) in pieces: for one entry in order of `offset`, from one thread at a
  // time. The digest is checked after the last piece, so the file counts only when ReadArchive has succeeded.
  virtual Status Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view bytes) = 0;
};

struct ReadArchiveOptions {
  // 0: as many as the machine has, at most 8. With 1 everything happens in the calling thread. More than one makes that
  // many threads beside the calling one, which reads.
  unsigned threads = 0;
  std::size_t waiting_bytes = std::size_t{16} << 20;  // of compressed frames between reading and checking
  ArchiveLimits limits;
  std::uint64_t bytes = UINT64_MAX;  // of the descriptor, from its position on, that may belong to the archive
};

struct ArchiveSummary {
  Digest archive;           // SHA-256 of all bytes read
  std::uint64_t bytes = 0;  // compressed
  Digest inventory;
};

// Reads to the end of `fd`. Success means: every file of the inventory was handed on once and matched. `name` is the
// subject of errors: kArchiveInvalid, kArchiveTruncated, kIntegrityFailed, kLimitExceeded, kFormatNewer.
Result<ArchiveSummary> ReadArchive(int fd, std::string_view name, PayloadSink& sink,
                                   const ReadArchiveOptions& options = {});

}  // namespace piship
