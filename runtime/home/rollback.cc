// SPDX-License-Identifier: MIT
#include "home/rollback.h"

#include "base/files.h"
#include "home/command_link.h"
#include "home/compile_cache.h"
#include "home/lifecycle_lock.h"
#include "home/managed.h"
#include "home/payload_check.h"
#include "home/platform_check.h"
#include "home/receipts.h"
#include "home/reclaim.h"
#include "home/versions.h"
#include "model/distribution_lock.h"
#include "model/semver.h"

namespace piship {
namespace {

std::string KeptVersions(const Receipt& receipt) {
  std::string text;
  for (const InstalledRelease& release : receipt.kept) text += (text.empty() ? "" : ", ") + release.version;
  return text.empty() ? "no other version is kept" : "kept: " + text;
}

Result<InstalledRelease> Choose(const Receipt& receipt, const std::optional<std::string>& to) {
  if (!to && !receipt.kept.empty()) return receipt.kept.front();
  const InstalledRelease* found = to ? receipt.Find(*to) : nullptr;
  if (found != nullptr) return *found;
  return Fail(ErrorCode::kNotInstalled,
              to ? "the version '" + Printable(*to) + "' of " + receipt.id + " is not kept; " + KeptVersions(receipt)
                 : "no version of " + receipt.id + " before " + receipt.active.version + " is kept",
              "install that release's archive");
}

bool IsNewer(const std::string& version, const std::string& than) {
  const auto left = Version::Parse(version);
  const auto right = Version::Parse(than);
  return left && right && *left > *right;
}

// What follows a commit; a kill may have left it undone, so it is done where nothing else is to be, too.
Status Settle(const Homes& homes, const LifecycleLock& lock, const Receipt& receipt, Removed& removed) {
  PISHIP_CHECK(MakeCommandLink(homes, receipt.command, receipt.id));
  PISHIP_CHECK(RemoveCommandLinks(homes, receipt.id, receipt.command));
  CollectUnreferenced(lock, AppDirectory(homes.install, receipt.id), &receipt, removed);
  return {};
}

// `before` with `release` active and what was active kept.
Receipt Activated(const Receipt& before, const InstalledRelease& release, const std::string& command) {
  Receipt after = before;
  after.command = command;
  after.active = release;
  after.kept.clear();
  // What a power cut has taken of the active payload is not known. It is not kept, so that nothing starts it.
  if (!before.unsynced_boot) after.kept.push_back(before.active);
  for (const InstalledRelease& kept : before.kept) {
    if (kept.version != release.version) after.kept.push_back(kept);
  }
  after.unsynced_boot.reset();
  if (IsNewer(before.active.version, release.version)) {
    after.rolled_back = before.active.version;
  } else if (after.rolled_back == release.version) {
    after.rolled_back.reset();
  }
  return after;
}

Result<RollbackReport> RollBackLocked(const Homes& homes, const std::string& id, const std::optional<std::string>& to,
                                      AcceptState accept_state, DryRun dry_run, Removed& removed) {
  // Before the lock, which would make a directory for what is not installed.
  PISHIP_TRY(const OpenReceipt seen, OpenReceipt::Read(homes.install, id));
  PISHIP_CHECK(CheckChangeable(seen.receipt(), Change::kOther));
  std::optional<LifecycleLock> lock;
  if (dry_run == DryRun::kNo) {
    PISHIP_TRY(lock, LifecycleLock::Take(homes.install, id, IfHeld::kWait));
  }
  PISHIP_TRY(const OpenReceipt open, OpenReceipt::Read(homes.install, id));
  const Receipt& before = open.receipt();
  PISHIP_TRY(const InstalledRelease release, Choose(before, to));
  RollbackReport report{before.active.version, before, release.version != before.active.version};
  if (report.changed) {
    PISHIP_CHECK(CheckPlatform(release.platform, id + " " + release.version));
    PISHIP_TRY(const DistributionLock payload, ReadInstalledLock(homes.install, id, release));
    PISHIP_CHECK(CheckState(homes.install, before, payload, accept_state));
    report.receipt = Activated(before, release, payload.command);
  }
  PISHIP_CHECK(CheckCommandFree(homes, report.receipt.command, id));
  if (!lock) return report;
  if (report.changed) PISHIP_CHECK(CommitReceipt(homes.install, report.receipt, Durable::kReceipt));
  PISHIP_CHECK(Settle(homes, *lock, report.receipt, removed));
  return report;
}

}  // namespace

Result<RollbackReport> RollBack(const Homes& homes, const std::string& id, const std::optional<std::string>& to,
                                AcceptState accept_state, DryRun dry_run) {
  Removed removed;
  auto report = RollBackLocked(homes, id, to, accept_state, dry_run, removed);
  removed.Delete(AppDirectory(homes.install, id), StopAfter(kReclaimBudget));
  if (report && dry_run == DryRun::kNo) {
    BoundCompileCaches(homes.state, id, &report->receipt, StopAfter(kReclaimBudget));
  }
  return report;
}

}  // namespace piship
