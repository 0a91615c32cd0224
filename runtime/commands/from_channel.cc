// SPDX-License-Identifier: MIT
#include "commands/from_channel.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "commands/install_release.h"
#include "commands/report.h"
#include "home/doctor.h"
#include "home/managed.h"
#include "home/receipt_channel.h"
#include "home/receipts.h"
#include "source/download.h"

namespace piship {
namespace {

constexpr int kEnvironment = 4;  // the exit status of what may pass
constexpr std::uint64_t kSmallArchive = std::uint64_t{256} << 10;

std::string Named(const Offer& offer) { return offer.id + " " + offer.text; }

std::string_view WayName(Way way) {
  switch (way) {
    case Way::kDelta:
      return "delta";
    case Way::kFrames:
      return "frames";
    case Way::kWhole:
      return "whole";
  }
  return "whole";
}

class FromChannel {
 public:
  FromChannel(ChannelInstall install, const Offer& offer) : install_(std::move(install)), offer_(offer) {}

  Status Run(json::Value& out) {
    PISHIP_TRY(const std::optional<Receipt> receipt, FindReceipt(install_.homes.install, offer_.id));
    if (receipt) PISHIP_CHECK(CheckChangeable(*receipt, Change::kOther));
    const std::vector<Way> ways = WaysFrom(receipt);
    std::string fallback;
    for (const Way way : ways) {
      json::Value described = json::Value::Object();
      const auto taken = Take(way, receipt, fallback.empty() ? BaseIs::kBelieved : BaseIs::kChecked, described);
      if (taken && !*taken) continue;
      if (taken) {
        if (!fallback.empty()) described.Set("fallback", Printable(fallback));
        out = std::move(described);
        return {};
      }
      if (way == ways.back() || !MayFallBack(taken.error())) return Fail(taken.error());
      const std::string reason = Subject(way, *receipt) + taken.error().message;
      if (!install_.options.quiet) PrintWords("note: " + reason);
      fallback += (fallback.empty() ? "" : "; ") + reason;
    }
    return {};
  }

 private:
  std::vector<Way> WaysFrom(const std::optional<Receipt>& receipt) const {
    std::vector<Way> ways;
    if (receipt && DeltaFor(offer_, *receipt) != nullptr) ways.push_back(Way::kDelta);
    if (receipt && InFrames(offer_)) ways.push_back(Way::kFrames);
    ways.push_back(Way::kWhole);
    return ways;
  }

  static std::string Subject(Way way, const Receipt& receipt) {
    const std::string& version = receipt.active.version;
    return way == Way::kDelta ? "the delta from " + version + " does not serve: "
                              : "the frames that " + version + " lacks do not serve: ";
  }

  // False where the way is not worth while.
  Result<bool> Take(Way way, const std::optional<Receipt>& before, BaseIs base_is, json::Value& out) {
    const DeltaOffer* delta = way == Way::kDelta ? DeltaFor(offer_, *before) : nullptr;
    const auto waits = [&](const std::string& holder) {
      Say("waiting for " + holder + ", which downloads " + Named(offer_));
    };
    PISHIP_TRY(Download download, Download::Claim(DownloadsDirectory(install_.homes.install),
                                                  delta != nullptr ? delta->digest : offer_.archive,
                                                  way == Way::kFrames ? Extent::kFrames : Extent::kWhole, waits));
    PISHIP_TRY(const std::optional<Receipt> receipt, FindReceipt(install_.homes.install, offer_.id));
    if (receipt && IsInstalled(receipt->active)) {
      download.Remove();
      DiscardDownloads(install_.homes, offer_);
      // Whoever has installed it may have been killed on the way.
      PISHIP_CHECK(MendInstallation(install_.homes, offer_.id));
      SetRelease(out, receipt->active);
      out.Set("action", "already-installed");
      out.Set("id", offer_.id);
      Say(Named(offer_) + " is already installed");
      if (!receipt->channel || receipt->channel->url != install_.place.url ||
          receipt->channel->name != install_.place.name) {
        PISHIP_CHECK(SetChannel(install_.homes.install, offer_.id, install_.place));
        Say("its updates come from " + install_.place.url + ", channel " + install_.place.name + ", from now on");
      }
      return true;
    }
    Vouched vouched{offer_.id,   offer_.text,          offer_.archive, offer_.inventory,
                    offer_.lock, offer_.qualification, install_.place};
    vouched.way = way;
    if (way != Way::kWhole) {
      vouched.base = {VersionDirectory(install_.homes.install, offer_.id, before->active.version),
                      before->active.inventory};
    }
    const auto fetched = Fetch(vouched, delta, before, base_is, download);
    // What another way is taken for is not gone on with.
    if (fetched ? !*fetched : way != Way::kWhole && MayFallBack(fetched.error())) download.Remove();
    if (!fetched) return Fail(fetched.error());
    if (!*fetched) return false;
    install_.options.source = download.path();
    Status installed = InstallRelease(install_.options, vouched, out);
    // What the disk or a running program stood in the way of need not be downloaded again; what is wrong must not stay.
    if (installed || ExitStatus(installed.error().code) != kEnvironment) download.Remove();
    if (!installed) return Fail(std::move(installed).error());
    out.Set("downloaded_bytes", static_cast<std::int64_t>(**fetched));
    out.Set("way", WayName(way));
    return true;
  }

  bool IsInstalled(const InstalledRelease& active) const {
    return active.version == offer_.text && active.inventory == offer_.inventory && active.origin == Origin::kChannel;
  }

  // The bytes that came, which are in the file now.
  Result<std::optional<std::uint64_t>> Fetch(const Vouched& vouched, const DeltaOffer* delta,
                                             const std::optional<Receipt>& before, BaseIs base_is, Download& download) {
    if (vouched.way == Way::kFrames) return FetchParts(vouched.base, before->active.version, base_is, download);
    const tuf::FoundTarget& target = delta != nullptr ? delta->target : offer_.target;
    const std::uint64_t bytes = delta != nullptr ? delta->bytes : offer_.bytes;
    PISHIP_TRY(const std::uint64_t present, download.Resume(bytes));
    if (present < bytes) {
      Announce(bytes - present, delta != nullptr ? ", what is new since " + before->active.version : "", present);
    }
    Status filled = download.Fill(bytes, [&](std::uint64_t offset, tuf::ArtifactSink& sink) {
      const tuf::ByteRange range{offset};
      ShownSink shown(sink, range, offset, bytes, ShownOn());
      return install_.channel.Fetch(target, range, shown);
    });
    if (!filled) return Fail(std::move(filled).error());
    return bytes - present;
  }

  Result<std::optional<std::uint64_t>> FetchParts(const InstalledBase& base, const std::string& base_version,
                                                  BaseIs base_is, const Download& download) {
    std::uint64_t bytes = 0;
    std::uint64_t present = 0;
    const FetchPart part = [&](const tuf::ByteRange& range, tuf::ArtifactSink& sink) {
      ShownSink shown(sink, range, present, bytes, bytes > 0 ? ShownOn() : -1);
      if (bytes > 0) present += *range.bytes;
      return install_.channel.Fetch(offer_.target, range, shown);
    };
    const auto announce = [&](std::uint64_t wanted) {
      bytes = wanted;
      Announce(wanted, ", frames with what " + base_version + " lacks", 0);
    };
    return FetchFrames(download, *InFrames(offer_), base, base_is, part, announce);
  }

  void Say(const std::string& words) const {
    if (!install_.options.quiet) PrintWords(words);
  }
  int ShownOn() const { return install_.options.quiet ? -1 : STDERR_FILENO; }
  void Announce(std::uint64_t bytes, const std::string& what, std::uint64_t present) const {
    std::string words = "downloading " + Named(offer_) + " (" + Grouped(bytes) + " bytes" + what;
    if (present > 0) words += ", " + Grouped(present) + " are there already";
    Say(words + ")");
  }

  ChannelInstall install_;
  const Offer& offer_;
};

}  // namespace

const DeltaOffer* DeltaFor(const Offer& offer, const Receipt& receipt) {
  const DeltaOffer* best = nullptr;
  for (const DeltaOffer& delta : offer.deltas) {
    const bool fits = delta.base == receipt.active.inventory && delta.bytes < offer.bytes;
    if (fits && (best == nullptr || delta.bytes < best->bytes)) best = &delta;
  }
  return best;
}

std::optional<ArchiveInFrames> InFrames(const Offer& offer) {
  if (!offer.index || offer.bytes < kSmallArchive) return std::nullopt;
  return ArchiveInFrames{offer.bytes, offer.inventory, *offer.index};
}

void DiscardDownloads(const Homes& homes, const Offer& offer) {
  const std::string directory = DownloadsDirectory(homes.install);
  Download::Discard(directory, offer.archive);
  for (const DeltaOffer& delta : offer.deltas) Download::Discard(directory, delta.digest);
}

bool MayFallBack(const Error& error) {
  return ExitStatus(error.code) != kEnvironment || error.code == ErrorCode::kMetadataMissing ||
         error.code == ErrorCode::kHttpFailed;
}

ShownSink::ShownSink(tuf::ArtifactSink& sink, const tuf::ByteRange& range, std::uint64_t present, std::uint64_t bytes,
                     int fd)
    : sink_(sink),
      offset_(range.offset),
      present_(present),
      bytes_(bytes),
      line_(ProgressLine::On(fd, [](std::string_view name) {
        const char* value = std::getenv(std::string(name).c_str());
        return std::string(value != nullptr ? value : "");
      })) {}

Status ShownSink::Begin(std::uint64_t offset) {
  // A server that sends the whole begins at 0, wherever it was asked to.
  there_ = offset == offset_ ? present_ : offset;
  return sink_.Begin(offset);
}

Status ShownSink::Take(std::string_view bytes) {
  there_ += bytes.size();
  line_.Show([this] { return Megabytes(there_) + " of " + Megabytes(bytes_); });
  return sink_.Take(bytes);
}

Status InstallOffer(ChannelInstall install, const Offer& offer, json::Value& out) {
  return FromChannel(std::move(install), offer).Run(out);
}

}  // namespace piship
