// SPDX-License-Identifier: MIT
// The inventory: the sorted list of a payload's files with their digests. It is the one type that every stage takes and
// gives, that an archive packs and that an installation is checked against. docs/formats/inventory.md has the format.
//
// Invariant: entries are sorted by the bytes of their paths, the paths form a PathSet, sizes add up to less than 2^63.
// An Inventory that exists has been checked; there is exactly one text for it and its digest is that text's SHA-256.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "model/relative_path.h"

namespace piship {

enum class FileMode : std::uint8_t { kPlain, kExecutable };
// As they are on disk.
constexpr unsigned ModeBits(FileMode mode) { return mode == FileMode::kExecutable ? 0755 : 0644; }

struct InventoryEntry {
  Digest digest;
  std::uint64_t size = 0;  // bytes
  FileMode mode = FileMode::kPlain;
  RelativePath path;
  bool operator==(const InventoryEntry&) const = default;
};

struct InventoryLimits {
  std::size_t entries = 1'000'000;
  std::uint64_t total_bytes = std::uint64_t{1} << 40;
};

class Inventory {
 public:
  static constexpr std::string_view kFirstLine = "piship-inventory 1\n";

  Inventory() = default;  // no files
  // Sorts and checks. kPathConflict or kLimitExceeded.
  static Result<Inventory> FromEntries(std::vector<InventoryEntry> entries, const InventoryLimits& limits = {});
  // Accepts the canonical text only. `name` is the subject of errors, which say the line.
  static Result<Inventory> Parse(std::string_view text, std::string_view name, const InventoryLimits& limits = {});

  std::string Text() const;
  const std::vector<InventoryEntry>& entries() const { return entries_; }
  std::uint64_t total_bytes() const { return total_bytes_; }
  // The entry of that path, or null.
  const InventoryEntry* Find(std::string_view path) const;

 private:
  Status Check(const InventoryLimits& limits);
  std::vector<InventoryEntry> entries_;
  std::uint64_t total_bytes_ = 0;
};

// Reads and parses the file at `path`.
Result<Inventory> ReadInventory(const std::string& path, const InventoryLimits& limits = {});

}  // namespace piship
