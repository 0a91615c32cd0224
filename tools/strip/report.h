// SPDX-License-Identifier: MIT
// What was removed and what was kept, by reason. docs/formats/strip-report.md has the format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/inventory.h"

namespace piship::strip {

struct Count {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  void Add(const InventoryEntry& entry) {
    files += 1;
    bytes += static_cast<std::int64_t>(entry.size);
  }
};

// Why a package keeps some of its files.
struct KeptHere {
  std::string package;
  std::string reason;
  std::string subject;  // the file that made the decision; may be empty
  Count count;
};

class Report {
 public:
  void Removed(std::string_view reason, const InventoryEntry& entry) { removed_[std::string(reason)].Add(entry); }
  // `package` empty: the reason is not a package's.
  void Kept(std::string_view reason, std::string_view package, std::string_view subject, const InventoryEntry& entry);
  // Canonical JSON.
  std::string Text(const Inventory& input, const Inventory& output) const;

 private:
  std::map<std::string, Count> removed_;
  std::map<std::string, Count> kept_;
  std::vector<KeptHere> packages_;
};

}  // namespace piship::strip
