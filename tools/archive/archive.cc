// SPDX-License-Identifier: MIT
#include "archive/archive.h"

#include <vector>

#include "archive/frame_maker.h"
#include "base/depfile.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/pending_file.h"
#include "format/archive_layout.h"
#include "format/seek_table.h"
#include "format/zstd_frame.h"
#include "model/distribution_lock.h"
#include "model/release.h"
#include "store/store.h"

namespace piship {
namespace {

constexpr std::int64_t kMaxThreads = 256;

struct Packed {
  Digest digest;
  std::uint64_t bytes = 0;
};

Status CheckOptions(const ArchiveOptions& options) {
  const auto in_range = [](std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) -> Status {
    if (value >= least && value <= most) return {};
    return Fail(ErrorCode::kUsage, std::string(name) + " is " + std::to_string(value) + ", it must be between " +
                                       std::to_string(least) + " and " + std::to_string(most));
  };
  PISHIP_CHECK(in_range("--level", options.level, kMinLevel, kMaxLevel));
  PISHIP_CHECK(in_range("--threads", options.threads, 0, kMaxThreads));
  return in_range("--max-ratio", options.max_ratio, 1, UINT32_MAX);
}

// The lock decides what release.json says, so it must be the one that the payload carries.
Status CheckLock(const Inventory& inventory, const Digest& lock, const ArchiveOptions& options) {
  const InventoryEntry* entry = inventory.Find("piship.lock");
  if (entry == nullptr) return Fail(ErrorCode::kPayloadInvalid, "'" + options.inventory + "' lists no piship.lock");
  if (entry->digest == lock) return {};
  return Fail(ErrorCode::kLockInvalid,
              "'" + options.lock + "' is not the piship.lock that '" + options.inventory + "' lists");
}

Result<Packed> Pack(FrameMaker& maker, const ArchiveLayout& layout, const ArchiveOptions& options) {
  ArchiveLimits limits;
  limits.ratio = static_cast<std::uint32_t>(options.max_ratio);
  PendingFile file(options.output);
  PISHIP_CHECK(file.Create());
  std::vector<FrameRecord> records;
  std::uint64_t unpacked = 0;
  for (const FramePlan& plan : layout.frames()) {
    PISHIP_TRY(const std::string frame, maker.Read(records.size()));
    records.push_back(
        {Digest::Of(frame), static_cast<std::uint32_t>(frame.size()), static_cast<std::uint32_t>(plan.size)});
    PISHIP_CHECK(file.Append(frame));
    unpacked += plan.size;
    if (!limits.AllowsRatio(unpacked, file.bytes())) {
      return Fail(ErrorCode::kLimitExceeded,
                  "the payload unpacks to more than " + std::to_string(limits.ratio) + " times the size of its archive",
                  "an installer would refuse it; leave the large empty files out, or raise --max-ratio here and there");
    }
  }
  PISHIP_CHECK(file.Append(FrameIndexBytes(records)));
  const std::uint64_t bytes = file.bytes();
  PISHIP_TRY(const Digest digest, file.Commit());
  return Packed{digest, bytes};
}

Release ReleaseOf(const DistributionLock& lock, const ArchiveOptions& options, const Packed& packed) {
  Release release;
  release.id = lock.id;
  release.version = lock.version;
  release.command = lock.command;
  release.platform = lock.platform;
  release.archive_name = FileName(options.output);
  release.archive_bytes = packed.bytes;
  release.archive = packed.digest;
  release.qualification = Qualification::kUnqualified;
  return release;
}

}  // namespace

Status MakeArchive(const ArchiveOptions& options) {
  PISHIP_CHECK(CheckOptions(options));
  PISHIP_TRY(const Inventory inventory, ReadInventory(options.inventory));
  PISHIP_TRY(const std::string lock_text, ReadFile(options.lock));
  PISHIP_TRY(const DistributionLock lock, DistributionLock::Parse(lock_text, options.lock));
  PISHIP_CHECK(CheckLock(inventory, Digest::Of(lock_text), options));

  const std::string text = inventory.Text();
  PISHIP_TRY(const ArchiveLayout layout, ArchiveLayout::Of(inventory, text));
  PISHIP_TRY(const Store store, Store::Open(options.store));
  FrameMaker maker(store, layout, text, static_cast<int>(options.level), static_cast<unsigned>(options.threads));
  PISHIP_CHECK(maker.MakeAll());
  PISHIP_TRY(const Packed packed, Pack(maker, layout, options));

  Release release = ReleaseOf(lock, options, packed);
  release.inventory = layout.entry(0).digest;
  release.lock = Digest::Of(lock_text);
  const std::string checksum = packed.digest.Hex() + "  " + release.archive_name + "\n";
  PISHIP_CHECK(WriteFileIfChanged(options.checksum, checksum));
  PISHIP_CHECK(WriteFileIfChanged(options.release, release.Text()));
  return WriteDepfile(options.depfile, options.output, {store.epoch_path()});
}

}  // namespace piship
