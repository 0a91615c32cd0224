// SPDX-License-Identifier: MIT
// Finds the release that a damaged version came from; the installer then writes what differs.
#include <fcntl.h>
#include <unistd.h>

#include <functional>

#include "base/files.h"
#include "commands/commands.h"
#include "commands/from_channel.h"
#include "commands/report.h"
#include "home/doctor.h"
#include "home/install_sink.h"
#include "home/installer.h"
#include "home/lifecycle_lock.h"
#include "home/managed.h"
#include "home/payload_check.h"
#include "home/receipts.h"
#include "home/unsynced.h"
#include "model/names.h"
#include "os/lock.h"
#include "source/channel.h"
#include "source/download.h"

namespace piship {
namespace {

constexpr int kEnvironment = 4;  // the exit status of what may pass

class Repair {
 public:
  Repair(const RepairOptions& options, Homes homes, OpenReceipt open)
      : options_(options), homes_(std::move(homes)), open_(std::move(open)) {}

  Status Run(json::Value& out) {
    const Receipt& receipt = open_.receipt();
    PISHIP_CHECK(CheckChangeable(receipt, Change::kRepair));
    const InstalledRelease* found = options_.version ? receipt.Find(*options_.version) : &receipt.active;
    if (found == nullptr) {
      return Fail(ErrorCode::kNotInstalled,
                  "the version '" + Printable(*options_.version) + "' of " + receipt.id + " is not installed",
                  "'piship list' shows what is");
    }
    release_ = *found;
    PISHIP_TRY(const bool intact, IsIntact());
    if (intact) {
      // A repair that was killed may have left that.
      if (release_.archive) Download::Discard(DownloadsDirectory(homes_.install), *release_.archive);
      PISHIP_CHECK(MendInstallation(homes_, options_.id));
      return Describe(out, {});
    }
    if (options_.from) return WriteFrom(*options_.from, out);
    return FromDownload(out);
  }

 private:
  std::string Named() const { return options_.id + " " + release_.version; }
  void Say(const std::string& words) const {
    if (!options_.quiet) PrintWords(words);
  }

  Result<bool> IsIntact() const {
    const std::string path = VersionDirectory(homes_.install, options_.id, release_.version);
    const auto directory = OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!directory) {
      if (SaysDamaged(directory.error())) return false;
      return Fail(directory.error());
    }
    PISHIP_TRY(const LockOutcome outcome, TryLock(directory->get(), LockMode::kShared, path));
    if (outcome == LockOutcome::kHeld) {
      return Fail(ErrorCode::kLockHeld, "'" + path + "' is being changed by " + DescribeLockHolder(directory->get()),
                  "wait until it has finished and try again");
    }
    const auto check = CheckPayload(directory->get(), path, release_.inventory);
    if (check) return check->differences.empty();
    if (check.error().code == ErrorCode::kIntegrityFailed || SaysDamaged(check.error())) return false;
    return Fail(check.error());
  }

  // The archive that an interrupted run has left, or from the channel what is missing, or all of it.
  Status FromDownload(json::Value& out) {
    const Receipt& receipt = open_.receipt();
    if (!release_.archive) return NoSource("it was not installed from an archive");
    PISHIP_TRY(Download download, Claim(Extent::kWhole));
    PISHIP_TRY(const bool whole, download.IsWhole());
    if (!whole) {
      if (!receipt.channel) return NoChannel(download);
      PISHIP_TRY(Channel channel,
                 Channel::Open(*receipt.channel, TrustDirectory(homes_.install, options_.id), std::nullopt));
      PISHIP_TRY(const Offer offer, OfferIn(channel, receipt.channel->name, download));
      PISHIP_TRY(const bool mended, FromFrames(channel, offer, out));
      if (mended) {
        download.Remove();
        return {};
      }
      PISHIP_CHECK(Fill(channel, offer, download));
    }
    Status written = WriteFrom(download.path(), out);
    if (written || ExitStatus(written.error().code) != kEnvironment) download.Remove();
    return written;
  }

  Result<Download> Claim(Extent extent) const {
    return Download::Claim(
        DownloadsDirectory(homes_.install), *release_.archive, extent,
        [this](const std::string& holder) { Say("waiting for " + holder + ", which downloads " + Named()); });
  }

  Status NoChannel(Download& download) const {
    download.Remove();
    return NoSource("its receipt names no channel");
  }
  tl::unexpected<Error> NoSource(const std::string& why) const {
    return Fail(ErrorCode::kIntegrityFailed, Named() + " is damaged, and " + why,
                "piship repair " + options_.id + " --from <the archive of " + release_.version + ">");
  }

  Result<Offer> OfferIn(Channel& channel, const std::string& name, Download& download) const {
    PISHIP_TRY(const std::vector<Offer> offers, channel.Offers(options_.id));
    for (const Offer& each : offers) {
      if (each.inventory == release_.inventory && each.archive == *release_.archive) return each;
    }
    download.Remove();
    return NoSource("the channel '" + name + "' does not offer that release any more");
  }

  // Only the frames with files that are missing or changed. False where that is not worth while or does not work, and
  // then the whole archive may.
  Result<bool> FromFrames(Channel& channel, const Offer& offer, json::Value& out) {
    const std::optional<ArchiveInFrames> archive = InFrames(offer);
    if (!archive) return false;
    PISHIP_TRY(Download download, Claim(Extent::kFrames));
    const InstalledBase base{VersionDirectory(homes_.install, options_.id, release_.version), release_.inventory};
    const FetchPart part = [&](const tuf::ByteRange& range, tuf::ArtifactSink& sink) {
      return channel.Fetch(offer.target, range, sink);
    };
    const auto announce = [&](std::uint64_t bytes) {
      Say("downloading " + Grouped(bytes) + " bytes, frames of " + Named() + " with what is damaged");
    };
    auto fetched = FetchFrames(download, *archive, base, BaseIs::kChecked, part, announce);
    Status written = fetched ? Status() : Fail(fetched.error());
    if (fetched && *fetched) {
      written = Write(
          [&](InstallSink& sink) -> Status {
            PISHIP_CHECK(ReadFrames(download.path(), base, sink));
            return {};
          },
          out);
      if (written) out.Set("downloaded_bytes", static_cast<std::int64_t>(**fetched)).Set("way", "frames");
    }
    if (written || MayFallBack(written.error())) download.Remove();
    if (!written && !MayFallBack(written.error())) return Fail(std::move(written).error());
    if (!written) Say("note: single frames do not serve: " + written.error().message + "; taking the whole archive");
    return written && *fetched;
  }

  Status Fill(Channel& channel, const Offer& offer, Download& download) const {
    Say("downloading " + Named() + " (" + Grouped(offer.bytes) + " bytes)");
    return download.Fill(offer.bytes, [&](std::uint64_t offset, tuf::ArtifactSink& sink) {
      const tuf::ByteRange range{offset};
      ShownSink shown(sink, range, offset, offer.bytes, options_.quiet ? -1 : STDERR_FILENO);
      return channel.Fetch(offer.target, range, shown);
    });
  }

  Status WriteFrom(const std::string& source, json::Value& out) {
    PISHIP_TRY(const SourceKind kind, KindOfSource(source));
    static_cast<void>(kind);
    return Write(
        [&](InstallSink& sink) -> Status {
          PISHIP_CHECK(ReadReleaseWithin(options_.limits, source, sink));
          return {};
        },
        out);
  }

  Status Write(const std::function<Status(InstallSink&)>& read, json::Value& out) {
    Installer installer(homes_, RepairTarget{options_.id, release_.version});
    InstallSink sink(installer, DryRun::kNo, ReadOn::kWhileNeeded, timing_);
    Status done = read(sink);
    if (!done && !sink.stopped()) return done;
    PISHIP_CHECK(installer.Commit({}));
    return Describe(out, installer.differences(), installer.action() == InstallAction::kReplaceDamaged);
  }

  Status Describe(json::Value& out, const std::vector<Difference>& differences, bool repaired = false) const {
    SetRelease(out, release_);
    out.Set("action", repaired ? "repaired" : "intact");
    out.Set("differences", static_cast<std::int64_t>(differences.size()));
    out.Set("id", options_.id);
    if (!repaired) {
      Say(Named() + " is intact");
    } else if (differences.empty()) {
      Say("repaired " + Named() + ": all of it was missing");
    } else {
      Say("repaired " + Named() + ": " + std::to_string(differences.size()) +
          (differences.size() == 1 ? " difference" : " differences"));
    }
    return {};
  }

  const RepairOptions& options_;
  Homes homes_;
  OpenReceipt open_;
  InstalledRelease release_;
  DebugTiming timing_{"repair"};
};

}  // namespace

Status RunRepair(const RepairOptions& options) {
  return Report(options.json, [&](json::Value& out) -> Status {
    PISHIP_CHECK(CheckId(options.id, "the id"));
    PISHIP_TRY(Homes homes, HomesFromEnvironment());
    SettleUnsynced(homes.install);
    PISHIP_TRY(OpenReceipt open, OpenReceipt::Read(homes.install, options.id));
    if (Status repaired = Repair(options, std::move(homes), std::move(open)).Run(out); !repaired) {
      return Fail(std::move(repaired).error().While("repairing " + options.id));
    }
    return {};
  });
}

}  // namespace piship
