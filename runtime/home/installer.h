// SPDX-License-Identifier: MIT
// Makes a release the active one of its distribution: decides what is to be done, claims the directory, and commits.
//
// Plan and Commit each hold the lifecycle lock for a moment; between them, while the payload is read, only the claimed
// directory is locked. Nothing that a launch looks at changes before Commit renames the receipt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "home/homes.h"
#include "home/state_schema.h"
#include "home/versions.h"
#include "model/distribution_lock.h"
#include "model/inventory.h"
#include "model/receipt.h"
#include "tree/compare.h"

namespace piship {

// A release as its own piship.lock and inventory describe it.
struct Candidate {
  const Inventory* files = nullptr;  // need not outlive Plan
  DistributionLock lock;
  Digest lock_digest;
  Digest inventory;
  std::uint64_t bytes = 0;  // of all files
};

// What outside the payload vouches for it.
struct Provenance {
  Origin origin = Origin::kUnproven;
  Qualification qualification = Qualification::kUnqualified;
  std::optional<Digest> archive;
  std::optional<ChannelPlace> channel = {};  // from which further releases are to come
  // The release's own word on its channel counts: something outside it has proven it, or the user has executed it.
  bool begins_updates = false;
};

enum class InstallAction : std::uint8_t {
  kInstall,           // nothing of this distribution is installed
  kUpdate,            // another version is active
  kReplaceDamaged,    // this version is installed and its payload is not intact: what differs is written
  kActivateKept,      // this version is kept and intact
  kAlreadyInstalled,  // this version is active and intact
};
// Whether the payload must be written.
bool WritesPayload(InstallAction action);

enum class DryRun : std::uint8_t { kNo, kYes };

// The installed version that is to be repaired, and nothing else: it stays active or kept, whichever it is.
struct RepairTarget {
  std::string id;
  std::string version;
};

class Installer {
 public:
  explicit Installer(Homes homes, std::optional<RepairTarget> repair = {}, AcceptState accept_state = AcceptState::kNo)
      : homes_(std::move(homes)), repair_(std::move(repair)), accept_state_(accept_state) {}
  Installer(const Installer&) = delete;
  Installer& operator=(const Installer&) = delete;
  ~Installer();  // gives up what was planned and not committed

  // kPlatformMismatch, kStateNewer, kCommandTaken, kVersionConflict, kLockHeld, kDiskFull, kFormatNewer; for a repair
  // kNotInstalled. With kYes nothing is written and nothing may be committed.
  Result<InstallAction> Plan(Candidate candidate, DryRun dry_run);
  // The claimed directory, empty, where the action writes the payload: for whoever writes it, and which files.
  int directory() const { return claimed_->directory.get(); }
  std::string directory_path() const;
  bool Wants(const std::string& path) const;
  // The payload is written and every digest has been checked.
  Status Commit(const Provenance& provenance);

  const Homes& homes() const { return homes_; }
  const Candidate& candidate() const { return candidate_; }
  InstallAction action() const { return action_; }
  // After Plan: the version that was active. After Commit: the receipt as it is now.
  const std::optional<std::string>& previous_version() const { return previous_version_; }
  // What a repair found.
  const std::vector<Difference>& differences() const { return differences_; }
  const Receipt& receipt() const { return receipt_; }
  // Whether a receipt was found that could not be read, so that it is replaced.
  bool replaces_damaged_receipt() const { return damaged_receipt_; }

 private:
  Result<std::optional<Receipt>> CurrentReceipt();
  Result<InstallAction> Decide(const std::optional<Receipt>& receipt);
  Status Compare(const InstalledRelease& installed);
  std::string VersionPath() const;
  Status CheckSpace() const;
  Status Claim();
  Status Mend();
  Result<Receipt> NewReceipt(const std::optional<Receipt>& current, const Provenance& provenance) const;
  void GiveUp();

  Homes homes_;
  std::optional<RepairTarget> repair_;
  AcceptState accept_state_;
  Candidate candidate_;
  InstallAction action_ = InstallAction::kInstall;
  std::optional<std::string> previous_version_;
  bool damaged_receipt_ = false;
  bool began_ = false;  // apps/<id> may have been made, and nothing is committed
  std::optional<LockedVersion> claimed_;
  // Where the version's directory is there and differs: it, with a shared lock, so that it stays.
  std::optional<LockedVersion> mended_;
  std::vector<Difference> differences_;
  std::vector<std::string> written_;  // paths of what differs and is listed, sorted
  std::uint64_t bytes_to_write_ = 0;
  Removed removed_;
  Receipt receipt_;
};

}  // namespace piship
