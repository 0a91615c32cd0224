// SPDX-License-Identifier: MIT
// A release from a channel onto the disk: by a delta, by frames of its archive, or whole, whichever comes first that
// there is and that works. First the download, then the same single pass as over an archive that was given; no lock of
// the distribution is held over the network.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/progress_line.h"
#include "base/result.h"
#include "commands/commands.h"
#include "home/homes.h"
#include "model/receipt.h"
#include "source/channel.h"
#include "source/frames_source.h"

namespace piship {

// The smallest delta that makes the offer of the active version; null where none is smaller than the archive.
const DeltaOffer* DeltaFor(const Offer& offer, const Receipt& receipt);
// The archive as one of which frames are fetched; absent where its owner has signed no index, and for a small one, of
// which the whole costs less than the requests.
std::optional<ArchiveInFrames> InFrames(const Offer& offer);
// Removes what was downloaded for an offer that is installed, which a killed update leaves.
void DiscardDownloads(const Homes& homes, const Offer& offer);
// Whether another way may work where this error ended one: something is wrong with the file, or with what it is applied
// to. What the machine or the network lacks, any other way would lack as well.
bool MayFallBack(const Error& error);

// Hands a part of a file on and shows on a terminal how much of the download is there.
class ShownSink : public tuf::ArtifactSink {
 public:
  // Of `bytes` in all, `present` are there when `range` begins. `fd` -1: nothing is shown.
  ShownSink(tuf::ArtifactSink& sink, const tuf::ByteRange& range, std::uint64_t present, std::uint64_t bytes, int fd);
  ShownSink(const ShownSink&) = delete;
  ShownSink& operator=(const ShownSink&) = delete;
  ~ShownSink() override { line_.Clear(); }
  Status Begin(std::uint64_t offset) override;
  Status Take(std::string_view bytes) override;

 private:
  tuf::ArtifactSink& sink_;
  std::uint64_t offset_;
  std::uint64_t present_;
  std::uint64_t bytes_;
  std::uint64_t there_ = 0;
  ProgressLine line_;
};

struct ChannelInstall {
  const Homes& homes;
  Channel& channel;
  const ChannelPlace& place;
  InstallOptions options;
};
// Installs the offer and sets, besides what an install says, `way`, `downloaded_bytes` and `fallback`. Where another
// process has installed it while this one waited for the download, nothing is done.
Status InstallOffer(ChannelInstall install, const Offer& offer, json::Value& out);

}  // namespace piship
