// SPDX-License-Identifier: MIT
#include "home/kept_versions.h"

#include "home/compile_cache.h"
#include "home/lifecycle_lock.h"
#include "home/managed.h"
#include "home/payload_check.h"
#include "home/receipts.h"
#include "home/reclaim.h"
#include "home/versions.h"

namespace piship {

std::int64_t VersionsToKeep(const Receipt& receipt, const DistributionLock& active) {
  return receipt.keep_versions.value_or(active.keep_versions);
}

void DropSurplus(Receipt& receipt, const DistributionLock& active) {
  const auto most = static_cast<std::size_t>(VersionsToKeep(receipt, active));
  if (receipt.kept.size() > most) receipt.kept.resize(most);
}

Result<KeepReport> KeepVersions(const Homes& homes, const std::string& id, const std::optional<KeepChoice>& choice) {
  if (choice && choice->versions && (*choice->versions < 0 || *choice->versions > kMostKeepVersions)) {
    return Fail(ErrorCode::kUsage, "the number of versions to keep must be between 0 and " +
                                       std::to_string(kMostKeepVersions) + ", not " +
                                       std::to_string(*choice->versions));
  }
  KeepReport report;
  // Before the lock, which would make a directory for what is not installed.
  PISHIP_TRY(const OpenReceipt seen, OpenReceipt::Read(homes.install, id));
  if (choice) PISHIP_CHECK(CheckChangeable(seen.receipt(), Change::kOther));
  std::optional<LifecycleLock> lock;
  if (choice) {
    PISHIP_TRY(lock, LifecycleLock::Take(homes.install, id, IfHeld::kWait));
  }
  PISHIP_TRY(const OpenReceipt open, OpenReceipt::Read(homes.install, id));
  report.receipt = open.receipt();
  PISHIP_TRY(const DistributionLock active, ReadInstalledLock(homes.install, id, report.receipt.active));
  Removed removed;
  if (choice) {
    report.receipt.keep_versions = choice->versions;
    DropSurplus(report.receipt, active);
    for (const InstalledRelease& release : open.receipt().kept) {
      if (report.receipt.Find(release.version) == nullptr) report.dropped.push_back(release.version);
    }
    if (report.receipt.Text() != open.text()) {
      PISHIP_CHECK(CommitReceipt(homes.install, report.receipt, Durable::kReceipt));
    }
    CollectUnreferenced(*lock, AppDirectory(homes.install, id), &report.receipt, removed);
    lock->Release();
  }
  removed.Delete(AppDirectory(homes.install, id), StopAfter(kReclaimBudget));
  if (choice) BoundCompileCaches(homes.state, id, &report.receipt, StopAfter(kReclaimBudget));
  report.versions = VersionsToKeep(report.receipt, active);
  report.chosen = report.receipt.keep_versions.has_value();
  return report;
}

}  // namespace piship
