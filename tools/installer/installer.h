// SPDX-License-Identifier: MIT
// piship-installer: puts a release archive behind the runtime, as one file that installs it.
#pragma once

#include <string>

#include "base/result.h"

namespace piship {

struct InstallerOptions {
  std::string runtime;  // files that are read
  std::string archive;
  std::string output;  // files that are written, each only where its content changes
  std::string checksum;
};

// kPayloadInvalid where the runtime is not the one that the archive holds or has something behind it already; what the
// archive's reader refuses.
Status MakeInstaller(const InstallerOptions& options);

}  // namespace piship
