// SPDX-License-Identifier: MIT
#include <fcntl.h>

#include "base/files.h"
#include "commands/commands.h"
#include "commands/report.h"
#include "home/install_sink.h"
#include "home/lifecycle_lock.h"
#include "home/payload_check.h"
#include "home/platform_check.h"
#include "home/receipts.h"
#include "home/unsynced.h"
#include "os/lock.h"

namespace piship {
namespace {

// Lets everything pass that has been checked on the way here.
class CheckingSink : public PayloadSink {
 public:
  Status Begin(const Inventory& inventory, std::string_view /*text*/) override {
    inventory_ = &inventory;
    files = inventory.entries().size();
    bytes = inventory.total_bytes();
    if (inventory.Find(kPayloadLock) != nullptr) return {};
    return Fail(ErrorCode::kPayloadInvalid, "the payload has no '" + std::string(kPayloadLock) + "'",
                "this is not a release of a distribution");
  }
  Status File(const InventoryEntry& entry, std::string_view text) override {
    if (entry.path.str() != kPayloadLock) return {};
    PISHIP_TRY(lock, CheckPayloadLock(text, *inventory_));
    lock_digest = entry.digest;
    return CheckPlatform(lock.platform, lock.id + " " + lock.version);
  }
  Status Part(const InventoryEntry& /*entry*/, std::uint64_t /*offset*/, std::string_view /*text*/) override {
    return {};
  }

  DistributionLock lock;
  Digest lock_digest;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;

 private:
  const Inventory* inventory_ = nullptr;
};

Status VerifyRelease(const SubjectOptions& options, json::Value& out) {
  CheckingSink sink;
  PISHIP_TRY(const SourceSummary summary, ReadReleaseWithin(options.limits, options.subject, sink));
  InstalledRelease release;
  release.version = sink.lock.version;
  release.platform = sink.lock.platform;
  release.inventory = summary.inventory;
  release.lock = sink.lock_digest;
  release.archive = summary.archive;
  SetRelease(out, release);
  out.Set("files", static_cast<std::int64_t>(sink.files));
  out.Set("bytes", static_cast<std::int64_t>(sink.bytes));
  out.Set("id", sink.lock.id);
  out.Set("intact", true);
  out.Set("kind", summary.archive ? "archive" : "directory");
  if (options.json || options.quiet) return {};
  PrintWords(sink.lock.id + " " + sink.lock.version + ": intact, origin not proven (" + Grouped(sink.files) +
             " files, " + Grouped(sink.bytes) + " bytes)");
  if (summary.archive) PrintData(summary.archive->Hex() + "\n");
  return {};
}

Status VerifyInstalled(const Homes& homes, const SubjectOptions& options, json::Value& out) {
  PISHIP_TRY(const OpenReceipt open, OpenReceipt::Read(homes.install, options.subject));
  const Receipt& receipt = open.receipt();
  const std::string release = receipt.id + " " + receipt.active.version;
  PISHIP_CHECK(CheckPlatform(receipt.active.platform, release));
  const std::string path = VersionDirectory(homes.install, receipt.id, receipt.active.version);
  const std::string hint = "'piship repair " + receipt.id + "' writes that anew";
  const auto directory = OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) {
    if (!SaysDamaged(directory.error())) return Fail(directory.error());
    return Fail(ErrorCode::kIntegrityFailed, directory.error().message, hint);
  }
  // Shared, as a running program's lease: nobody removes or repairs what is being compared.
  PISHIP_TRY(const LockOutcome outcome, TryLock(directory->get(), LockMode::kShared, path));
  if (outcome == LockOutcome::kHeld) {
    return Fail(ErrorCode::kLockHeld, "'" + path + "' is being changed by " + DescribeLockHolder(directory->get()),
                "wait until it has finished and try again");
  }
  PISHIP_TRY(const PayloadCheck check, CheckPayload(directory->get(), path, receipt.active.inventory));
  PISHIP_CHECK(RequireIntact(check, path, hint));
  if (receipt.unsynced_boot) ClearUnsyncedBoot(homes.install, receipt, open.text());
  out.Set("bytes", static_cast<std::int64_t>(check.inventory.total_bytes()));
  out.Set("files", static_cast<std::int64_t>(check.inventory.entries().size()));
  out.Set("id", receipt.id);
  out.Set("intact", true);
  out.Set("kind", "installed");
  SetRelease(out, receipt.active);
  if (options.json) return {};
  PrintWords(release + ": intact (" + Grouped(check.inventory.entries().size()) + " files, " +
             Grouped(check.inventory.total_bytes()) + " bytes)");
  return {};
}

}  // namespace

Status RunVerify(const SubjectOptions& options) {
  return Report(options.json, [&](json::Value& out) -> Status {
    PISHIP_TRY(const Homes homes, HomesFromEnvironment());
    SettleUnsynced(homes.install);
    PISHIP_TRY(const bool installed, IsInstalledId(homes, options.subject));
    return installed ? VerifyInstalled(homes, options, out) : VerifyRelease(options, out);
  });
}

}  // namespace piship
