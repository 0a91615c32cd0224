// SPDX-License-Identifier: MIT
#include "home/doctor.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "base/files.h"
#include "home/command_link.h"
#include "home/compile_cache.h"
#include "home/launcher.h"
#include "home/lifecycle_lock.h"
#include "home/managed.h"
#include "home/payload_check.h"
#include "home/platform_check.h"
#include "home/receipts.h"
#include "home/reclaim.h"
#include "home/unsynced.h"
#include "model/semver.h"
#include "os/lock.h"

namespace piship {
namespace {

constexpr std::size_t kNamedDifferences = 3;

std::string Fixing(const std::string& id) { return "piship doctor " + id + " --fix"; }

std::string DescribeDifferences(const std::vector<Difference>& differences) {
  std::string text =
      std::to_string(differences.size()) + (differences.size() == 1 ? " file differs: " : " files differ: ");
  for (std::size_t index = 0; index < std::min(kNamedDifferences, differences.size()); ++index) {
    const Difference& difference = differences[index];
    text += (index > 0 ? ", " : "") + Printable(difference.path) + " (" + std::string(DifferenceName(difference.kind)) +
            ")";
  }
  return differences.size() > kNamedDifferences ? text + ", ..." : text;
}

// Examines one installation whose receipt can be read.
class Examiner {
 public:
  Examiner(const Homes& homes, const Receipt& receipt, Examination& out)
      : homes_(homes), receipt_(receipt), out_(out) {}

  void Run() {
    Platform();
    Lock();
    Payload(receipt_.active, true);
    for (const InstalledRelease& release : receipt_.kept) Payload(release, false);
    Disk();
    Launcher();
    Command();
    Leases();
  }

 private:
  void Add(std::string name, Health health, std::string text, std::string advice = {}) {
    out_.checks.push_back({std::move(name), health, std::move(text), std::move(advice)});
  }
  std::string Named(const InstalledRelease& release) const { return receipt_.id + " " + release.version; }
  std::string Repairing() const {
    return receipt_.managed_by ? ManagerAdvice(*receipt_.managed_by, Change::kRepair) : "piship repair " + receipt_.id;
  }
  // What --fix mends is the package manager's to mend, too.
  std::string Fixing() const { return receipt_.managed_by ? Repairing() : piship::Fixing(receipt_.id); }

  void Platform() {
    const Status fits = CheckPlatform(receipt_.active.platform, Named(receipt_.active));
    if (!fits) {
      out_.checks.push_back(FailedCheck("receipt", fits.error(), "install a release for this machine"));
      return;
    }
    Add("receipt", Health::kOk,
        Named(receipt_.active) + " for " + receipt_.active.platform.str() + ", origin " +
            std::string(OriginName(receipt_.active.origin)) + ", " +
            std::string(QualificationName(receipt_.active.qualification)) +
            (receipt_.managed_by
                 ? ", of the package " + receipt_.managed_by->package + " of " + receipt_.managed_by->manager
                 : ""));
  }

  void Lock() {
    auto lock = ReadInstalledLock(homes_.install, receipt_.id, receipt_.active);
    if (!lock) {
      out_.checks.push_back(FailedCheck("lock", lock.error(), Repairing()));
      return;
    }
    Add("lock", Health::kOk, "piship.lock is the one that was installed");
    out_.lock = *std::move(lock);
  }

  void Payload(const InstalledRelease& release, bool active) {
    const std::string name = active ? "payload" : "kept";
    const std::string path = VersionDirectory(homes_.install, receipt_.id, release.version);
    const std::string advice = active ? Repairing() : Repairing() + " --release-version " + release.version;
    const Health damaged = active ? Health::kFail : Health::kWarn;
    auto directory = OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!directory) return Add(name, damaged, directory.error().message, advice);
    const auto outcome = TryLock(directory->get(), LockMode::kShared, path);
    if (!outcome) return Add(name, damaged, outcome.error().message);
    locks_ = locks_ && *outcome != LockOutcome::kUnsupported;
    if (*outcome == LockOutcome::kHeld) {
      return Add(name, Health::kWarn, "'" + path + "' is being changed by " + DescribeLockHolder(directory->get()),
                 "wait until that has finished");
    }
    const auto check = CheckPayload(directory->get(), path, release.inventory);
    if (!check) return Add(name, damaged, check.error().message, advice);
    if (const InventoryEntry* runtime = check->inventory.Find(kPayloadRuntime)) {
      launchers_.emplace(runtime->digest, release.version);
    }
    if (!check->differences.empty()) {
      return Add(name, damaged, release.version + ": " + DescribeDifferences(check->differences), advice);
    }
    if (active) out_.intact = true;
    Add(name, Health::kOk,
        release.version + " is intact: " + std::to_string(check->inventory.entries().size()) + " files, " +
            std::to_string(check->inventory.total_bytes()) + " bytes",
        active ? "" : "'piship keep " + receipt_.id + " 0' frees that");
  }

  void Disk() {
    if (!receipt_.unsynced_boot) return Add("disk", Health::kOk, "what was installed is on the disk");
    if (!NeedsCheckAfterBoot(receipt_)) {
      return Add("disk", Health::kOk, "the install did not wait for the disk; the next command does");
    }
    if (!out_.intact) {
      return Add("disk", Health::kFail, "the machine has started since an install that did not wait for the disk",
                 Repairing());
    }
    Add("disk", Health::kWarn,
        "the machine has started since an install that did not wait for the disk; the next start checks every file",
        Fixing());
  }

  void Launcher() {
    const auto digest = LauncherDigest(homes_.install, receipt_.id);
    if (!digest) {
      out_.checks.push_back(FailedCheck("launcher", digest.error(), Fixing()));
      return;
    }
    if (const auto found = launchers_.find(*digest); found != launchers_.end()) {
      return Add("launcher", Health::kOk, "the runtime of " + found->second);
    }
    Add("launcher", Health::kWarn,
        "'" + LauncherPath(homes_.install, receipt_.id) + "' is the runtime of no version that is installed", Fixing());
  }

  // The link of a package lies where the package put it.
  void ManagedCommand() {
    if (const auto path = CommandOnPath(receipt_.command, LauncherPath(homes_.install, receipt_.id))) {
      return Add("command", Health::kOk, "'" + *path + "' leads to the launcher");
    }
    Add("command", Health::kWarn,
        "no directory of PATH has a command '" + receipt_.command + "' that leads to the launcher",
        "add the package's directory of commands to PATH, or " + Repairing());
  }

  void Command() {
    if (receipt_.managed_by) return ManagedCommand();
    const std::string path = JoinPath(homes_.bin, receipt_.command);
    struct stat status {};
    if (const Status free = CheckCommandFree(homes_, receipt_.command, receipt_.id); !free) {
      out_.checks.push_back(FailedCheck("command", free.error(), free.error().hint));
    } else if (lstat(path.c_str(), &status) != 0) {
      Add("command", Health::kFail, "'" + path + "' is missing", Fixing());
    } else if (stat(path.c_str(), &status) != 0) {
      Add("command", Health::kFail, "'" + path + "' leads to another place than the launcher", Fixing());
    } else {
      Add("command", Health::kOk, "'" + path + "' leads to the launcher");
    }
    if (BinHomeIsOnPath(homes_)) return Add("path", Health::kOk, "'" + homes_.bin + "' is on PATH");
    Add("path", Health::kWarn, "'" + homes_.bin + "' is not on PATH",
        "add it to PATH, or start the command by its whole path");
  }

  void Leases() {
    if (!locks_) {
      return Add("leases", Health::kWarn,
                 "the file system has no locks, so nothing tells which versions are in use, and none is ever deleted",
                 "set PISHIP_INSTALL_HOME to a directory of another file system");
    }
    std::string text;
    std::vector<const InstalledRelease*> releases = {&receipt_.active};
    for (const InstalledRelease& release : receipt_.kept) releases.push_back(&release);
    for (const InstalledRelease* release : releases) {
      const auto directory = OpenFile(VersionDirectory(homes_.install, receipt_.id, release->version),
                                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      const auto process = directory ? LockHolder(directory->get()) : std::nullopt;
      if (!process) continue;
      text += (text.empty() ? "" : ", ") + release->version + " is used by process " + std::to_string(*process);
    }
    Add("leases", Health::kOk, text.empty() ? "no program runs from it" : text);
  }

  const Homes& homes_;
  const Receipt& receipt_;
  Examination& out_;
  bool locks_ = true;
  std::map<Digest, std::string> launchers_;  // what the launcher may be, and whose it is
};

Check LeftoversCheck(const Homes& homes, const std::string& id, const Receipt* receipt) {
  std::uint64_t bytes = 0;
  std::string names;
  std::string used;
  for (const Leftover& leftover : FindLeftovers(homes.install, id, receipt)) {
    bytes += leftover.bytes;
    names += (names.empty() ? "" : ", ") + Printable(leftover.name);
    if (leftover.holder) used += (used.empty() ? "" : ", ") + *leftover.holder + " uses " + leftover.name;
  }
  if (names.empty()) return {"leftovers", Health::kOk, "there are none"};
  return {"leftovers", Health::kWarn,
          names + ": " + std::to_string(bytes) + " bytes that nothing needs" + (used.empty() ? "" : "; " + used),
          Fixing(id)};
}

// Calls `each` with the path, the open file and its size. A file is locked while a process writes or reads it.
template <class Each>
void ForEachDownload(const Homes& homes, const Each& each) {
  const std::string directory = DownloadsDirectory(homes.install);
  const auto opened = OpenFile(directory, O_RDONLY | O_DIRECTORY);
  std::vector<DirectoryEntry> entries;
  if (!opened || ReadDirectory(opened->get(), entries) != 0) return;
  for (const DirectoryEntry& entry : entries) {
    if (entry.type != DT_REG) continue;
    const std::string path = JoinPath(directory, entry.name);
    const auto file = OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    struct stat status {};
    if (file && fstat(file->get(), &status) == 0) each(path, file->get(), static_cast<std::uint64_t>(status.st_size));
  }
}

// The newest version whose own runtime is what its inventory says: it starts every older receipt.
std::optional<std::string> VersionForLauncher(const std::string& install_home, const Receipt& receipt) {
  std::optional<std::string> best;
  std::optional<Version> best_version;
  std::vector<InstalledRelease> releases = receipt.kept;
  releases.push_back(receipt.active);
  for (const InstalledRelease& release : releases) {
    const auto version = Version::Parse(release.version);
    const std::string path = VersionDirectory(install_home, receipt.id, release.version);
    const auto directory = OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!version || !directory || (best_version && *version < *best_version)) continue;
    const auto inventory = ReadInstalledInventory(directory->get(), path, release.inventory);
    const InventoryEntry* entry = inventory ? inventory->Find(kPayloadRuntime) : nullptr;
    const auto bytes = ReadFile(JoinPath(path, kPayloadRuntime));
    if (entry == nullptr || !bytes || Digest::Of(*bytes) != entry->digest) continue;
    best = release.version;
    best_version = *version;
  }
  return best;
}

Status MendLocked(const Homes& homes, const Receipt& receipt) {
  if (const auto version = VersionForLauncher(homes.install, receipt)) {
    PISHIP_CHECK(PlaceLauncher(homes.install, receipt.id, *version));
  }
  PISHIP_CHECK(MakeCommandLink(homes, receipt.command, receipt.id));
  return RemoveCommandLinks(homes, receipt.id, receipt.command);
}

// Removes the note that an install did not wait for the disk, where the machine has started since and nothing is lost.
void SettleAfterBoot(const Homes& homes, const OpenReceipt& open) {
  const Receipt& receipt = open.receipt();
  if (!NeedsCheckAfterBoot(receipt)) return;
  const std::string path = VersionDirectory(homes.install, receipt.id, receipt.active.version);
  const auto directory = OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return;
  const auto outcome = TryLock(directory->get(), LockMode::kShared, path);
  if (!outcome || *outcome == LockOutcome::kHeld) return;
  const auto check = CheckPayload(directory->get(), path, receipt.active.inventory);
  if (check && check->differences.empty()) ClearUnsyncedBoot(homes.install, receipt, open.text());
}

bool IsDirectory(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

Result<Examination> ExamineInstallation(const Homes& homes, const std::string& id) {
  Examination examination;
  auto receipt = FindReceipt(homes.install, id);
  const std::string app_directory = AppDirectory(homes.install, id);
  if (!receipt) {
    // What is there may be what it names, so none of it is called a leftover.
    const std::string again = "install the release again; its own data is not touched";
    examination.checks.push_back(FailedCheck("receipt", receipt.error(), again));
    return examination;
  }
  if (!*receipt && !IsDirectory(app_directory)) {
    return Fail(ErrorCode::kNotInstalled, "'" + id + "' is not installed in '" + homes.install + "'",
                "'piship list' shows what is");
  }
  examination.receipt = *std::move(receipt);
  if (examination.receipt) {
    Examiner(homes, *examination.receipt, examination).Run();
  } else {
    examination.checks.push_back({"receipt", Health::kWarn,
                                  "'" + id + "' is not installed, and an install or uninstall has not been finished",
                                  Fixing(id) + " removes what is left of it"});
  }
  examination.checks.push_back(LeftoversCheck(homes, id, examination.receipt ? &*examination.receipt : nullptr));
  return examination;
}

Check ExamineDownloads(const Homes& homes) {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  ForEachDownload(homes, [&](const std::string&, int file, std::uint64_t size) {
    if (LockHolder(file)) return;
    ++count;
    bytes += size;
  });
  if (count == 0) return {"downloads", Health::kOk, "none is unfinished"};
  return {"downloads", Health::kWarn,
          std::to_string(count) + " unfinished in '" + DownloadsDirectory(homes.install) + "', " +
              std::to_string(bytes) + " bytes",
          "the next update goes on with its own; piship doctor --fix removes them"};
}

void RemoveDownloads(const Homes& homes) {
  ForEachDownload(homes, [](const std::string& path, int file, std::uint64_t) {
    const auto outcome = TryLock(file, LockMode::kExclusive, path);
    if (outcome && *outcome == LockOutcome::kAcquired) unlink(path.c_str());
  });
}

Status MendInstallation(const Homes& homes, const std::string& id) {
  SettleUnsynced(homes.install);
  auto open = OpenReceipt::Read(homes.install, id);
  if (!open && open.error().code != ErrorCode::kNotInstalled) return Fail(std::move(open).error());
  if (open) {
    PISHIP_CHECK(CheckChangeable(open->receipt(), Change::kRepair));
    SettleAfterBoot(homes, *open);
    PISHIP_TRY(const LifecycleLock lock, LifecycleLock::Take(homes.install, id, IfHeld::kWait));
    PISHIP_TRY(const std::optional<Receipt> current, FindReceipt(homes.install, id));
    if (current) PISHIP_CHECK(MendLocked(homes, *current));
    if (current) BoundCompileCaches(homes.state, id, &*current, StopAfter(kDoctorReclaimBudget));
  } else if (!IsDirectory(AppDirectory(homes.install, id))) {
    return Fail(std::move(open).error());
  }
  return Reclaim(homes.install, id, StopAfter(kDoctorReclaimBudget));
}

}  // namespace piship
