// SPDX-License-Identifier: MIT
// Compares the tar bytes of one frame with what the layout says that they are. Both readers use it; it does no I/O.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/archive_layout.h"

namespace piship {

// Takes the content of a file whose header, digest and padding are right.
using TakeFile = std::function<Status(const InventoryEntry& entry, std::string_view content)>;

// All with `name` as the archive's name in errors, which say the entry's number, its path and the rule:
// kArchiveInvalid, kIntegrityFailed, and what `take` fails with.
Status CheckEntries(const ArchiveLayout& layout, const FramePlan& plan, std::string_view bytes, std::string_view name,
                    const TakeFile& take);
// The piece of the file in a kPart frame. Its digest is the caller's to check, with the other parts.
Result<std::string_view> CheckPart(const InventoryEntry& entry, const FramePlan& plan, std::string_view bytes,
                                   std::string_view name);
Status CheckEnd(std::string_view bytes, std::string_view name);
// The size that the header of the first entry gives to metadata/inventory.
Result<std::uint64_t> InventorySize(std::string_view first_frame, std::string_view name);

// "'<archive>': entry <index> '<path>' <clause>".
tl::unexpected<Error> FailEntry(ErrorCode code, std::string_view name, std::size_t index, const InventoryEntry& entry,
                                std::string_view clause);

}  // namespace piship
