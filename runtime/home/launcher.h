// SPDX-License-Identifier: MIT
// apps/<id>/launch: the program that the command leads to, a copy of a version's bin/piship. It starts every older
// receipt, so after a rollback it stays what it is.
#pragma once

#include <string>

#include "base/digest.h"
#include "base/result.h"
#include "home/homes.h"

namespace piship {

// Makes it a copy of that version's, by rename; an equal one is left alone. A copy, not a link: it stays when the
// version goes.
Status PlaceLauncher(const std::string& install_home, const std::string& id, const std::string& version);

// The digest of the launcher that is there. kIntegrityFailed where there is none, or where it is no regular file that
// everybody may execute.
Result<Digest> LauncherDigest(const std::string& install_home, const std::string& id);

}  // namespace piship
