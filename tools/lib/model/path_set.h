// SPDX-License-Identifier: MIT
// A set of file paths that can exist side by side on any file system: no two that fold to one name (letter case,
// Unicode normalization), no file where another path needs a directory.
//
// Folding is NFKC_Casefold (Unicode Standard Annex #31, UAX #15): at least as coarse as what APFS, NTFS and ext4's
// casefold do, so a set that passes here collides nowhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/relative_path.h"

namespace piship {

class PathSet {
 public:
  PathSet();
  void Reserve(std::size_t paths);
  // Adds a file. kPathConflict names both paths; the set is then of no further use.
  Status Add(const RelativePath& path);

 private:
  struct Name {
    std::uint64_t hash = 0;   // of the folded name; 0 marks a free slot
    std::uint32_t start = 0;  // of the exact name in text_
    std::uint16_t size = 0;
    bool directory = false;
  };
  Status AddName(std::string_view exact, bool directory);
  Status Conflict(std::string_view exact, bool directory, const Name& present) const;
  void Grow(std::size_t slots);
  std::string_view Exact(const Name& name) const { return std::string_view(text_).substr(name.start, name.size); }

  std::uint64_t seed_;
  std::vector<Name> slots_;  // open addressing; the number of slots is a power of two
  std::size_t used_ = 0;
  std::string text_;  // the exact names one after another
  std::string last_parent_;
};

// NFKC_Casefold of valid UTF-8.
std::string FoldPath(std::string_view path);

}  // namespace piship
