// SPDX-License-Identifier: MIT
// A release that is made of an installed one and of some frames of its archive: those with files that the installed
// one has not. The frames lie at their places in a file as long as the archive, with holes between them, and with the
// frame index at its end. The index is signed, each frame is held against it, and every file against the inventory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/digest.h"
#include "base/result.h"
#include "format/archive_reader.h"
#include "source/channel.h"
#include "source/download.h"
#include "source/listed_files.h"
#include "tuf/fetcher.h"

namespace piship {

// An archive of a channel; all of it is signed.
struct ArchiveInFrames {
  std::uint64_t bytes = 0;
  Digest inventory;
  SignedIndex index;
};

// Whether the installed files are believed to be what they were; what is read of them is compared in any case, later.
enum class BaseIs : std::uint8_t { kBelieved, kChecked };

using FetchPart = std::function<Status(const tuf::ByteRange& range, tuf::ArtifactSink& sink)>;

// Fetches what `base` lacks into `file`, frames that are there already excepted, and gives the number of bytes that
// came. `announce` gets the bytes that will come before the frames are fetched. Absent where the whole archive hardly
// costs more. kIntegrityFailed where the server sends something else than was signed or the base's own inventory was
// changed, and the errors of `fetch`; what is right stays in the file for the next try.
Result<std::optional<std::uint64_t>> FetchFrames(const Download& file, const ArchiveInFrames& archive,
                                                 const InstalledBase& base, BaseIs base_is, const FetchPart& fetch,
                                                 const std::function<void(std::uint64_t bytes)>& announce,
                                                 const ArchiveLimits& limits = {});

// Reads the release out of what FetchFrames has put into `file` and out of `base`, with the order and the promises of
// ReadArchive; gives the inventory's digest. kIntegrityFailed where neither has a file as it should be.
Result<Digest> ReadFrames(const std::string& file, const InstalledBase& base, PayloadSink& sink,
                          const ReadArchiveOptions& options = {});

}  // namespace piship
