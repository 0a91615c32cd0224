// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship {

// Replaces `out` by exactly `size` bytes from `offset` of an open file, whose position stays. kArchiveTruncated where
// it is shorter.
Status ReadAt(int fd, std::uint64_t offset, std::size_t size, std::string_view name, std::string& out);

}  // namespace piship
