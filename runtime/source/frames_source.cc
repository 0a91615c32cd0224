// SPDX-License-Identifier: MIT
#include "source/frames_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files.h"
#include "base/parallel.h"
#include "format/archive_file.h"
#include "format/frame_check.h"
#include "home/homes.h"

namespace piship {
namespace {

// Bytes between two wanted frames that are fetched with them: less than what another request costs.
constexpr std::uint64_t kGap = std::uint64_t{64} * 1024;
// Above this share of the archive, in percent, the whole is taken: one request, and it needs no base.
constexpr std::uint64_t kWorthwhile = 70;

// The files of an installed version, found by what they hold.
class Base {
 public:
  // `release` is the digest of the archive's inventory. A base with the same one is a version that lacks or has changed
  // some files; its own copy of the inventory may be among them, so that is not read.
  static Result<Base> Open(const InstalledBase& installed, const Digest& release, const ArchiveLimits& limits) {
    PISHIP_TRY(UniqueFd root, OpenFile(installed.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    Base base(std::move(root), installed.directory);
    if (installed.inventory == release) return base;
    PISHIP_TRY(const UniqueFd fd, base.files_.Open(kPayloadInventory));
    const std::string subject = base.files_.Subject(kPayloadInventory);
    PISHIP_TRY(const std::string text, ReadAll(fd.get(), subject, limits.inventory_bytes));
    if (Digest::Of(text) != installed.inventory) {
      return Fail(ErrorCode::kIntegrityFailed, "'" + subject + "' is not the one that was installed");
    }
    PISHIP_TRY(base.inventory_, Inventory::Parse(text, subject, limits.inventory));
    base.other_ = true;
    for (const InventoryEntry& entry : base.inventory_.entries()) base.paths_.emplace(entry.digest, entry.path.str());
    return base;
  }

  // Where it has the content of `entry`; empty where it has not.
  std::string_view PathOf(const InventoryEntry& entry) const {
    if (!other_) return entry.path.str();
    const auto found = paths_.find(entry.digest);
    return found != paths_.end() ? std::string_view(found->second) : std::string_view();
  }
  bool Has(const InventoryEntry& entry) const { return !PathOf(entry).empty(); }
  bool HasUnchanged(const InventoryEntry& entry) const {
    return Has(entry) && files_.Check(PathOf(entry), entry).has_value();
  }
  Status HandOn(const InventoryEntry& entry, PayloadSink& sink) const {
    if (Has(entry)) return files_.HandOn(PathOf(entry), entry, sink);
    return Fail(ErrorCode::kIntegrityFailed, "the frame of '" + entry.path.str() + "' has not been fetched");
  }

 private:
  Base(UniqueFd root, std::string name)
      : root_(std::move(root)), files_(root_.get(), std::move(name), "the whole release does not need it") {}

  UniqueFd root_;
  ListedFiles files_;
  bool other_ = false;
  Inventory inventory_;
  std::unordered_map<Digest, std::string, DigestHash> paths_;
};

// Writes what a server sends for a range to its place, and nothing beyond it.
class PlaceInFile : public tuf::ArtifactSink {
 public:
  PlaceInFile(const Download& file, const tuf::ByteRange& range) : file_(file), range_(range) {}
  Status Begin(std::uint64_t offset) override {
    at_ = offset;
    if (lseek(file_.fd(), static_cast<off_t>(offset), SEEK_SET) >= 0) return {};
    return Fail(SystemError("write '" + file_.path() + "'", errno));
  }
  Status Take(std::string_view bytes) override {
    if (bytes.size() > End() - at_)
      return Fail(ErrorCode::kIntegrityFailed, "the server sends more than it was asked for");
    at_ += bytes.size();
    return WriteAll(file_.fd(), bytes, file_.path());
  }
  bool filled() const { return at_ == End(); }

 private:
  std::uint64_t End() const { return range_.offset + *range_.bytes; }
  const Download& file_;
  const tuf::ByteRange& range_;
  std::uint64_t at_ = 0;
};

class Fetching {
 public:
  Fetching(const Download& file, const ArchiveInFrames& archive, const FetchPart& fetch)
      : file_(file), archive_(archive), fetch_(fetch) {}

  Result<std::optional<std::uint64_t>> Run(const InstalledBase& base, BaseIs base_is,
                                           const std::function<void(std::uint64_t)>& announce,
                                           const ArchiveLimits& limits) {
    if (ftruncate(file_.fd(), static_cast<off_t>(archive_.bytes)) != 0) {
      return Fail(SystemError("write '" + file_.path() + "'", errno));
    }
    PISHIP_TRY(const std::vector<FrameRecord> records, Index());
    PISHIP_CHECK(Inventories(records));
    PISHIP_TRY(const ArchiveFile archive, ArchiveFile::Open(file_.fd(), file_.path(), limits));
    if (Digest::Of(archive.inventory_text()) != archive_.inventory) {
      return Fail(ErrorCode::kIntegrityFailed, "the archive's inventory is not the one that was signed",
                  "tell the owner of the channel");
    }
    PISHIP_TRY(const Base files, Base::Open(base, archive_.inventory, limits));
    PISHIP_TRY(const std::vector<bool> wanted, Wanted(archive, files, base_is));
    PISHIP_TRY(const std::vector<tuf::ByteRange> ranges, RangesOf(archive, wanted));
    std::uint64_t bytes = 0;
    for (const tuf::ByteRange& range : ranges) bytes += *range.bytes;
    if (bytes > archive_.bytes / 100 * kWorthwhile) return std::nullopt;
    announce(bytes);
    for (const tuf::ByteRange& range : ranges) PISHIP_CHECK(Fetch(range));
    for (std::size_t number = 0; number < wanted.size(); ++number) {
      if (!wanted[number]) continue;
      PISHIP_TRY(const bool right, archive.HasFrame(number));
      if (!right) return Fail(NotSigned("frame " + std::to_string(number)));
    }
    return fetched_;
  }

 private:
  static Error NotSigned(const std::string& what) {
    return Error{ErrorCode::kIntegrityFailed,
                 "the repository sends another " + what + " of the archive than was signed",
                 "try again later, or tell the owner of the channel"};
  }

  Status Fetch(const tuf::ByteRange& range) {
    PlaceInFile sink(file_, range);
    PISHIP_CHECK(fetch_(range, sink));
    fetched_ += *range.bytes;
    if (sink.filled()) return {};
    return Fail(ErrorCode::kHttpFailed, "the server sends less than it was asked for");
  }

  // The frame index, signed and in the file.
  Result<std::vector<FrameRecord>> Index() {
    const std::size_t size = FrameIndexSize(archive_.index.frames);
    const tuf::ByteRange range{archive_.bytes - size, size};
    PISHIP_TRY(std::string bytes, Bytes(range));
    if (Digest::Of(bytes) != archive_.index.digest) {
      PISHIP_CHECK(Fetch(range));
      PISHIP_TRY(bytes, Bytes(range));
    }
    if (Digest::Of(bytes) != archive_.index.digest) return Fail(NotSigned("frame index"));
    return ParseFrameIndex(bytes, file_.path());
  }

  Result<std::string> Bytes(const tuf::ByteRange& range) const {
    if (lseek(file_.fd(), static_cast<off_t>(range.offset), SEEK_SET) < 0) {
      return Fail(SystemError("read '" + file_.path() + "'", errno));
    }
    std::string bytes(static_cast<std::size_t>(*range.bytes), '\0');
    PISHIP_TRY(const std::size_t count, ReadSome(file_.fd(), bytes.data(), bytes.size(), file_.path()));
    bytes.resize(count);
    return bytes;
  }

  // The first frame holds the inventory; where that is a large file, so do those that follow it up to the first which
  // is not filled by a part of one.
  Status Inventories(const std::vector<FrameRecord>& records) {
    std::uint64_t size = 0;
    bool more = true;
    bool there = true;
    for (std::size_t number = 0; more && number < records.size(); ++number) {
      const tuf::ByteRange frame{size, records[number].compressed_bytes};
      size += records[number].compressed_bytes;
      more = records[number].content_bytes >= kPartBytes;
      if (size > archive_.bytes) return Fail(NotSigned("frame index"));
      PISHIP_TRY(const std::string bytes, Bytes(frame));
      there = there && Digest::Of(bytes) == records[number].digest;
    }
    return there ? Status() : Fetch({0, size});
  }

  // The frames with files that the base lacks, whether they are in the file or not.
  static Result<std::vector<bool>> Wanted(const ArchiveFile& archive, const Base& base, BaseIs base_is) {
    const ArchiveLayout& layout = archive.layout();
    std::vector<char> lacks(layout.entry_count(), 0);
    PISHIP_CHECK(ParallelFor(lacks.size() - 1, 0, [&](std::size_t index, unsigned /*worker*/) -> Status {
      const InventoryEntry& entry = layout.entry(index + 1);
      lacks[index + 1] = base_is == BaseIs::kChecked ? !base.HasUnchanged(entry) : !base.Has(entry);
      return {};
    }));
    const std::vector<FramePlan>& plans = layout.frames();
    std::vector<bool> wanted(plans.size(), false);
    for (std::size_t number = 0; number < plans.size(); ++number) {
      for (std::size_t entry = 0; entry < plans[number].entry_count; ++entry) {
        if (lacks[plans[number].first_entry + entry] != 0) wanted[number] = true;
      }
    }
    return wanted;
  }

  // What is to be fetched for them, joined where little lies between.
  static Result<std::vector<tuf::ByteRange>> RangesOf(const ArchiveFile& archive, const std::vector<bool>& wanted) {
    std::vector<tuf::ByteRange> ranges;
    for (std::size_t number = 0; number < wanted.size(); ++number) {
      if (!wanted[number]) continue;
      PISHIP_TRY(const bool there, archive.HasFrame(number));
      if (there) continue;
      const std::uint64_t begin = archive.FrameOffset(number);
      const std::uint64_t end = begin + archive.frames()[number].compressed_bytes;
      if (!ranges.empty() && begin - (ranges.back().offset + *ranges.back().bytes) <= kGap) {
        ranges.back().bytes = end - ranges.back().offset;
      } else {
        ranges.push_back({begin, end - begin});
      }
    }
    return ranges;
  }

  const Download& file_;
  const ArchiveInFrames& archive_;
  const FetchPart& fetch_;
  std::uint64_t fetched_ = 0;
};

class Reading {
 public:
  Reading(const ArchiveFile& archive, const Base& base, std::string_view name, PayloadSink& sink)
      : archive_(archive), base_(base), name_(name), sink_(sink), lock_(archive.inventory().Find(kPayloadLock)) {}

  Status Run(unsigned threads) {
    PISHIP_CHECK(sink_.Begin(archive_.inventory(), archive_.inventory_text()));
    PISHIP_CHECK(PlanTasks());
    if (lock_ != nullptr) PISHIP_CHECK(HandLockOn());
    return ParallelFor(tasks_.size(), threads,
                       [&](std::size_t index, unsigned /*worker*/) { return Do(tasks_[index]); });
  }

 private:
  // One frame, all frames of a large file, or, where `frames` is 0, an entry of the base.
  struct Task {
    std::size_t first = 0;
    std::size_t frames = 0;
  };

  Status PlanTasks() {
    const std::vector<FramePlan>& plans = archive_.layout().frames();
    for (std::size_t number = 0; number < plans.size();) {
      const std::size_t first = number;
      bool there = true;
      for (; number < plans.size() && plans[number].first_entry == plans[first].first_entry; ++number) {
        PISHIP_TRY(const bool has, archive_.HasFrame(number));
        there = there && has;
      }
      const FramePlan& plan = plans[first];
      if (plan.kind == FrameKind::kEnd || plan.first_entry == 0) continue;
      if (there) {
        tasks_.push_back({first, number - first});
        const bool holds_lock = lock_ != nullptr && plan.first_entry == 1;
        lock_in_frame_ = lock_in_frame_ || holds_lock;
        continue;
      }
      for (std::size_t entry = 0; entry < plan.entry_count; ++entry) tasks_.push_back({plan.first_entry + entry, 0});
    }
    return {};
  }

  Status HandLockOn() {
    if (!lock_in_frame_) return base_.HandOn(*lock_, sink_);
    PISHIP_TRY(const std::string text, archive_.Read(kPayloadLock));
    return sink_.File(*lock_, text);
  }

  Status Do(const Task& task) {
    if (task.frames == 0) {
      const InventoryEntry& entry = archive_.layout().entry(task.first);
      return &entry == lock_ ? Status() : base_.HandOn(entry, sink_);
    }
    const FramePlan& plan = archive_.layout().frames()[task.first];
    if (plan.kind == FrameKind::kPart) return HandPartsOn(task);
    PISHIP_TRY(const std::string content, archive_.FrameContent(task.first));
    return CheckEntries(archive_.layout(), plan, content, name_,
                        [this](const InventoryEntry& entry, std::string_view bytes) {
                          return &entry == lock_ ? Status() : sink_.File(entry, bytes);
                        });
  }

  Status HandPartsOn(const Task& task) {
    const std::vector<FramePlan>& plans = archive_.layout().frames();
    const std::size_t index = plans[task.first].first_entry;
    const InventoryEntry& entry = archive_.layout().entry(index);
    Sha256 hasher;
    for (std::size_t number = task.first; number < task.first + task.frames; ++number) {
      PISHIP_TRY(const std::string content, archive_.FrameContent(number));
      PISHIP_TRY(const std::string_view part, CheckPart(entry, plans[number], content, name_));
      hasher.Update(part);
      PISHIP_CHECK(sink_.Part(entry, plans[number].part_offset, part));
    }
    if (hasher.Finish() == entry.digest) return {};
    return FailEntry(ErrorCode::kIntegrityFailed, name_, index, entry, "does not match its digest in the inventory");
  }

  const ArchiveFile& archive_;
  const Base& base_;
  std::string_view name_;
  PayloadSink& sink_;
  const InventoryEntry* lock_;
  bool lock_in_frame_ = false;
  std::vector<Task> tasks_;
};

tl::unexpected<Error> OutOfMemory(const std::string& file) {
  return Fail(SystemError("get the memory to read '" + file + "'", ENOMEM));
}

}  // namespace

Result<std::optional<std::uint64_t>> FetchFrames(const Download& file, const ArchiveInFrames& archive,
                                                 const InstalledBase& base, BaseIs base_is, const FetchPart& fetch,
                                                 const std::function<void(std::uint64_t bytes)>& announce,
                                                 const ArchiveLimits& limits) {
  try {
    return Fetching(file, archive, fetch).Run(base, base_is, announce, limits);
  } catch (const std::bad_alloc&) {
    return OutOfMemory(file.path());
  }
}

Result<Digest> ReadFrames(const std::string& file, const InstalledBase& base, PayloadSink& sink,
                          const ReadArchiveOptions& options) {
  PISHIP_TRY(const UniqueFd fd, OpenFile(file, O_RDONLY));
  try {
    PISHIP_TRY(const ArchiveFile archive, ArchiveFile::Open(fd.get(), file, options.limits));
    const Digest inventory = archive.layout().entry(0).digest;
    PISHIP_TRY(const Base files, Base::Open(base, inventory, options.limits));
    PISHIP_CHECK(Reading(archive, files, file, sink).Run(options.threads));
    return inventory;
  } catch (const std::bad_alloc&) {
    return OutOfMemory(file);
  }
}

}  // namespace piship
