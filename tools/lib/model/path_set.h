// SPDX-License-Identifier: MIT
// A set of file paths that can exist side by side on any file system: no two that fold to one name (letter case, Unicode
// normalization), no file where another path needs a directory.
//
// Folding is NFKC_Casefold (Unicode Standard Annex #31, UAX #15): at least as coarse as what APFS, NTFS and ext4's
// casefold do, so a set that passes here collides nowhere.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "model/relative_path.h"

namespace piship {

class PathSet {
 public:
  void Reserve(std::size_t paths) { names_.reserve(paths + paths / 4); }
  // Adds a file. kPathConflict names both paths; the set is then of no further use.
  Status Add(const RelativePath& path);

 private:
  struct Name {
    std::string exact;
    bool directory;
  };
  Status AddName(std::string_view exact, bool directory);
  std::unordered_map<std::string, Name> names_;
  std::string last_parent_;
};

// NFKC_Casefold of valid UTF-8.
std::string FoldPath(std::string_view path);

}  // namespace piship
