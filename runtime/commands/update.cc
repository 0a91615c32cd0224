// SPDX-License-Identifier: MIT
// Releases from a channel, for install and update. First the metadata, then the download, then the same single pass
// over the archive as for one that was given; no lock of the distribution is held over the network.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/progress_line.h"
#include "commands/commands.h"
#include "commands/freeable.h"
#include "commands/install_release.h"
#include "commands/report.h"
#include "home/platform_check.h"
#include "home/receipts.h"
#include "home/rollback.h"
#include "home/unsynced.h"
#include "model/names.h"
#include "source/channel.h"
#include "source/download.h"

namespace piship {
namespace {

constexpr std::size_t kMaxRoot = std::size_t{1024} * 1024;
constexpr const char* kDefaultChannel = "stable";
constexpr int kEnvironment = 4;  // the exit status of what may pass

// The newest of the offers that `fits`, or the one with that version.
template <class Fits>
Result<Offer> Choose(const std::vector<Offer>& offers, const std::optional<std::string>& version,
                     const std::string& channel, const std::string& id, const Fits& fits) {
  for (const Offer& offer : offers) {
    if ((!version || offer.text == *version) && fits(offer)) return offer;
  }
  return Fail(ErrorCode::kTargetUnknown,
              "the channel '" + channel + "' has no release " + (version ? Printable(*version) + " " : "") + "of '" +
                  id + "' for this machine",
              "ask its owner which channel has one");
}

// The smallest one that makes the offer of the active version; null where the archive is not larger.
const DeltaOffer* DeltaFor(const Offer& offer, const Receipt& receipt) {
  const DeltaOffer* best = nullptr;
  for (const DeltaOffer& delta : offer.deltas) {
    const bool fits = delta.base == receipt.active.inventory && delta.bytes < offer.bytes;
    if (fits && (best == nullptr || delta.bytes < best->bytes)) best = &delta;
  }
  return best;
}

std::string Named(const Offer& offer) { return offer.id + " " + offer.text; }

// Shows on a terminal how far a download is.
class ShownSink : public tuf::ArtifactSink {
 public:
  ShownSink(tuf::ArtifactSink& sink, std::uint64_t bytes, int fd)
      : sink_(sink), bytes_(bytes), line_(ProgressLine::On(fd, [](std::string_view name) {
          const char* value = std::getenv(std::string(name).c_str());
          return std::string(value != nullptr ? value : "");
        })) {}
  ShownSink(const ShownSink&) = delete;
  ShownSink& operator=(const ShownSink&) = delete;
  ~ShownSink() override { line_.Clear(); }

  Status Begin(std::uint64_t offset) override {
    at_ = offset;
    return sink_.Begin(offset);
  }
  Status Take(std::string_view bytes) override {
    at_ += bytes.size();
    line_.Show([this] { return Megabytes(at_) + " of " + Megabytes(bytes_); });
    return sink_.Take(bytes);
  }

 private:
  tuf::ArtifactSink& sink_;
  std::uint64_t bytes_;
  std::uint64_t at_ = 0;
  ProgressLine line_;
};

class FromChannel {
 public:
  FromChannel(const Homes& homes, Channel& channel, ChannelPlace place, InstallOptions options)
      : homes_(homes), channel_(channel), place_(std::move(place)), options_(std::move(options)) {}

  // Downloads and installs: by a delta where there is one for the active version, else, or where that fails, whole.
  Status Install(const Offer& offer, json::Value& out) {
    PISHIP_TRY(const std::optional<Receipt> receipt, FindReceipt(homes_.install, offer.id));
    if (const DeltaOffer* delta = receipt ? DeltaFor(offer, *receipt) : nullptr; delta != nullptr) {
      Status taken = Take(offer, {delta->target, delta->digest, delta->bytes, &receipt->active}, out);
      if (taken || !MayFallBack(taken.error())) return taken;
      const std::string reason =
          "the delta from " + receipt->active.version + " does not serve: " + taken.error().message;
      if (!options_.quiet) PrintWords("note: " + reason + "; taking the whole archive");
      out = json::Value::Object();
      out.Set("fallback", Printable(reason));
    }
    return Take(offer, {offer.target, offer.archive, offer.bytes, nullptr}, out);
  }

 private:
  // A file of the repository that the release comes from.
  struct Way {
    const tuf::FoundTarget& target;
    const Digest& digest;
    std::uint64_t bytes = 0;
    const InstalledRelease* base = nullptr;  // what it is a delta for, where it is one
  };

  // What is wrong with the delta or with what it is applied to; not what the machine or the network lacks, which the
  // whole archive would lack as well.
  static bool MayFallBack(const Error& error) {
    return ExitStatus(error.code) != kEnvironment || error.code == ErrorCode::kMetadataMissing ||
           error.code == ErrorCode::kHttpFailed;
  }

  // Where another process has installed it while this one waited for the download, nothing is done.
  Status Take(const Offer& offer, const Way& way, json::Value& out) {
    const auto waits = [&](const std::string& holder) {
      if (!options_.quiet) PrintWords("waiting for " + holder + ", which downloads " + Named(offer));
    };
    PISHIP_TRY(Download download, Download::Claim(DownloadsDirectory(homes_.install), way.digest, waits));
    PISHIP_TRY(const std::optional<Receipt> receipt, FindReceipt(homes_.install, offer.id));
    if (receipt && receipt->active.version == offer.text && receipt->active.inventory == offer.inventory &&
        receipt->active.origin == Origin::kChannel) {
      download.Remove();
      SetRelease(out, receipt->active);
      out.Set("action", "already-installed");
      out.Set("id", offer.id);
      if (!options_.quiet) PrintWords(Named(offer) + " is already installed");
      return {};
    }
    PISHIP_TRY(const std::uint64_t present, download.Resume(way.bytes));
    if (!options_.quiet && present < way.bytes) PrintWords(Announcement(offer, way, present));
    PISHIP_CHECK(download.Fill(way.bytes, [&](std::uint64_t offset, tuf::ArtifactSink& sink) {
      ShownSink shown(sink, way.bytes, options_.quiet ? -1 : STDERR_FILENO);
      return channel_.Fetch(way.target, offset, shown);
    }));
    options_.source = download.path();
    Vouched vouched{offer.id, offer.text, offer.archive, offer.inventory, offer.lock, offer.qualification, place_};
    if (way.base != nullptr) {
      vouched.delta_base = {VersionDirectory(homes_.install, offer.id, way.base->version), way.base->inventory};
    }
    Status installed = InstallRelease(options_, vouched, out);
    // What the disk or a running program stood in the way of need not be downloaded again; what is wrong must not stay.
    if (installed || ExitStatus(installed.error().code) != kEnvironment) download.Remove();
    if (installed) {
      out.Set("downloaded_bytes", static_cast<std::int64_t>(way.bytes - present));
      out.Set("way", way.base != nullptr ? "delta" : "whole");
    }
    return installed;
  }

  static std::string Announcement(const Offer& offer, const Way& way, std::uint64_t present) {
    std::string words = "downloading " + Named(offer) + " (" + Grouped(way.bytes - present) + " bytes";
    if (way.base != nullptr) words += ", what is new since " + way.base->version;
    if (present > 0) words += ", " + Grouped(present) + " are there already";
    return words + ")";
  }

  const Homes& homes_;
  Channel& channel_;
  ChannelPlace place_;
  InstallOptions options_;
};

class Update {
 public:
  Update(const UpdateOptions& options, json::Value& out) : options_(options), out_(out) {}

  Status Run() {
    PISHIP_CHECK(CheckId(options_.id, "the id"));
    PISHIP_TRY(const Homes homes, HomesFromEnvironment());
    PISHIP_TRY(const OpenReceipt open, OpenReceipt::Read(homes.install, options_.id));
    const Receipt& receipt = open.receipt();
    if (!receipt.channel) {
      return Fail(ErrorCode::kTrustMissing, "the receipt of '" + options_.id + "' names no channel",
                  "piship install <URL of the repository> --id " + options_.id + " --root <the owner's root.json>");
    }
    ChannelPlace place = *receipt.channel;
    if (options_.channel) place.name = *options_.channel;
    PISHIP_TRY(Channel channel, Channel::Open(place, TrustDirectory(homes.install, options_.id), std::nullopt));
    PISHIP_TRY(const std::vector<Offer> offers, channel.Offers(options_.id));
    PISHIP_TRY(const Offer offer, Choose(offers, options_.version, place.name, options_.id, [&](const Offer& each) {
                 return each.platform.str() == receipt.active.platform.str();
               }));
    PISHIP_TRY(const bool wanted, IsWanted(receipt, offer));
    out_.Set("channel", place.name);
    if (!wanted) return Describe(receipt.active, "up-to-date");
    out_.Set("available", offer.text);
    if (options_.check) {
      const DeltaOffer* delta = DeltaFor(offer, receipt);
      const std::uint64_t bytes = delta != nullptr ? delta->bytes : offer.bytes;
      out_.Set("download_bytes", static_cast<std::int64_t>(bytes));
      if (!options_.quiet) {
        PrintWords(Named(offer) + " is available (" + receipt.active.version + " is active, " + Grouped(bytes) +
                   " bytes to download)");
      }
      return Describe(receipt.active, "available");
    }
    out_.Set("previous_version", receipt.active.version);
    return Take(homes, channel, place, receipt, offer);
  }

 private:
  // False where there is nothing to do, which is then said.
  Result<bool> IsWanted(const Receipt& receipt, const Offer& offer) const {
    const InstalledRelease& active = receipt.active;
    PISHIP_TRY(const Version version, Version::Parse(active.version));
    const InstalledRelease* known = receipt.Find(offer.text);
    if (known != nullptr && known->inventory != offer.inventory) {
      return Fail(ErrorCode::kVersionConflict,
                  Named(offer) + " is installed with the inventory " + known->inventory.Hex() + ", the channel has " +
                      offer.inventory.Hex(),
                  "a version never changes: tell the owner of the channel");
    }
    if (known == &active) return Nothing(options_.id + " " + active.version + " is up to date");
    if (offer.version < version && options_.version) {
      return Fail(ErrorCode::kRollback, Named(offer) + " is older than the active version " + active.version,
                  "'piship rollback' goes back to a version that is kept");
    }
    if (offer.version <= version) {
      return Nothing(options_.id + " " + active.version + " is active, and its channel has nothing newer than " +
                     offer.text);
    }
    if (!options_.version && receipt.rolled_back == offer.text) {
      return Nothing(Named(offer) + " is the newest, and you went back from it; to take it again: piship update " +
                     options_.id + " --release-version " + offer.text);
    }
    return true;
  }

  bool Nothing(const std::string& words) const {
    if (!options_.quiet) PrintWords(words);
    return false;
  }

  Status Take(const Homes& homes, Channel& channel, const ChannelPlace& place, const Receipt& receipt,
              const Offer& offer) {
    SettleUnsynced(homes.install);
    if (receipt.Find(offer.text) != nullptr) {
      auto kept = RollBack(homes, options_.id, offer.text, DryRun::kNo);
      if (kept) {
        if (!options_.quiet) PrintWords("activated the kept version " + Named(offer));
        const Freeable freeable = FindFreeable(homes, kept->receipt);
        SetFreeable(out_, freeable);
        if (!options_.quiet) SayFreeable(freeable);
        return Describe(kept->receipt.active, "activated");
      }
      // A damaged one is written anew.
      if (kept.error().code != ErrorCode::kIntegrityFailed) return Fail(std::move(kept).error());
    }
    InstallOptions install;
    install.quiet = options_.quiet;
    install.limits = options_.limits;
    json::Value installed = json::Value::Object();
    PISHIP_CHECK(FromChannel(homes, channel, place, install).Install(offer, installed));
    for (const char* member : {"downloaded_bytes", "fallback", "way"}) {
      if (const json::Value* value = installed.Find(member); value != nullptr) out_.Set(member, *value);
    }
    PISHIP_TRY(const OpenReceipt now, OpenReceipt::Read(homes.install, options_.id));
    SetFreeable(out_, FindFreeable(homes, now.receipt()));
    return Describe(now.receipt().active, "updated");
  }

  Status Describe(const InstalledRelease& release, std::string_view action) {
    SetRelease(out_, release);
    out_.Set("action", action);
    out_.Set("id", options_.id);
    return {};
  }

  const UpdateOptions& options_;
  json::Value& out_;
};

}  // namespace

bool IsUrl(const std::string& source) { return source.starts_with("http://") || source.starts_with("https://"); }

Status InstallFromChannel(const InstallOptions& options, json::Value& out) {
  if (!options.id) {
    return Fail(ErrorCode::kUsage, "a repository may have several distributions", "name the one with --id");
  }
  if (options.sha256) return Fail(ErrorCode::kUsage, "--sha256 is the digest of an archive that is given");
  PISHIP_CHECK(CheckId(*options.id, "the id"));
  PISHIP_TRY(const Homes homes, HomesFromEnvironment());
  std::optional<std::string> root;
  if (options.root) {
    PISHIP_TRY(root, ReadFile(*options.root, kMaxRoot));
  }
  const ChannelPlace place{options.source, options.channel.value_or(kDefaultChannel)};
  PISHIP_TRY(Channel channel, Channel::Open(place, TrustDirectory(homes.install, *options.id), root));
  PISHIP_TRY(const std::vector<Offer> offers, channel.Offers(*options.id));
  PISHIP_TRY(const Offer offer, Choose(offers, options.version, place.name, *options.id, [](const Offer& each) {
               return CheckPlatform(each.platform, Named(each)).has_value();
             }));
  if (options.dry_run) {
    if (!options.quiet)
      PrintWords("would install " + Named(offer) + " (" + Grouped(offer.bytes) + " bytes to download)");
    out.Set("action", "available");
    out.Set("dry_run", true);
    out.Set("id", offer.id);
    out.Set("version", offer.text);
    return {};
  }
  return FromChannel(homes, channel, place, options).Install(offer, out);
}

namespace {

Status UpdateOne(const UpdateOptions& options, json::Value& out) {
  if (Status updated = Update(options, out).Run(); !updated) {
    return Fail(std::move(updated).error().While("updating " + options.id));
  }
  return {};
}

// Every distribution that came from a channel. What one can't have does not keep the others from theirs; the first
// error's code is that of all.
Status UpdateAll(UpdateOptions options, json::Value& out) {
  PISHIP_TRY(const Homes homes, HomesFromEnvironment());
  PISHIP_TRY(const std::vector<std::string> ids, ReceiptIds(homes.install));
  json::Value list = json::Value::Array();
  std::optional<Error> failed;
  for (const std::string& id : ids) {
    const auto receipt = FindReceipt(homes.install, id);
    if (receipt && (!*receipt || !(*receipt)->channel)) continue;
    options.id = id;
    json::Value one = json::Value::Object();
    if (Status updated = UpdateOne(options, one); !updated) {
      one = json::Value::Object();
      one.Set("error", ErrorValue(updated.error())).Set("id", id);
      if (!failed) failed = Error{updated.error().code, "not every distribution could be updated"};
      failed->problems.push_back(id + ": " + updated.error().message);
    }
    list.Append(std::move(one));
  }
  if (list.array().empty() && !options.quiet) PrintWords("nothing that is installed came from a channel");
  out.Set("distributions", std::move(list));
  if (failed) return Fail(*std::move(failed));
  return {};
}

Status CheckUpdateOptions(const UpdateOptions& options) {
  if (!options.all && options.id.empty())
    return Fail(ErrorCode::kUsage, "name the distribution, or all of them with --all");
  if (options.all && (!options.id.empty() || options.channel || options.version)) {
    return Fail(ErrorCode::kUsage, "--all is for every distribution, each from its own channel");
  }
  return {};
}

}  // namespace

Status RunUpdate(const UpdateOptions& options) {
  return Report(options.json, [&](json::Value& out) -> Status {
    PISHIP_CHECK(CheckUpdateOptions(options));
    return options.all ? UpdateAll(options, out) : UpdateOne(options, out);
  });
}

}  // namespace piship
