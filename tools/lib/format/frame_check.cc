// SPDX-License-Identifier: MIT
#include "format/frame_check.h"

#include <algorithm>

namespace piship {
namespace {

// Removes the header of `entry` from the front of `bytes`.
Status TakeHeader(const InventoryEntry& entry, std::size_t index, std::string_view& bytes, std::string_view name) {
  thread_local std::string header;
  header.clear();
  AppendTarHeader(entry, header);
  if (!bytes.starts_with(header)) {
    return FailEntry(ErrorCode::kArchiveInvalid, name, index, entry, ExplainTarHeader(bytes, entry));
  }
  bytes.remove_prefix(header.size());
  return {};
}

bool AllZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

Status TakePadding(const InventoryEntry& entry, std::size_t index, std::string_view& bytes, std::string_view name) {
  const std::size_t padding = TarPadding(entry.size);
  if (!AllZero(bytes.substr(0, padding))) {
    return FailEntry(ErrorCode::kArchiveInvalid, name, index, entry, "is followed by padding that is not zero");
  }
  bytes.remove_prefix(padding);
  return {};
}

}  // namespace

tl::unexpected<Error> FailEntry(ErrorCode code, std::string_view name, std::size_t index, const InventoryEntry& entry,
                                std::string_view clause) {
  return Fail(code, "'" + std::string(name) + "': entry " + std::to_string(index) + " '" + entry.path.str() + "' " +
                        std::string(clause));
}

Status CheckEntries(const ArchiveLayout& layout, const FramePlan& plan, std::string_view bytes, std::string_view name,
                    const TakeFile& take) {
  for (std::size_t index = plan.first_entry; index < plan.first_entry + plan.entry_count; ++index) {
    const InventoryEntry& entry = layout.entry(index);
    PISHIP_CHECK(TakeHeader(entry, index, bytes, name));
    if (bytes.size() < entry.size + TarPadding(entry.size)) {
      return FailEntry(ErrorCode::kArchiveInvalid, name, index, entry, "goes beyond its frame");
    }
    const std::string_view content = bytes.substr(0, static_cast<std::size_t>(entry.size));
    if (Digest::Of(content) != entry.digest) {
      return FailEntry(ErrorCode::kIntegrityFailed, name, index, entry, "does not match its digest in the inventory");
    }
    bytes.remove_prefix(content.size());
    PISHIP_CHECK(TakePadding(entry, index, bytes, name));
    PISHIP_CHECK(take(entry, content));
  }
  if (bytes.empty()) return {};
  const std::size_t last = plan.first_entry + plan.entry_count - 1;
  return FailEntry(ErrorCode::kArchiveInvalid, name, last, layout.entry(last),
                   "is followed by something that the inventory does not list there");
}

Result<std::string_view> CheckPart(const InventoryEntry& entry, const FramePlan& plan, std::string_view bytes,
                                   std::string_view name) {
  if (plan.part_offset == 0) PISHIP_CHECK(TakeHeader(entry, plan.first_entry, bytes, name));
  const std::string_view content = bytes.substr(0, plan.part_size);
  bytes.remove_prefix(content.size());
  if (!bytes.empty()) PISHIP_CHECK(TakePadding(entry, plan.first_entry, bytes, name));
  return content;
}

Status CheckEnd(std::string_view bytes, std::string_view name) {
  if (AllZero(bytes)) return {};
  return Fail(ErrorCode::kArchiveInvalid,
              "'" + std::string(name) + "': two blocks of zeros are missing after the last entry of the inventory",
              "the archive holds more than its inventory lists");
}

Result<std::uint64_t> InventorySize(std::string_view first_frame, std::string_view name) {
  InventoryEntry expected;
  expected.path = InventoryPath();
  const std::string_view field = first_frame.size() < kTarBlock ? std::string_view() : first_frame.substr(124, 11);
  if (std::all_of(field.begin(), field.end(), [](char c) { return c >= '0' && c <= '7'; })) {
    for (const char c : field) expected.size = expected.size * 8 + static_cast<std::uint64_t>(c - '0');
  }
  PISHIP_CHECK(TakeHeader(expected, 0, first_frame, name));
  return expected.size;
}

}  // namespace piship
