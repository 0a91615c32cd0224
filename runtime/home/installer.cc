// SPDX-License-Identifier: MIT
// The order of a commit: launcher, file system sync (an update), receipt, command link, removal of what nothing names.
// A launcher starts every older receipt, so it may be there before its receipt is. A link that is missing after a kill
// is made by the next install of the same version; a link never leads to what is not there.
//
// A repair writes what differs into a directory of its own. Once everything there is right and on the disk, each file
// is renamed into its place, before the receipt: a launch meanwhile finds the damaged file or the right one, and what a
// kill leaves is no more damaged than before.
#include "home/installer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "home/command_link.h"
#include "home/compile_cache.h"
#include "home/kept_versions.h"
#include "home/launcher.h"
#include "home/managed.h"
#include "home/mend.h"
#include "home/payload_check.h"
#include "home/platform_check.h"
#include "home/receipts.h"
#include "home/reclaim.h"
#include "home/unsynced.h"
#include "os/beneath.h"
#include "os/boot.h"
#include "os/lock.h"
#include "os/sync.h"

namespace piship {
namespace {

constexpr int kPlanAttempts = 100;

std::string Named(const DistributionLock& lock) { return lock.id + " " + lock.version; }

}  // namespace

bool WritesPayload(InstallAction action) {
  return action == InstallAction::kInstall || action == InstallAction::kUpdate ||
         action == InstallAction::kReplaceDamaged;
}

Installer::~Installer() { GiveUp(); }

std::string Installer::VersionPath() const {
  return VersionDirectory(homes_.install, candidate_.lock.id, candidate_.lock.version);
}

std::string Installer::directory_path() const {
  return JoinPath(AppDirectory(homes_.install, candidate_.lock.id), claimed_->name);
}

bool Installer::Wants(const std::string& path) const {
  return !mended_ || std::binary_search(written_.begin(), written_.end(), path);
}

// Absent where there is none, and where it can't be understood: an install replaces it, since a receipt that a power
// cut has emptied must not stand in the way of its own repair.
Result<std::optional<Receipt>> Installer::CurrentReceipt() {
  auto receipt = FindReceipt(homes_.install, candidate_.lock.id);
  if (receipt) {
    if (*receipt) PISHIP_CHECK(CheckChangeable(**receipt, repair_ ? Change::kRepair : Change::kOther));
    return receipt;
  }
  const ErrorCode code = receipt.error().code;
  if (code != ErrorCode::kReceiptInvalid && code != ErrorCode::kJsonInvalid) return receipt;
  damaged_receipt_ = true;
  return std::optional<Receipt>();
}

// Notes what differs from the inventory in the version's directory, and keeps that from being moved aside. Nothing is
// noted where it is missing.
Status Installer::Compare(const InstalledRelease& installed) {
  const std::string path = VersionPath();
  LockedVersion version{installed.version, UniqueFd()};
  auto directory = OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) {
    bytes_to_write_ = candidate_.bytes;
    return SaysDamaged(directory.error()) ? Status() : Fail(std::move(directory).error());
  }
  version.directory = *std::move(directory);
  PISHIP_TRY(const LockOutcome outcome, TryLock(version.directory.get(), LockMode::kShared, path));
  if (outcome == LockOutcome::kHeld) {
    return Fail(ErrorCode::kLockHeld,
                "'" + path + "' is being changed by " + DescribeLockHolder(version.directory.get()),
                "wait until it has finished and try again");
  }
  PISHIP_TRY(differences_, ComparePayload(*candidate_.files, installed.inventory, version.directory.get(), path));
  for (const Difference& difference : differences_) {
    const InventoryEntry* entry = candidate_.files->Find(difference.path);
    if (!IsWritten(difference, entry != nullptr || difference.path == kPayloadInventory)) continue;
    written_.push_back(difference.path);
    if (entry != nullptr) bytes_to_write_ += entry->size;
  }
  std::sort(written_.begin(), written_.end());
  mended_ = std::move(version);
  return {};
}

Result<InstallAction> Installer::Decide(const std::optional<Receipt>& receipt) {
  previous_version_.reset();
  mended_.reset();
  differences_.clear();
  written_.clear();
  bytes_to_write_ = 0;
  const InstalledRelease* installed = receipt ? receipt->Find(candidate_.lock.version) : nullptr;
  if (repair_ && installed == nullptr) {
    return Fail(ErrorCode::kNotInstalled, Named(candidate_.lock) + " is not installed", "'piship list' shows what is");
  }
  if (receipt) previous_version_ = receipt->active.version;
  if (installed == nullptr) {
    bytes_to_write_ = candidate_.bytes;
    return receipt ? InstallAction::kUpdate : InstallAction::kInstall;
  }
  if (installed->inventory != candidate_.inventory) {
    return Fail(ErrorCode::kVersionConflict,
                Named(candidate_.lock) + " is installed with the inventory " + installed->inventory.Hex() +
                    ", this release has " + candidate_.inventory.Hex(),
                "a version never changes: give the new content a new version, or uninstall the old one first");
  }
  PISHIP_CHECK(Compare(*installed));
  if (!mended_ || !differences_.empty()) return InstallAction::kReplaceDamaged;
  mended_.reset();
  return installed == &receipt->active ? InstallAction::kAlreadyInstalled : InstallAction::kActivateKept;
}

Status Installer::CheckSpace() const {
  std::string existing = homes_.install;
  struct statvfs space {};
  while (statvfs(existing.c_str(), &space) != 0) {
    if (errno != ENOENT || existing == "/") return {};
    existing = ParentPath(existing);
  }
  // A file system without blocks does not tell.
  const std::uint64_t available = std::uint64_t{space.f_bavail} * space.f_frsize;
  if (space.f_blocks == 0 || available >= bytes_to_write_) return {};
  return Fail(ErrorCode::kDiskFull,
              Named(candidate_.lock) + " needs " + std::to_string(bytes_to_write_) + " bytes, '" + existing + "' has " +
                  std::to_string(available),
              "free some space, or set PISHIP_INSTALL_HOME to another disk");
}

Result<InstallAction> Installer::Plan(Candidate candidate, DryRun dry_run) {
  candidate_ = std::move(candidate);
  if (repair_ && (candidate_.lock.id != repair_->id || candidate_.lock.version != repair_->version)) {
    return Fail(ErrorCode::kVersionConflict,
                "the release is " + Named(candidate_.lock) + ", and " + repair_->id + " " + repair_->version +
                    " is to be repaired",
                "name the archive of that version");
  }
  PISHIP_CHECK(CheckPlatform(candidate_.lock.platform, Named(candidate_.lock)));
  PISHIP_CHECK(CheckCommandFree(homes_, candidate_.lock.command, candidate_.lock.id));
  // Deciding may read a whole payload, so it is done without the lifecycle lock, and again where the receipt has
  // changed meanwhile.
  for (int attempt = 0; attempt < kPlanAttempts; ++attempt) {
    PISHIP_TRY(const std::optional<Receipt> seen, CurrentReceipt());
    if (seen && !repair_) PISHIP_CHECK(CheckState(homes_.install, *seen, candidate_.lock, accept_state_));
    PISHIP_TRY(action_, Decide(seen));
    if (WritesPayload(action_)) PISHIP_CHECK(CheckSpace());
    if (dry_run == DryRun::kYes || !WritesPayload(action_)) return action_;
    began_ = true;
    PISHIP_TRY(const LifecycleLock lock, LifecycleLock::Take(homes_.install, candidate_.lock.id, IfHeld::kWait));
    PISHIP_TRY(const std::optional<Receipt> current, CurrentReceipt());
    if (seen.has_value() != current.has_value() || (seen && seen->Text() != current->Text())) continue;
    PISHIP_CHECK(Claim());
    return action_;
  }
  return Fail(ErrorCode::kLockHeld, "other processes keep changing '" + candidate_.lock.id + "'", "try again");
}

Status Installer::Claim() {
  const std::string app_directory = AppDirectory(homes_.install, candidate_.lock.id);
  if (action_ == InstallAction::kReplaceDamaged) {
    PISHIP_TRY(claimed_, ClaimRepair(app_directory, removed_));
    return {};
  }
  PISHIP_TRY(claimed_, ClaimVersion(app_directory, candidate_.lock.version, removed_));
  return {};
}

// Puts what the claimed directory of a repair holds into its place.
Status Installer::Mend() {
  PISHIP_CHECK(SyncFileSystem(claimed_->directory.get(), directory_path()));
  const std::string app_directory = AppDirectory(homes_.install, candidate_.lock.id);
  if (!mended_) return NameRepair(app_directory, *claimed_, candidate_.lock.version);
  return MendPayload(mended_->directory.get(), VersionPath(), claimed_->directory.get(), differences_, written_);
}

Result<Receipt> Installer::NewReceipt(const std::optional<Receipt>& current, const Provenance& provenance) const {
  if (repair_) {
    Receipt same = *current;
    if (same.active.version == repair_->version) same.unsynced_boot.reset();
    return same;
  }
  Receipt receipt;
  receipt.id = candidate_.lock.id;
  receipt.command = candidate_.lock.command;
  receipt.active.version = candidate_.lock.version;
  receipt.active.platform = candidate_.lock.platform;
  receipt.active.inventory = candidate_.inventory;
  receipt.active.lock = candidate_.lock_digest;
  receipt.active.archive = provenance.archive;
  receipt.active.origin = provenance.origin;
  receipt.active.qualification = provenance.qualification;
  receipt.channel = provenance.channel;
  if (!receipt.channel && current) receipt.channel = current->channel;
  // Not against what the user has chosen.
  if (!receipt.channel && provenance.begins_updates) receipt.channel = candidate_.lock.channel;
  if (!current) return receipt;
  receipt.unknown = current->unknown;
  receipt.keep_versions = current->keep_versions;
  if (const InstalledRelease* installed = current->Find(candidate_.lock.version)) {
    // What vouched for it once still does: the inventory is the same.
    if (provenance.origin == Origin::kUnproven) receipt.active = *installed;
    if (installed == &current->active) {
      receipt.kept = current->kept;
      return receipt;
    }
  }
  receipt.kept.push_back(current->active);
  for (const InstalledRelease& release : current->kept) {
    if (release.version != receipt.active.version) receipt.kept.push_back(release);
  }
  DropSurplus(receipt, candidate_.lock);
  return receipt;
}

Status Installer::Commit(const Provenance& provenance) {
  const std::string& id = candidate_.lock.id;
  const std::string app_directory = AppDirectory(homes_.install, id);
  {
    PISHIP_TRY(const LifecycleLock lock, LifecycleLock::Take(homes_.install, id, IfHeld::kWait));
    PISHIP_TRY(const std::optional<Receipt> current, CurrentReceipt());
    const std::string& command = repair_ && current ? current->command : candidate_.lock.command;
    PISHIP_CHECK(CheckCommandFree(homes_, command, id));
    const bool needs_it = repair_ || !WritesPayload(action_);
    if (needs_it && (!current || current->Find(candidate_.lock.version) == nullptr)) {
      return Fail(ErrorCode::kLockHeld, "another process has just removed " + Named(candidate_.lock), "try again");
    }
    PISHIP_TRY(receipt_, NewReceipt(current, provenance));
    if (action_ == InstallAction::kReplaceDamaged) PISHIP_CHECK(Mend());
    if (receipt_.active.version == candidate_.lock.version) {
      PISHIP_CHECK(PlaceLauncher(homes_.install, id, candidate_.lock.version));
    }
    if (!current && !damaged_receipt_) receipt_.unsynced_boot = BootId();
    // A repair makes the same receipt anew: it is the commit, and what was renamed is on the device then.
    if (!current || claimed_ || current->Text() != receipt_.Text()) {
      if (claimed_) {
        // From exclusive to shared: a launch that sees the new receipt need not wait.
        PISHIP_TRY(const LockOutcome shared, TryLock(claimed_->directory.get(), LockMode::kShared, app_directory));
        static_cast<void>(shared);
      }
      PISHIP_CHECK(CommitReceipt(homes_.install, receipt_, receipt_.unsynced_boot ? Durable::kLater : Durable::kNow));
    }
    claimed_.reset();
    mended_.reset();
    PISHIP_CHECK(MakeCommandLink(homes_, receipt_.command, id));
    PISHIP_CHECK(RemoveCommandLinks(homes_, id, receipt_.command));
    CollectUnreferenced(lock, app_directory, &receipt_, removed_);
  }
  removed_.Delete(app_directory, StopAfter(kReclaimBudget));
  BoundCompileCaches(homes_.state, id, &receipt_, StopAfter(kReclaimBudget));
  began_ = false;
  return {};
}

void Installer::GiveUp() {
  if (!began_) return;
  const std::string app_directory = AppDirectory(homes_.install, candidate_.lock.id);
  // What a repair has put in the place of a missing version is right, and a program may run from it already.
  const bool in_place =
      action_ == InstallAction::kReplaceDamaged && claimed_ && claimed_->name == candidate_.lock.version;
  if (claimed_ && !in_place) static_cast<void>(MoveAside(app_directory, *std::move(claimed_), removed_));
  claimed_.reset();
  mended_.reset();
  removed_.Delete(app_directory);
  auto lock = LifecycleLock::Take(homes_.install, candidate_.lock.id, IfHeld::kFail);
  const auto receipt = FindReceipt(homes_.install, candidate_.lock.id);
  if (!lock || !receipt || *receipt) return;
  // Placed by a commit that then failed; without a receipt it starts nothing.
  unlink(LauncherPath(homes_.install, candidate_.lock.id).c_str());
  RemoveEmptyAppDirectory(*std::move(lock), app_directory);
}

}  // namespace piship
