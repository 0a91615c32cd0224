// SPDX-License-Identifier: MIT
// A launch reads little and believes nothing that the receipt does not vouch for: the receipt names the digest of
// piship.lock, and the lock decides what is executed.
//
// The race with an uninstall or an update is settled by the order: open the version's directory, lock it (shared), and
// only then see that the receipt is still the one that named it. Whoever removes a version first takes it out of the
// receipt and then needs the exclusive lock, so either this launch sees the new receipt and starts over, or the remover
// sees the lease and leaves the directory. The descriptor stays open in the engine: the lease ends when the engine
// does.
#include "launch/launch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/files.h"
#include "home/debug_timing.h"
#include "home/homes.h"
#include "home/lifecycle_lock.h"
#include "home/payload_check.h"
#include "home/platform_check.h"
#include "home/receipts.h"
#include "home/unsynced.h"
#include "launch/engine.h"
#include "launch/environment.h"
#include "model/distribution_lock.h"
#include "model/names.h"
#include "os/descriptors.h"
#include "os/lock.h"

namespace piship {
namespace {

constexpr std::size_t kLockLimit = std::size_t{16} << 20;
constexpr std::chrono::milliseconds kPause{10};
constexpr int kAttempts = 500;  // an install holds a version exclusively for as long as it repairs it

struct Leased {
  OpenReceipt receipt;
  std::string payload;
  UniqueFd directory;
  UniqueFd lock;  // piship.lock; execve closes it, as it does the receipt
};

std::string RepairHint(const std::string& id) {
  return "'piship verify " + id + "' shows what differs; 'piship repair " + id + "' writes that anew";
}

// One try; absent where another process has changed something meanwhile.
Result<std::optional<Leased>> TryLease(const LauncherPlace& place, std::string& holder) {
  Leased leased;
  PISHIP_TRY(leased.receipt, OpenReceipt::Read(place.install_home, place.id));
  leased.payload = VersionDirectory(place.install_home, place.id, leased.receipt.receipt().active.version);
  auto directory = OpenInherited(leased.payload, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) {
    if (!leased.receipt.IsCurrent()) return std::optional<Leased>();
    if (directory.error().code != ErrorCode::kFileNotFound) return Fail(std::move(directory).error());
    return Fail(ErrorCode::kIntegrityFailed, "the payload '" + leased.payload + "' is missing",
                "'piship repair " + place.id + "' writes it anew");
  }
  leased.directory = *std::move(directory);
  // Where the file system has no locks the launch goes on; nothing is ever reclaimed there.
  PISHIP_TRY(const LockOutcome outcome, TryLock(leased.directory.get(), LockMode::kShared, leased.payload));
  if (outcome == LockOutcome::kHeld) {
    holder = DescribeLockHolder(leased.directory.get());
    return std::optional<Leased>();
  }
  if (!leased.receipt.IsCurrent()) return std::optional<Leased>();
  return leased;
}

Result<Leased> TakeLease(const LauncherPlace& place) {
  std::string holder;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    PISHIP_TRY(auto leased, TryLease(place, holder));
    if (leased) return *std::move(leased);
    if (!holder.empty()) std::this_thread::sleep_for(kPause);
  }
  return Fail(ErrorCode::kLockHeld, "'" + place.id + "' is being installed or removed by " + holder,
              "wait until that has finished and try again");
}

Result<DistributionLock> ReadLock(Leased& leased) {
  const Receipt& receipt = leased.receipt.receipt();
  const std::string path = JoinPath(leased.payload, kPayloadLock);
  auto fd = OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) {
    if (!SaysDamaged(fd.error())) return Fail(std::move(fd).error());
    return Fail(ErrorCode::kIntegrityFailed, fd.error().message, RepairHint(receipt.id));
  }
  leased.lock = *std::move(fd);
  PISHIP_TRY(const std::string text, ReadAll(leased.lock.get(), path, kLockLimit));
  if (Digest::Of(text) != receipt.active.lock) {
    return Fail(ErrorCode::kIntegrityFailed, "'" + path + "' is not the one that was installed",
                RepairHint(receipt.id));
  }
  PISHIP_TRY(DistributionLock lock, DistributionLock::Parse(text, path));
  if (lock.id != receipt.id || lock.version != receipt.active.version) {
    return Fail(ErrorCode::kLockInvalid,
                "'" + path + "' is for " + lock.id + " " + lock.version + ", the receipt for " + receipt.id + " " +
                    receipt.active.version,
                "install the release again");
  }
  return lock;
}

Status CheckWholePayload(const LauncherPlace& place, const Leased& leased) {
  const Receipt& receipt = leased.receipt.receipt();
  auto check = CheckPayload(leased.directory.get(), leased.payload, receipt.active.inventory);
  if (!check) {
    Error error = std::move(check).error();
    if (error.hint.empty()) error.hint = RepairHint(receipt.id);
    return Fail(std::move(error));
  }
  PISHIP_CHECK(RequireIntact(*check, leased.payload, RepairHint(receipt.id)));
  // Read whole after a restart, so it is on the disk.
  if (NeedsCheckAfterBoot(receipt)) ClearUnsyncedBoot(place.install_home, receipt, leased.receipt.text());
  return {};
}

// That `path` in the payload is of the kind `type` (S_IFREG, S_IFDIR) itself, not a link to something that is.
Status CheckKind(const Leased& leased, const std::string& path, mode_t type) {
  struct stat status {};
  const bool there = fstatat(leased.directory.get(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && (status.st_mode & S_IFMT) == type) return {};
  if (!there && errno != ENOENT && errno != ENOTDIR) {
    return Fail(SystemError("look up '" + JoinPath(leased.payload, path) + "'", errno));
  }
  const bool file = type == S_IFREG;
  const std::string wrong = !there ? "is missing" : file ? "is not a regular file" : "is not a directory";
  return Fail(
      ErrorCode::kIntegrityFailed,
      (file ? "the resource '" : "the directory of resources '") + JoinPath(leased.payload, path) + "' " + wrong,
      RepairHint(leased.receipt.receipt().id));
}

// Each directory on the way counts as well, once: a link there would lead to files of somewhere else.
Status CheckResources(const DistributionLock& lock, const Leased& leased) {
  std::string_view previous;
  for (const LockedResource& resource : lock.resources) {
    const std::string& path = resource.path.str();
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      if (previous.starts_with(std::string_view(path).substr(0, slash + 1))) continue;
      PISHIP_CHECK(CheckKind(leased, path.substr(0, slash), S_IFDIR));
    }
    PISHIP_CHECK(CheckKind(leased, path, S_IFREG));
    previous = path;
  }
  return {};
}

Status TryLaunch(const LauncherPlace& place, const std::vector<const char*>& user_arguments) {
  DebugTiming timing("launch");
  PISHIP_TRY(Leased leased, TakeLease(place));
  timing.Ended("lease");
  PISHIP_TRY(const DistributionLock lock, ReadLock(leased));
  timing.Ended("lock");
  PISHIP_CHECK(CheckPlatform(lock.platform, lock.id + " " + lock.version));
  if (lock.verify_at_launch == VerifyAtLaunch::kOn || NeedsCheckAfterBoot(leased.receipt.receipt())) {
    PISHIP_CHECK(CheckWholePayload(place, leased));
    timing.Ended("payload");
  }
  PISHIP_CHECK(CheckResources(lock, leased));
  timing.Ended("resources");
  PISHIP_TRY(const EngineStart start, PrepareStart(lock, leased.payload));
  timing.Ended("arguments");
  timing.Print();
  return Fail(ExecuteEngine(lock, leased.payload, start, user_arguments));
}

}  // namespace

std::optional<LauncherPlace> LauncherPlaceOf(std::string_view own_place) {
  constexpr std::string_view kTail = "/launch";
  constexpr std::string_view kApps = "/apps/";
  if (!own_place.starts_with('/') || !own_place.ends_with(kTail)) return std::nullopt;
  own_place.remove_suffix(kTail.size());
  const std::size_t slash = own_place.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view id = own_place.substr(slash + 1);
  const std::string_view above = own_place.substr(0, slash + 1);
  if (!above.ends_with(kApps) || !CheckId(id, "the id")) return std::nullopt;
  const std::string_view home = above.substr(0, above.size() - kApps.size());
  return LauncherPlace{home.empty() ? "/" : std::string(home), std::string(id)};
}

Error Launch(const LauncherPlace& place, const std::vector<const char*>& arguments) {
  // TryLaunch never succeeds: its success is that this process is another program.
  return TryLaunch(place, arguments).error();
}

int LaunchExitStatus(const Error& error) {
  constexpr int kOwnFailure = 125;
  const bool engine = error.code == ErrorCode::kEngineMissing || error.code == ErrorCode::kEngineUnsuitable;
  return engine ? ExitStatus(error.code) : kOwnFailure;
}

}  // namespace piship
