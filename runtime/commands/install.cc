// SPDX-License-Identifier: MIT
#include <string>

#include "base/files.h"
#include "commands/commands.h"
#include "commands/freeable.h"
#include "commands/install_release.h"
#include "commands/report.h"
#include "home/command_link.h"
#include "home/debug_timing.h"
#include "home/install_sink.h"
#include "home/installer.h"
#include "home/receipts.h"
#include "home/unsynced.h"
#include "source/channel.h"
#include "source/delta_source.h"
#include "source/frames_source.h"

namespace piship {
namespace {

std::string_view ActionName(InstallAction action) {
  switch (action) {
    case InstallAction::kInstall:
      return "installed";
    case InstallAction::kUpdate:
      return "updated";
    case InstallAction::kReplaceDamaged:
      return "repaired";
    case InstallAction::kActivateKept:
      return "activated";
    case InstallAction::kAlreadyInstalled:
      return "already-installed";
  }
  return "installed";
}

// What was done, or would be, in one line.
std::string Sentence(const Installer& installer, bool dry_run) {
  const DistributionLock& lock = installer.candidate().lock;
  std::string release = lock.id + " " + lock.version;
  const std::string previous = installer.previous_version().value_or("");
  const std::string size = " (" + lock.platform.str() + ", " + Grouped(installer.candidate().bytes) + " bytes)";
  switch (installer.action()) {
    case InstallAction::kInstall:
      return (dry_run ? "would install " : "installed ") + release + size;
    case InstallAction::kUpdate:
      return (dry_run ? "would update " : "updated ") + lock.id + " from " + previous + " to " + lock.version + size;
    case InstallAction::kReplaceDamaged:
      return (dry_run ? "would repair " : "repaired ") + release + size;
    case InstallAction::kActivateKept:
      return (dry_run ? "would activate the kept version " : "activated the kept version ") + release;
    case InstallAction::kAlreadyInstalled:
      return release + " is already installed and intact";
  }
  return release;
}

class Install {
 public:
  Install(const InstallOptions& options, const std::optional<Vouched>& vouched)
      : options_(options), vouched_(vouched) {}

  Status Run(json::Value& out) {
    PISHIP_CHECK(ParseExpectedDigest());
    PISHIP_TRY(Homes homes, HomesFromEnvironment());
    PISHIP_TRY(const SourceKind kind, KindOfSource(options_.source));
    if (expected_ && kind == SourceKind::kDirectory) {
      return Fail(ErrorCode::kUsage,
                  "--sha256 is the digest of an archive, and '" + options_.source + "' is a directory",
                  "install the archive itself");
    }
    if (!options_.dry_run) SettleUnsynced(homes.install);
    timing_.Ended("settle");
    Installer installer(std::move(homes), {}, options_.accept_state ? AcceptState::kYes : AcceptState::kNo);
    if (Status done = Read(installer); !done) {
      const DistributionLock& lock = installer.candidate().lock;
      const std::string subject = lock.id.empty() ? "'" + options_.source + "'" : lock.id + " " + lock.version;
      return Fail(std::move(done).error().While("installing " + subject));
    }
    Describe(installer, out);
    timing_.Print();
    return {};
  }

 private:
  Status ParseExpectedDigest() {
    if (vouched_) expected_ = vouched_->archive;
    if (!options_.sha256) return {};
    auto digest = Digest::Parse(*options_.sha256);
    if (!digest) {
      digest.error().code = ErrorCode::kUsage;
      return Fail(std::move(digest).error().While("reading --sha256"));
    }
    expected_ = *digest;
    return {};
  }

  Status Read(Installer& installer) {
    const DryRun dry_run = options_.dry_run ? DryRun::kYes : DryRun::kNo;
    // A digest that was named is compared even where nothing needs to be written.
    const bool whole = expected_.has_value() || options_.dry_run || options_.is_this_program;
    InstallSink sink(installer, dry_run, whole ? ReadOn::kToTheEnd : ReadOn::kWhileNeeded, timing_);
    const auto summary = ReadSource(sink);
    timing_.Ended("payload");
    if (!summary && !sink.stopped()) return Fail(summary.error());
    Provenance provenance;
    if (summary) provenance.archive = summary->archive;
    PISHIP_CHECK(Prove(summary ? summary->archive : std::nullopt, installer.candidate(), provenance));
    if (options_.dry_run) {
      release_.origin = provenance.origin;
      return {};
    }
    provenance.begins_updates = provenance.origin == Origin::kSha256 || options_.is_this_program;
    if (provenance.begins_updates) PISHIP_CHECK(BeginUpdates(installer, sink));
    PISHIP_CHECK(installer.Commit(provenance));
    timing_.Ended("commit");
    release_ = installer.receipt().active;
    return {};
  }

  Result<SourceSummary> ReadSource(PayloadSink& sink) const {
    if (!vouched_ || vouched_->way == Way::kWhole) return ReadReleaseWithin(options_.limits, options_.source, sink);
    const auto read = vouched_->way == Way::kDelta ? ReadDelta : ReadFrames;
    PISHIP_TRY(const Digest inventory, read(options_.source, vouched_->base, sink, {}));
    // The same metadata signs the archive and the inventory, so the release is that archive's.
    return SourceSummary{vouched_->archive, 0, inventory};
  }

  Status Prove(const std::optional<Digest>& archive, const Candidate& candidate, Provenance& provenance) const {
    if (!expected_) return {};
    if (!archive || *archive != *expected_) {
      return Fail(ErrorCode::kIntegrityFailed,
                  "the archive has the SHA-256 " + (archive ? archive->Hex() : "(none)") + ", not " + expected_->Hex(),
                  "it is not the archive that you want: get it again, and the digest from its owner");
    }
    provenance.origin = Origin::kSha256;
    if (!vouched_) return {};
    const DistributionLock& lock = candidate.lock;
    if (lock.id != vouched_->id || lock.version != vouched_->version || candidate.inventory != vouched_->inventory ||
        candidate.lock_digest != vouched_->lock) {
      return Fail(ErrorCode::kIntegrityFailed,
                  "the archive holds " + lock.id + " " + lock.version + ", and is signed as another release",
                  "tell the owner of the channel");
    }
    provenance.origin = Origin::kChannel;
    provenance.qualification = vouched_->qualification;
    provenance.channel = vouched_->channel;
    return {};
  }

  // A release that was proven, or executed, brings the root which its updates are verified with. Before the commit: a
  // receipt never names a channel that can't be verified.
  static Status BeginUpdates(const Installer& installer, const InstallSink& sink) {
    const DistributionLock& lock = installer.candidate().lock;
    if (!lock.channel) return {};
    const auto receipt = FindReceipt(installer.homes().install, lock.id);
    // The user takes updates from elsewhere, with another root.
    if (receipt && *receipt && (*receipt)->channel && (*receipt)->channel->url != lock.channel->url) return {};
    if (Status begun = BeginTrust(TrustDirectory(installer.homes().install, lock.id), sink.root()); !begun) {
      return Fail(std::move(begun).error().While("beginning trust in the channel that the release names"));
    }
    return {};
  }

  void Describe(const Installer& installer, json::Value& out) {
    const Homes& homes = installer.homes();
    const DistributionLock& lock = installer.candidate().lock;
    const std::string command = JoinPath(homes.bin, lock.command);
    release_.version = lock.version;
    release_.platform = lock.platform;
    release_.inventory = installer.candidate().inventory;
    release_.lock = installer.candidate().lock_digest;
    SetRelease(out, release_);
    out.Set("action", ActionName(installer.action()));
    out.Set("command", command);
    out.Set("dry_run", options_.dry_run);
    out.Set("id", lock.id);
    out.Set("on_path", BinHomeIsOnPath(homes));
    if (installer.previous_version()) out.Set("previous_version", *installer.previous_version());
    std::optional<Freeable> freeable;
    if (!options_.dry_run) {
      freeable = FindFreeable(homes, installer.receipt());
      SetFreeable(out, *freeable);
    }
    if (options_.quiet) return;
    if (installer.replaces_damaged_receipt()) {
      PrintWords("the receipt of " + lock.id + " was damaged and has been replaced");
    }
    PrintWords(Sentence(installer, options_.dry_run));
    if (!options_.dry_run) PrintWords("command: " + command);
    if (!options_.dry_run && !BinHomeIsOnPath(homes)) {
      PrintWords("note: '" + homes.bin + "' is not on PATH; add it, or start the command by its whole path");
    }
    DescribeProof(lock);
    if (freeable) SayFreeable(*freeable);
  }

  void DescribeProof(const DistributionLock& lock) const {
    if (release_.origin == Origin::kUnproven) {
      PrintWords(
          "note: intact, origin not proven: every file matches the release's own inventory, but nothing outside the "
          "release says who made it");
      PrintWords(options_.is_this_program
                     ? "      to prove it, compare this file's SHA-256 with the one that its owner tells"
                     : "      to prove it, get the archive's SHA-256 from its owner and run: piship install <archive> "
                       "--sha256 "
                       "<digest>");
      if (lock.channel && !options_.is_this_program)
        PrintWords("      its updates, from " + lock.channel->url + ", begin with that, too");
    }
    if (release_.qualification == Qualification::kUnqualified) {
      PrintWords("note: unqualified: nobody vouches that this release has passed its owner's checks");
    }
  }

  const InstallOptions& options_;
  const std::optional<Vouched>& vouched_;
  DebugTiming timing_{"install"};
  std::optional<Digest> expected_;
  InstalledRelease release_;
};

}  // namespace

Status InstallRelease(const InstallOptions& options, const std::optional<Vouched>& vouched, json::Value& out) {
  return Install(options, vouched).Run(out);
}

Status RunInstall(const InstallOptions& options) {
  return Report(options.json, [&](json::Value& out) {
    if (IsUrl(options.source)) return InstallFromChannel(options, out);
    if (options.channel || options.id || options.root || options.version) {
      return Status(
          Fail(ErrorCode::kUsage, "--channel, --id, --release-version and --root belong to the URL of a repository"));
    }
    if (!options.expect_keys.empty()) return InstallByKey(options, out);
    return InstallRelease(options, std::nullopt, out);
  });
}

}  // namespace piship
