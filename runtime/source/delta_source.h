// SPDX-License-Identifier: MIT
// A release that a delta makes of an installed one: what both have is copied from the installed files, the rest comes
// out of the delta. Every file is held against its digest, so a base that was changed on disk makes no wrong release.
#pragma once

#include <string>

#include "base/digest.h"
#include "base/result.h"
#include "format/archive_reader.h"
#include "source/listed_files.h"

namespace piship {

// Reads the delta in `file`, with the order and the promises of ReadArchive; gives the inventory's digest.
// kIntegrityFailed where the delta or the base is not what it should be, and as ParseDelta.
Result<Digest> ReadDelta(const std::string& file, const InstalledBase& base, PayloadSink& sink,
                         const ReadArchiveOptions& options = {});

}  // namespace piship
