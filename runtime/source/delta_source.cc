// SPDX-License-Identifier: MIT
#include "source/delta_source.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/files.h"
#include "base/parallel.h"
#include "format/archive_layout.h"
#include "format/delta.h"
#include "home/homes.h"

namespace piship {
namespace {

class DeltaReader {
 public:
  DeltaReader(int base, std::string base_name, std::string name, PayloadSink& sink)
      : files_(base, std::move(base_name), "the whole release does not need it"), name_(std::move(name)), sink_(sink) {}

  Result<Digest> Read(const InstalledBase& base, const ReadArchiveOptions& options) {
    PISHIP_TRY(const std::string bytes, ReadFile(name_, kMaxDeltaMemory));
    PISHIP_TRY(const Delta delta, ParseDelta(bytes, name_));
    PISHIP_CHECK(ReadInventories(delta, base, options.limits));
    const DeltaContents contents = CompareContents(base_, release_);
    PISHIP_CHECK(Unpack(delta, contents));
    for (const InventoryEntry& entry : base_.entries()) base_paths_.emplace(entry.digest, &entry);
    PISHIP_CHECK(sink_.Begin(release_, release_text_));
    PISHIP_CHECK(HandOn(options.threads));
    return delta.inventory;
  }

 private:
  Status ReadInventories(const Delta& delta, const InstalledBase& base, const ArchiveLimits& limits) {
    PISHIP_TRY(const UniqueFd fd, files_.Open(kPayloadInventory));
    const std::string subject = files_.Subject(kPayloadInventory);
    PISHIP_TRY(const std::string base_text, ReadAll(fd.get(), subject, limits.inventory_bytes));
    if (Digest::Of(base_text) != base.inventory) {
      return Fail(ErrorCode::kIntegrityFailed, "'" + subject + "' is not the one that was installed");
    }
    PISHIP_TRY(base_, Inventory::Parse(base_text, subject, limits.inventory));
    if (delta.inventory_bytes > limits.inventory_bytes) {
      return Fail(ErrorCode::kLimitExceeded,
                  "'" + name_ + "' has an inventory of more than " + std::to_string(limits.inventory_bytes) + " bytes");
    }
    PISHIP_TRY(release_text_, InventoryOf(delta, base_text, name_));
    PISHIP_TRY(release_, Inventory::Parse(release_text_, name_ + ": metadata/inventory", limits.inventory));
    return {};
  }

  // What was gone is needed no longer once the added contents are there.
  Status Unpack(const Delta& delta, const DeltaContents& contents) {
    const ContentOf read = [this](const InventoryEntry& entry) { return files_.Read(entry); };
    if (contents.gone_bytes > kMaxDeltaMemory) {
      return Fail(ErrorCode::kLimitExceeded, "'" + name_ + "' needs too much of its base in memory");
    }
    PISHIP_TRY(const std::string gone, GoneContents(contents, read));
    PISHIP_TRY(added_, AddedContents(delta, contents, gone, name_));
    std::size_t offset = 0;
    for (const InventoryEntry* entry : contents.added) {
      const std::string_view content = std::string_view(added_).substr(offset, static_cast<std::size_t>(entry->size));
      if (Digest::Of(content) != entry->digest) {
        return Fail(ErrorCode::kIntegrityFailed,
                    "'" + name_ + "': '" + entry->path.str() + "' does not match its digest");
      }
      added_contents_.emplace(entry->digest, content);
      offset += content.size();
    }
    return {};
  }

  Status HandOn(unsigned threads) {
    const std::vector<InventoryEntry>& entries = release_.entries();
    const InventoryEntry* lock = release_.Find(kPayloadLock);
    if (lock != nullptr) PISHIP_CHECK(HandOn(*lock));
    return ParallelFor(entries.size(), threads, [&](std::size_t index, unsigned /*worker*/) -> Status {
      return &entries[index] == lock ? Status() : HandOn(entries[index]);
    });
  }

  Status HandOn(const InventoryEntry& entry) const {
    const auto added = added_contents_.find(entry.digest);
    if (added == added_contents_.end()) {
      return files_.HandOn(base_paths_.at(entry.digest)->path.str(), entry, sink_);
    }
    const std::string_view content = added->second;
    if (content.size() <= kPartBytes) return sink_.File(entry, content);
    for (std::size_t offset = 0; offset < content.size(); offset += kPartBytes) {
      PISHIP_CHECK(sink_.Part(entry, offset, content.substr(offset, kPartBytes)));
    }
    return {};
  }

  ListedFiles files_;
  std::string name_;
  PayloadSink& sink_;
  Inventory base_;
  std::string release_text_;
  Inventory release_;
  std::string added_;
  std::unordered_map<Digest, std::string_view, DigestHash> added_contents_;
  std::unordered_map<Digest, const InventoryEntry*, DigestHash> base_paths_;
};

}  // namespace

Result<Digest> ReadDelta(const std::string& file, const InstalledBase& base, PayloadSink& sink,
                         const ReadArchiveOptions& options) {
  PISHIP_TRY(const UniqueFd root, OpenFile(base.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  try {
    return DeltaReader(root.get(), base.directory, file, sink).Read(base, options);
  } catch (const std::bad_alloc&) {
    return Fail(SystemError("get the memory to read '" + file + "'", ENOMEM));
  }
}

}  // namespace piship
