// SPDX-License-Identifier: MIT
#include "format/archive_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "format/frame_check.h"
#include "format/read_at.h"
#include "format/zstd_frame.h"

namespace piship {
namespace {

tl::unexpected<Error> Invalid(std::string_view name, std::string_view what) {
  return Fail(ErrorCode::kArchiveInvalid, "'" + std::string(name) + "': " + std::string(what));
}

}  // namespace

Status ArchiveFile::ReadIndex() {
  struct stat status {};
  if (fstat(fd_, &status) != 0) return Fail(SystemError("read '" + name_ + "'", errno));
  if (!S_ISREG(status.st_mode)) return Fail(ErrorCode::kFileInvalid, "'" + name_ + "' is not a regular file");
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  std::string bytes;
  const std::size_t footer = static_cast<std::size_t>(std::min<std::uint64_t>(bytes_, kSeekFooterBytes));
  PISHIP_CHECK(ReadAt(fd_, bytes_ - footer, footer, name_, bytes));
  PISHIP_TRY(const std::size_t count, FrameCountFromFooter(bytes, name_));
  const std::size_t index_bytes = FrameIndexSize(count);
  if (index_bytes > bytes_) return Invalid(name_, "the frame index is larger than the archive");
  PISHIP_CHECK(ReadAt(fd_, bytes_ - index_bytes, index_bytes, name_, bytes));
  PISHIP_TRY(frames_, ParseFrameIndex(bytes, name_));
  std::uint64_t offset = 0;
  for (const FrameRecord& frame : frames_) {
    if (frame.content_bytes > kMaxFrameContent || frame.compressed_bytes > MaxCompressedSize(frame.content_bytes)) {
      return Invalid(name_, "the frame index lists a frame that is too large");
    }
    offsets_.push_back(offset);
    offset += frame.compressed_bytes;
  }
  if (offset != bytes_ - index_bytes) return Invalid(name_, "the frame index does not add up to the archive's size");
  return {};
}

Result<std::string> ArchiveFile::ReadFrame(std::size_t index, std::size_t content_bytes) const {
  if (index >= frames_.size() || frames_[index].content_bytes != content_bytes) {
    return Invalid(name_, "the frame index does not fit the inventory");
  }
  std::string frame;
  PISHIP_CHECK(ReadAt(fd_, offsets_[index], frames_[index].compressed_bytes, name_, frame));
  std::string content;
  content.resize(content_bytes);
  FrameDecoder decoder;
  if (Digest::Of(frame) != frames_[index].digest || !decoder.Decode(frame, content.data(), content_bytes)) {
    return Fail(ErrorCode::kIntegrityFailed, "'" + name_ + "': frame " + std::to_string(index) + " is damaged");
  }
  return content;
}

Result<bool> ArchiveFile::HasFrame(std::size_t number) const {
  constexpr std::size_t kMagicBytes = 4;
  const FrameRecord& record = frames_[number];
  std::string frame;
  // Most of what is not there is a hole, which need not be hashed.
  if (record.compressed_bytes < kMagicBytes) return false;
  PISHIP_CHECK(ReadAt(fd_, offsets_[number], kMagicBytes, name_, frame));
  if (frame == std::string(kMagicBytes, '\0')) return false;
  PISHIP_CHECK(ReadAt(fd_, offsets_[number], record.compressed_bytes, name_, frame));
  return Digest::Of(frame) == record.digest;
}

Result<std::string> ArchiveFile::FrameContent(std::size_t number) const {
  return ReadFrame(number, layout_.frames()[number].size);
}

Status ArchiveFile::ReadInventory(const ArchiveLimits& limits) {
  if (frames_.empty()) return Invalid(name_, "it has no content");
  PISHIP_TRY(std::string content, ReadFrame(0, frames_[0].content_bytes));
  InventoryEntry entry;
  entry.path = InventoryPath();
  PISHIP_TRY(entry.size, InventorySize(content, name_));
  if (entry.size > limits.inventory_bytes) {
    return Fail(ErrorCode::kLimitExceeded,
                "'" + name_ + "' has an inventory of more than " + std::to_string(limits.inventory_bytes) + " bytes");
  }
  std::vector<FramePlan> plans;
  AppendFramesOf(entry, 0, 0, plans);
  for (std::size_t number = 0; number < plans.size(); ++number) {
    const FramePlan& plan = plans[number];
    if (number > 0 || plan.size != content.size()) {
      PISHIP_TRY(content, ReadFrame(number, plan.size));
    }
    PISHIP_TRY(const std::string_view text, CheckPart(entry, plan, content, name_));
    inventory_text_ += text;
  }
  PISHIP_TRY(*inventory_, Inventory::Parse(inventory_text_, name_ + ": metadata/inventory", limits.inventory));
  PISHIP_TRY(layout_, ArchiveLayout::Of(*inventory_, inventory_text_));
  const std::vector<FramePlan>& frames = layout_.frames();
  const bool fits =
      std::equal(frames.begin(), frames.end(), frames_.begin(), frames_.end(),
                 [](const FramePlan& plan, const FrameRecord& record) { return plan.size == record.content_bytes; });
  if (!fits) return Invalid(name_, "the frame index does not fit the inventory");
  return {};
}

Result<ArchiveFile> ArchiveFile::Open(int fd, std::string name, const ArchiveLimits& limits) {
  ArchiveFile file;
  file.fd_ = fd;
  file.name_ = std::move(name);
  file.inventory_ = std::make_unique<Inventory>();
  PISHIP_CHECK(file.ReadIndex());
  PISHIP_CHECK(file.ReadInventory(limits));
  return file;
}

Result<std::string> ArchiveFile::Read(std::string_view path) const {
  const InventoryEntry* entry = inventory_->Find(path);
  if (entry == nullptr || entry->size > kPartBytes) {
    return Fail(ErrorCode::kFileNotFound, "'" + name_ + "' has no small file '" + std::string(path) + "'");
  }
  const std::size_t index = layout_.IndexOf(static_cast<std::size_t>(entry - inventory_->entries().data()));
  const std::vector<FramePlan>& plans = layout_.frames();
  const auto after = std::upper_bound(plans.begin(), plans.end(), index, [](std::size_t wanted, const FramePlan& plan) {
    return wanted < plan.first_entry;
  });
  const auto number = static_cast<std::size_t>(after - plans.begin()) - 1;
  PISHIP_TRY(const std::string content, ReadFrame(number, plans[number].size));
  std::string found;
  PISHIP_CHECK(
      CheckEntries(layout_, plans[number], content, name_, [&](const InventoryEntry& each, std::string_view bytes) {
        if (&each == entry) found = bytes;
        return Status();
      }));
  return found;
}

}  // namespace piship
