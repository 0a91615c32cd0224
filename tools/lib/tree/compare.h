// SPDX-License-Identifier: MIT
// Compares a directory with an inventory: every file is read and hashed, by several threads. Links are never followed,
// devices and pipes never opened for long: what is not a regular file is a difference, not a reason to wait.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/inventory.h"

namespace piship {

enum class DifferenceKind : std::uint8_t {
  kMissing,         // a file of the inventory is not there
  kChanged,         // its bytes are others
  kWrongMode,       // its bytes are right, its mode is not exactly 0644 or 0755
  kWrongType,       // a link, directory, device where a file belongs, or anything but a directory where one belongs
  kExtra,           // a file (link, device, ...) that the inventory does not know
  kExtraDirectory,  // a directory that no file of the inventory needs; what lies in it is not listed
};
// "missing", "changed", "wrong mode", "wrong type", "extra", "extra directory"
std::string_view DifferenceName(DifferenceKind kind);

struct Difference {
  DifferenceKind kind = DifferenceKind::kMissing;
  std::string path;  // relative, as the system spells it: any bytes but NUL, so print it with Printable()
  bool operator==(const Difference&) const = default;
};

struct CompareOptions {
  unsigned threads = 0;  // 0: UsableProcessors()
  // Files that may be there or not and are not looked at ("metadata/inventory"), and so may the directories that they
  // lie in; what else those hold is extra.
  std::vector<std::string> ignored = {};
};

// `directory` is open; `name` is what errors call it. The differences are sorted by path. An error only where the
// system refuses to answer (no permission, a failing disk).
Result<std::vector<Difference>> CompareTree(const Inventory& inventory, int directory, std::string_view name,
                                            const CompareOptions& options = {});

}  // namespace piship
