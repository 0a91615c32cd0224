// SPDX-License-Identifier: MIT
// release.json: what lies beside an archive and says what the archive is. docs/formats/release.md has the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "model/platform.h"
#include "model/receipt.h"

namespace piship {

// What a runtime must be able to read to install a release of this PiShip: it grows with the format of the lock, the
// inventory or the archive. Signed metadata names it, so that an older runtime knows before it downloads anything.
inline constexpr std::int64_t kRuntimeFormat = 1;

struct Release {
  static constexpr std::int64_t kFormat = 1;
  std::string id;
  std::string version;
  std::string command;
  Platform platform;
  std::string archive_name;  // file name, no directory
  std::uint64_t archive_bytes = 0;
  Digest archive;
  Digest inventory;
  Digest lock;
  Qualification qualification = Qualification::kUnqualified;

  std::string Text() const;
  static Result<Release> Parse(std::string_view text, std::string_view name);
};

}  // namespace piship
