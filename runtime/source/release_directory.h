// SPDX-License-Identifier: MIT
// An extracted release as a source: the directory that an archive unpacks to.
#pragma once

#include <string>

#include "base/result.h"
#include "format/archive_reader.h"
#include "source/release_source.h"

namespace piship {

// Reads metadata/inventory below `directory` and hands on every file that it lists, hashed as it is read, so that what
// a sink gets is what was checked, whoever changes the directory meanwhile. kIntegrityFailed for a file that is
// missing, changed, no regular file or not listed. Modes come from the inventory, not from the disk.
Result<SourceSummary> ReadReleaseDirectory(const std::string& directory, PayloadSink& sink,
                                           const ReadArchiveOptions& options = {});

}  // namespace piship
