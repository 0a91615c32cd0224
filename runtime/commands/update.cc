// SPDX-License-Identifier: MIT
// What install and update take from a channel, and whether; from_channel.h has how.
#include "commands/commands.h"
#include "commands/freeable.h"
#include "commands/from_channel.h"
#include "commands/install_release.h"
#include "commands/report.h"
#include "home/doctor.h"
#include "home/managed.h"
#include "home/platform_check.h"
#include "home/receipts.h"
#include "home/rollback.h"
#include "home/unsynced.h"
#include "model/names.h"
#include "model/release.h"
#include "source/channel.h"

namespace piship {
namespace {

constexpr const char* kDefaultChannel = "stable";

std::string Named(const Offer& offer) { return offer.id + " " + offer.text; }

Error NeedsNewerRuntime(const Offer& offer) {
  return Error{ErrorCode::kFormatNewer,
               Named(offer) + " has a minimum runtime that is too new: format " +
                   std::to_string(offer.minimum_runtime) + ", and this piship reads format " +
                   std::to_string(kRuntimeFormat),
               "get a newer piship from the owner of the channel"};
}

// One for which `fits`, of the version if there is one.
struct Choice {
  std::optional<Offer> offer;    // the newest that this runtime can install
  std::optional<Offer> too_new;  // the newest one, where it can't
};

template <class Fits>
Result<Choice> Choose(const std::vector<Offer>& offers, const std::optional<std::string>& version,
                      const std::string& channel, const std::string& id, const Fits& fits) {
  Choice choice;
  for (const Offer& offer : offers) {
    if ((version && offer.text != *version) || !fits(offer)) continue;
    if (offer.minimum_runtime <= kRuntimeFormat) {
      choice.offer = offer;
      return choice;
    }
    if (!choice.too_new) choice.too_new = offer;
  }
  if (choice.too_new) return Fail(NeedsNewerRuntime(*choice.too_new));
  return Fail(ErrorCode::kTargetUnknown,
              "the channel '" + channel + "' has no release " + (version ? Printable(*version) + " " : "") + "of '" +
                  id + "' for this machine",
              "ask its owner which channel has one");
}

class Update {
 public:
  Update(const UpdateOptions& options, json::Value& out) : options_(options), out_(out) {}

  Status Run() {
    PISHIP_CHECK(CheckId(options_.id, "the id"));
    PISHIP_TRY(const Homes homes, HomesFromEnvironment());
    PISHIP_TRY(const OpenReceipt open, OpenReceipt::Read(homes.install, options_.id));
    const Receipt& receipt = open.receipt();
    PISHIP_CHECK(CheckChangeable(receipt, Change::kUpdate));
    if (!receipt.channel) {
      return Fail(ErrorCode::kTrustMissing, "the receipt of '" + options_.id + "' names no channel",
                  "piship install <URL of the repository> --id " + options_.id + " --root <the owner's root.json>");
    }
    ChannelPlace place = *receipt.channel;
    if (options_.channel) place.name = *options_.channel;
    PISHIP_TRY(Channel channel, Channel::Open(place, TrustDirectory(homes.install, options_.id), std::nullopt));
    PISHIP_TRY(const std::vector<Offer> offers, channel.Offers(options_.id));
    PISHIP_TRY(const Choice choice, Choose(offers, options_.version, place.name, options_.id, [&](const Offer& each) {
                 return each.platform.str() == receipt.active.platform.str();
               }));
    const Offer& offer = *choice.offer;
    // A release in between may bring the runtime that the newest one needs.
    if (choice.too_new) {
      if (!IsNewer(offer, receipt.active)) return Fail(NeedsNewerRuntime(*choice.too_new));
      Nothing("note: " + NeedsNewerRuntime(*choice.too_new).message + "; try again after this update");
    }
    PISHIP_TRY(const bool wanted, IsWanted(receipt, offer));
    out_.Set("channel", place.name);
    if (!wanted) {
      if (!options_.check) FinishEarlier(homes, receipt, offer);
      return Describe(receipt.active, "up-to-date");
    }
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
  static bool IsNewer(const Offer& offer, const InstalledRelease& active) {
    const auto version = Version::Parse(active.version);
    return version && offer.version > *version;
  }

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

  // What an update that was killed has left. Where that can't be mended, in a home that is not the user's or with a
  // command that is another's, there is no update that would fail for it, and doctor names it.
  void FinishEarlier(const Homes& homes, const Receipt& receipt, const Offer& offer) const {
    if (offer.text == receipt.active.version) DiscardDownloads(homes, offer);
    static_cast<void>(MendInstallation(homes, options_.id));
  }

  Status Take(const Homes& homes, Channel& channel, const ChannelPlace& place, const Receipt& receipt,
              const Offer& offer) {
    SettleUnsynced(homes.install);
    if (receipt.Find(offer.text) != nullptr) {
      auto kept = RollBack(homes, options_.id, offer.text, options_.accept_state ? AcceptState::kYes : AcceptState::kNo,
                           DryRun::kNo);
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
    install.accept_state = options_.accept_state;
    json::Value installed = json::Value::Object();
    PISHIP_CHECK(InstallOffer({homes, channel, place, install}, offer, installed));
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
  PISHIP_TRY(const std::optional<std::string> root, RootFor(options, options.source));
  const ChannelPlace place{options.source, options.channel.value_or(kDefaultChannel)};
  PISHIP_TRY(Channel channel, Channel::Open(place, TrustDirectory(homes.install, *options.id), root));
  PISHIP_TRY(const std::vector<Offer> offers, channel.Offers(*options.id));
  PISHIP_TRY(const Choice choice, Choose(offers, options.version, place.name, *options.id, [](const Offer& each) {
               return CheckPlatform(each.platform, Named(each)).has_value();
             }));
  const Offer& offer = *choice.offer;
  if (options.dry_run) {
    if (!options.quiet)
      PrintWords("would install " + Named(offer) + " (" + Grouped(offer.bytes) + " bytes to download)");
    out.Set("action", "available");
    out.Set("dry_run", true);
    out.Set("id", offer.id);
    out.Set("version", offer.text);
    return {};
  }
  return InstallOffer({homes, channel, place, options}, offer, out);
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
