// SPDX-License-Identifier: MIT
// What install and update have in common: the archive of a release, and a channel as where it comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/digest.h"
#include "base/json.h"
#include "base/result.h"
#include "commands/commands.h"
#include "model/receipt.h"
#include "source/listed_files.h"

namespace piship {

// What of a channel's files a release is made of.
enum class Way : std::uint8_t { kDelta, kFrames, kWhole };

// What the signed metadata of a channel says about an archive.
struct Vouched {
  std::string id;
  std::string version;
  Digest archive;
  Digest inventory;
  Digest lock;
  Qualification qualification = Qualification::kUnqualified;
  ChannelPlace channel;
  // A source that is not the whole archive makes the release of this installed version; the signed inventory then
  // proves it.
  Way way = Way::kWhole;
  InstalledBase base = {};
};

// Installs the archive, directory or delta that the options name. With `vouched` nothing is committed that is anything
// else; kIntegrityFailed then.
Status InstallRelease(const InstallOptions& options, const std::optional<Vouched>& vouched, json::Value& out);

// The root that the options name or that their keys have signed; absent where they name neither.
Result<std::optional<std::string>> RootFor(const InstallOptions& options, const std::string& url);
// An archive that names its channel and carries the root: the keys prove the root, and the channel the archive.
Status InstallByKey(const InstallOptions& options, json::Value& out);

// Whether the source is the URL of a repository rather than a file.
bool IsUrl(const std::string& source);
// The newest release of a channel, or the one of the version that the options name.
Status InstallFromChannel(const InstallOptions& options, json::Value& out);

}  // namespace piship
