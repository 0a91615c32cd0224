// SPDX-License-Identifier: MIT
#include "home/install_sink.h"

#include "base/problems.h"

namespace piship {
namespace {

void RequireListed(const Inventory& inventory, std::string_view path, std::string_view what, Problems& problems) {
  if (inventory.Find(path) == nullptr) {
    problems.Add(std::string(what) + " '" + std::string(path) + "' is not in the payload");
  }
}

void RequireExecutable(const Inventory& inventory, std::string_view path, std::string_view what, Problems& problems) {
  const InventoryEntry* entry = inventory.Find(path);
  if (entry == nullptr || entry->mode != FileMode::kExecutable) {
    problems.Add(std::string(what) + " '" + std::string(path) + "' is not an executable of the payload");
  }
}

}  // namespace

Result<DistributionLock> CheckPayloadLock(std::string_view text, const Inventory& inventory) {
  PISHIP_TRY(DistributionLock lock, DistributionLock::Parse(text, kPayloadLock));
  Problems problems{std::string(kPayloadLock)};
  RequireListed(inventory, lock.entry.str(), "the entry", problems);
  RequireExecutable(inventory, kPayloadRuntime, "the runtime", problems);
  if (lock.engine.kind == EngineKind::kSystem) {
    RequireListed(inventory, lock.engine.check.str(), "the engine's check", problems);
  } else {
    RequireExecutable(inventory, lock.engine.executable.str(), "the engine", problems);
  }
  if (lock.engine.prepare) RequireListed(inventory, lock.engine.prepare->str(), "the engine's preparation", problems);
  if (lock.channel) RequireListed(inventory, kPayloadRoot, "the root of the channel", problems);
  for (const LockedResource& resource : lock.resources) {
    const InventoryEntry* entry = inventory.Find(resource.path.str());
    if (entry == nullptr || entry->digest != resource.digest) {
      problems.Add("the resource '" + resource.path.str() + "' is not in the payload with the digest that is named");
    }
  }
  if (!problems.empty()) return Fail(problems.ToError(ErrorCode::kLockInvalid));
  return lock;
}

Status InstallSink::Begin(const Inventory& inventory, std::string_view inventory_text) {
  inventory_ = &inventory;
  inventory_text_ = inventory_text;
  if (inventory.Find(kPayloadLock) != nullptr) return {};
  return Fail(ErrorCode::kPayloadInvalid, "the payload has no '" + std::string(kPayloadLock) + "'",
              "this is not a release of a distribution");
}

Status InstallSink::Plan(const InventoryEntry& entry, std::string_view lock_text) {
  timing_.Ended("inventory");
  Candidate candidate;
  PISHIP_TRY(candidate.lock, CheckPayloadLock(lock_text, *inventory_));
  candidate.lock_digest = entry.digest;
  candidate.inventory = Digest::Of(inventory_text_);
  candidate.bytes = inventory_->total_bytes();
  candidate.files = inventory_;
  PISHIP_TRY(const InstallAction action, installer_.Plan(std::move(candidate), dry_run_));
  timing_.Ended("plan");
  planned_ = true;
  const bool writes = WritesPayload(action) && dry_run_ == DryRun::kNo;
  if (!writes && read_on_ == ReadOn::kWhileNeeded) {
    stopped_ = true;
    return Fail(ErrorCode::kInternal, "nothing more is needed");
  }
  if (!writes) return {};
  writer_ = std::make_unique<PayloadWriter>(installer_.directory(), installer_.directory_path());
  PISHIP_TRY(const RelativePath inventory_path, RelativePath::Parse(kPayloadInventory));
  if (installer_.Wants(inventory_path.str())) {
    PISHIP_CHECK(writer_->Create(inventory_path, FileMode::kPlain, inventory_text_));
  }
  return Writes(entry) ? writer_->Create(entry.path, entry.mode, lock_text) : Status();
}

Status InstallSink::File(const InventoryEntry& entry, std::string_view bytes) {
  if (!planned_) {
    if (entry.path.str() == kPayloadLock) return Plan(entry, bytes);
    return Fail(ErrorCode::kArchiveInvalid,
                "'" + entry.path.str() + "' comes before '" + std::string(kPayloadLock) + "'");
  }
  if (entry.path.str() == kPayloadRoot) root_ = bytes;
  return Writes(entry) ? writer_->Create(entry.path, entry.mode, bytes) : Status();
}

Status InstallSink::Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view bytes) {
  if (!planned_) return File(entry, bytes);
  return Writes(entry) ? writer_->Part(entry, offset, bytes) : Status();
}

}  // namespace piship
