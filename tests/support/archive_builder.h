// SPDX-License-Identifier: MIT
// Makes release archives, right ones and every kind of wrong one, without the code that writes them in the product:
// content of frames can be changed before it is compressed, and headers can say anything.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "format/archive_reader.h"
#include "model/inventory.h"

namespace piship {

struct TestFile {
  std::string path;
  std::string content;
  FileMode mode = FileMode::kPlain;
};

// The parts of an archive before they are compressed. Change them, then Pack.
struct TestArchive {
  Inventory inventory;
  std::string inventory_text;
  std::vector<std::string> frames;  // tar bytes of each frame; the first holds the inventory, the last the end

  // The right archive of these files.
  explicit TestArchive(const std::vector<TestFile>& files);
  // Where the entry of `path` begins: its frame and the offset in it. Aborts where there is none.
  struct Place {
    std::size_t frame = 0;
    std::size_t offset = 0;
  };
  Place Find(std::string_view path) const;
  // The whole archive: compressed frames and a frame index that fits them.
  std::string Pack() const;
};

// zstd frames and the index that fits them; `content_sizes` are what the index says about each.
std::string PackFrames(const std::vector<std::string>& compressed, const std::vector<std::size_t>& content_sizes);

// One block of a tar header in which everything can be set; the checksum is right unless `checksum` is given.
struct TarFields {
  std::string name;
  std::string mode = "0000644";
  std::string uid = "0000000";
  std::string gid = "0000000";
  std::string size = "00000000000";
  std::string time = "00000000000";
  std::string checksum = {};
  char type = '0';
  std::string link = {};
  std::string magic = std::string(
      "ustar\0"
      "00",
      8);
  std::string user = {};
  std::string group = {};
  std::string prefix = {};
};
std::string TarBlock(const TarFields& fields);
std::string Octal11(std::uint64_t value);
// "<length> key=value\n"
std::string PaxRecord(std::string_view key, std::string_view value);
// A block of type 'x' (or another), the records and their padding.
std::string PaxHeader(std::string_view records, char type = 'x');
std::string Padded(std::string content);

// Remembers what it is given.
class CollectingSink : public PayloadSink {
 public:
  Status Begin(const Inventory& inventory, std::string_view inventory_text) override;
  Status File(const InventoryEntry& entry, std::string_view bytes) override;
  Status Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view bytes) override;

  std::mutex mutex;
  bool begun = false;
  std::string inventory_text;
  std::map<std::string, std::string> files;
  std::vector<std::string> faults;  // broken promises of the reader
  std::string fail_at;              // File and Part fail for this path
};

// Reads `bytes` from a file or through a pipe.
enum class Through : std::uint8_t { kFile, kPipe };
Result<ArchiveSummary> ReadBytes(std::string_view bytes, PayloadSink& sink, const ReadArchiveOptions& options = {},
                                 Through through = Through::kFile);

}  // namespace piship
