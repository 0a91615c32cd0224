// SPDX-License-Identifier: MIT
// The order of a commit: launcher, file system sync (an update), receipt, command link, removal of what nothing names.
// A launcher starts every older receipt, so it may be there before its receipt is. A link that is missing after a kill
// is made by the next install of the same version; a link never leads to what is not there.
//
// A repair has to take the active payload away before it can write it anew. It then notes in the receipt that a launch
// must compare the whole payload, so that one which a killed repair has left half written is never started.
#include "home/installer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "home/command_link.h"
#include "home/payload_check.h"
#include "home/platform_check.h"
#include "home/receipts.h"
#include "home/unsynced.h"
#include "os/beneath.h"
#include "os/boot.h"
#include "os/lock.h"
#include "os/sync.h"

namespace piship {
namespace {

constexpr std::size_t kKeptVersions = 1;
constexpr int kPlanAttempts = 100;
// In the place of a boot, and equal to none: a launch checks the payload.
constexpr const char* kRepairing = "repair";
constexpr std::size_t kLauncherLimit = std::size_t{256} << 20;

std::string Named(const DistributionLock& lock) { return lock.id + " " + lock.version; }

}  // namespace

bool WritesPayload(InstallAction action) {
  return action == InstallAction::kInstall || action == InstallAction::kUpdate ||
         action == InstallAction::kReplaceDamaged;
}

Installer::~Installer() { GiveUp(); }

std::string Installer::directory_path() const {
  return VersionDirectory(homes_.install, candidate_.lock.id, candidate_.lock.version);
}

// Absent where there is none, and where it can't be understood: an install replaces it, since a receipt that a power
// cut has emptied must not stand in the way of its own repair.
Result<std::optional<Receipt>> Installer::CurrentReceipt() {
  auto receipt = FindReceipt(homes_.install, candidate_.lock.id);
  if (receipt) return receipt;
  const ErrorCode code = receipt.error().code;
  if (code != ErrorCode::kReceiptInvalid && code != ErrorCode::kJsonInvalid) return receipt;
  damaged_receipt_ = true;
  return std::optional<Receipt>();
}

Result<InstallAction> Installer::Decide(const std::optional<Receipt>& receipt) {
  previous_version_.reset();
  if (!receipt) return InstallAction::kInstall;
  previous_version_ = receipt->active.version;
  const InstalledRelease* installed = receipt->Find(candidate_.lock.version);
  if (installed == nullptr) return InstallAction::kUpdate;
  if (installed->inventory != candidate_.inventory) {
    return Fail(ErrorCode::kVersionConflict,
                Named(candidate_.lock) + " is installed with the inventory " + installed->inventory.Hex() +
                    ", this release has " + candidate_.inventory.Hex(),
                "a version never changes: give the new content a new version, or uninstall the old one first");
  }
  const auto directory = OpenFile(directory_path(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) {
    if (!SaysDamaged(directory.error())) return Fail(directory.error());
    return InstallAction::kReplaceDamaged;
  }
  PISHIP_TRY(const LockOutcome outcome, TryLock(directory->get(), LockMode::kShared, directory_path()));
  if (outcome == LockOutcome::kHeld) {
    return Fail(ErrorCode::kLockHeld,
                "'" + directory_path() + "' is being changed by " + DescribeLockHolder(directory->get()),
                "wait until it has finished and try again");
  }
  const auto check = CheckPayload(directory->get(), directory_path(), installed->inventory);
  if (!check && check.error().code != ErrorCode::kIntegrityFailed) return Fail(check.error());
  if (!check || !check->differences.empty()) return InstallAction::kReplaceDamaged;
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
  if (space.f_blocks == 0 || available >= candidate_.bytes) return {};
  return Fail(ErrorCode::kDiskFull,
              Named(candidate_.lock) + " needs " + std::to_string(candidate_.bytes) + " bytes, '" + existing +
                  "' has " + std::to_string(available),
              "free some space, or set PISHIP_INSTALL_HOME to another disk");
}

Result<InstallAction> Installer::Plan(Candidate candidate, DryRun dry_run) {
  candidate_ = std::move(candidate);
  PISHIP_CHECK(CheckPlatform(candidate_.lock.platform, Named(candidate_.lock)));
  PISHIP_CHECK(CheckCommandFree(homes_, candidate_.lock.command, candidate_.lock.id));
  // Deciding may read a whole payload, so it is done without the lifecycle lock, and again where the receipt has
  // changed meanwhile.
  for (int attempt = 0; attempt < kPlanAttempts; ++attempt) {
    PISHIP_TRY(const std::optional<Receipt> seen, CurrentReceipt());
    PISHIP_TRY(action_, Decide(seen));
    if (WritesPayload(action_)) PISHIP_CHECK(CheckSpace());
    if (dry_run == DryRun::kYes || !WritesPayload(action_)) return action_;
    began_ = true;
    PISHIP_TRY(const LifecycleLock lock, LifecycleLock::Take(homes_.install, candidate_.lock.id, IfHeld::kWait));
    PISHIP_TRY(const std::optional<Receipt> current, CurrentReceipt());
    if (seen.has_value() != current.has_value() || (seen && seen->Text() != current->Text())) continue;
    PISHIP_CHECK(Claim(current));
    return action_;
  }
  return Fail(ErrorCode::kLockHeld, "other processes keep changing '" + candidate_.lock.id + "'", "try again");
}

Status Installer::Claim(const std::optional<Receipt>& current) {
  const std::string& version = candidate_.lock.version;
  const bool repairs = action_ == InstallAction::kReplaceDamaged;
  PISHIP_TRY(claimed_, ClaimVersion(AppDirectory(homes_.install, candidate_.lock.id), version,
                                    repairs ? Existing::kInstalled : Existing::kLeftover, removed_));
  if (!repairs || current->active.version != version || current->unsynced_boot == kRepairing) return {};
  // Nothing has been written yet: till here a launch finds no piship.lock.
  Receipt noted = *current;
  noted.unsynced_boot = kRepairing;
  return CommitReceipt(homes_.install, noted, Durable::kNow);
}

Result<Receipt> Installer::NewReceipt(const std::optional<Receipt>& current, const Provenance& provenance) const {
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
  if (!current) return receipt;
  receipt.unknown = current->unknown;
  if (!receipt.channel) receipt.channel = current->channel;
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
    if (receipt.kept.size() < kKeptVersions && release.version != receipt.active.version) {
      receipt.kept.push_back(release);
    }
  }
  return receipt;
}

// A copy, not a link: it stays when the version goes.
Status Installer::PlaceLauncher() const {
  const std::string launcher = LauncherPath(homes_.install, candidate_.lock.id);
  const std::string source = JoinPath(directory_path(), kPayloadRuntime);
  PISHIP_TRY(const std::string bytes, ReadFile(source, kLauncherLimit));
  struct stat status {};
  if (stat(launcher.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 07777) == 0755 &&
      static_cast<std::size_t>(status.st_size) == bytes.size()) {
    const auto present = ReadFile(launcher, kLauncherLimit);
    if (present && *present == bytes) return {};
  }
  return WriteFileAtomically(launcher, bytes, 0755, Umask::kIgnored);
}

Status Installer::Commit(const Provenance& provenance) {
  const std::string& id = candidate_.lock.id;
  const std::string app_directory = AppDirectory(homes_.install, id);
  {
    PISHIP_TRY(const LifecycleLock lock, LifecycleLock::Take(homes_.install, id, IfHeld::kWait));
    PISHIP_TRY(const std::optional<Receipt> current, CurrentReceipt());
    PISHIP_CHECK(CheckCommandFree(homes_, candidate_.lock.command, id));
    if (!WritesPayload(action_) && (!current || current->Find(candidate_.lock.version) == nullptr)) {
      return Fail(ErrorCode::kLockHeld, "another process has just removed " + Named(candidate_.lock), "try again");
    }
    PISHIP_TRY(receipt_, NewReceipt(current, provenance));
    PISHIP_CHECK(PlaceLauncher());
    if (!current && !damaged_receipt_) receipt_.unsynced_boot = BootId();
    // A repair makes the same receipt anew: a launch that has opened the payload which was moved aside sees that its
    // receipt is not the current one, and what was written is on the device before the note goes.
    if (!current || claimed_ || current->Text() != receipt_.Text()) {
      if (claimed_) {
        // From exclusive to shared: a launch that sees the new receipt need not wait.
        PISHIP_TRY(const LockOutcome shared, TryLock(claimed_->directory.get(), LockMode::kShared, app_directory));
        static_cast<void>(shared);
      }
      PISHIP_CHECK(CommitReceipt(homes_.install, receipt_, receipt_.unsynced_boot ? Durable::kLater : Durable::kNow));
    }
    claimed_.reset();
    PISHIP_CHECK(MakeCommandLink(homes_, candidate_.lock.command, id));
    PISHIP_CHECK(RemoveCommandLinks(homes_, id, candidate_.lock.command));
    CollectUnreferenced(lock, app_directory, &receipt_, removed_);
  }
  removed_.Delete(app_directory);
  began_ = false;
  return {};
}

void Installer::GiveUp() {
  if (!began_) return;
  const std::string app_directory = AppDirectory(homes_.install, candidate_.lock.id);
  if (claimed_) static_cast<void>(MoveAside(app_directory, *std::move(claimed_), removed_));
  claimed_.reset();
  removed_.Delete(app_directory);
  auto lock = LifecycleLock::Take(homes_.install, candidate_.lock.id, IfHeld::kFail);
  const auto receipt = FindReceipt(homes_.install, candidate_.lock.id);
  if (!lock || !receipt || *receipt) return;
  // Placed by a commit that then failed; without a receipt it starts nothing.
  unlink(LauncherPath(homes_.install, candidate_.lock.id).c_str());
  RemoveEmptyAppDirectory(*std::move(lock), app_directory);
}

}  // namespace piship
