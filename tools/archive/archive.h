// SPDX-License-Identifier: MIT
// piship-archive: packs a payload's inventory and objects into the release archive, with its checksum and release.json.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "format/archive_limits.h"

namespace piship {

struct ArchiveOptions {
  std::string inventory;  // files that are read
  std::string lock;       // the payload's piship.lock
  std::string store;      // directory
  std::int64_t level = 19;
  std::string output;  // files that are written, each only where its content changes
  std::string checksum;
  std::string release;
  std::string depfile;
  std::int64_t threads = 0;  // 0: as many as the machine has
  std::int64_t max_ratio = ArchiveLimits().ratio;
};

// kPayloadInvalid, kLockInvalid, kObjectMissing, kObjectDamaged, kLimitExceeded, or what the files or the store refuse.
Status MakeArchive(const ArchiveOptions& options);

}  // namespace piship
