// SPDX-License-Identifier: MIT
// The one function from an inventory's entry to its tar header. The writer puts these bytes, the reader compares with
// them; nothing else decides what a header may look like. docs/formats/archive.md fixes every byte (POSIX.1-2017, pax:
// "ustar Interchange Format" and "pax Interchange Format").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/inventory.h"

namespace piship {

inline constexpr std::size_t kTarBlock = 512;
// The longest path in a pax record, the record's own header and the entry's header.
inline constexpr std::size_t kMaxTarHeader = 12 * kTarBlock;
// Two blocks of zeros end the stream.
inline constexpr std::size_t kTarEndBytes = 2 * kTarBlock;

// Zero bytes after a content of `size` bytes.
constexpr std::size_t TarPadding(std::uint64_t size) {
  return static_cast<std::size_t>((kTarBlock - size % kTarBlock) % kTarBlock);
}

// Appends the header: one block, or a pax header, its records and one block.
void AppendTarHeader(const InventoryEntry& entry, std::string& out);
// How many bytes that is, without making them.
std::size_t TarHeaderSize(const InventoryEntry& entry);
// Header, content and padding.
std::uint64_t TarEntrySize(const InventoryEntry& entry);

// The path of the archive's first entry, which no inventory lists.
const RelativePath& InventoryPath();

// For bytes that are not the header of `expected`: what is wrong, as a clause about the entry, with the hostile name
// where it has one ("'../x' is not a path of a payload: ..."). `bytes` may be shorter than a header and hold anything.
std::string ExplainTarHeader(std::string_view bytes, const InventoryEntry& expected);

}  // namespace piship
