// SPDX-License-Identifier: MIT
// Makes the install home that a system's package brings: docs/adr/0024 says why it is so.
#pragma once

#include <string>

#include "base/result.h"

namespace piship::managed_home {

struct Options {
  std::string release;  // release.json; the archive that it names lies beside it
  std::string manager;
  std::string package;
  std::string output;  // the install home
};

// Writes the release below `output`, which must be missing or empty, with a receipt that names the package manager, and
// the launcher; nothing depends on this machine, the user or the time. The archive must be the one that release.json
// names. kFileInvalid where something is there; kNameInvalid; kIntegrityFailed; the errors of ReadArchive. After an
// error `output` may hold a part, without a receipt.
Status Make(const Options& options);

}  // namespace piship::managed_home
