// SPDX-License-Identifier: MIT
// Where a release can come from: an archive in a file, that of a single-file installer, an archive on standard input,
// an extracted release directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/digest.h"
#include "base/result.h"
#include "format/archive_reader.h"

namespace piship {

enum class SourceKind : std::uint8_t { kArchive, kStandardInput, kDirectory };

struct SourceSummary {
  std::optional<Digest> archive;  // absent for a directory
  std::uint64_t bytes = 0;        // of the archive; of all files of a directory
  Digest inventory;
};

// "-" is standard input. kFileNotFound, kFileInvalid, and kUsage where standard input is a terminal.
Result<SourceKind> KindOfSource(const std::string& source);

// Reads the release once, in the order and with the promises of ReadArchive: piship.lock is handed on alone and first.
Result<SourceSummary> ReadRelease(const std::string& source, PayloadSink& sink, const ReadArchiveOptions& options = {});

}  // namespace piship
