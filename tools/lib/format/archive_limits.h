// SPDX-License-Identifier: MIT
// What an archive may cost before anything about it is proven.
#pragma once

#include <cstdint>

#include "model/inventory.h"

namespace piship {

struct ArchiveLimits {
  InventoryLimits inventory;                                 // files and their total size
  std::uint64_t inventory_bytes = std::uint64_t{256} << 20;  // of the inventory's text
  // From `ratio_floor` unpacked bytes on, everything read so far may unpack to at most `ratio` times its compressed
  // size. The writer refuses to make an archive that the defaults refuse.
  std::uint32_t ratio = 1000;
  std::uint64_t ratio_floor = std::uint64_t{256} << 20;

  bool AllowsRatio(std::uint64_t unpacked, std::uint64_t compressed) const {
    return unpacked <= ratio_floor || unpacked / ratio <= compressed;
  }
};

}  // namespace piship
