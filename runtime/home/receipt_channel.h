// SPDX-License-Identifier: MIT
// Where further releases of what is installed come from.
#pragma once

#include <string>

#include "base/result.h"
#include "model/channel_place.h"

namespace piship {

// Notes the channel in the receipt. The caller has verified the repository's metadata with
// what the distribution's updates are verified with. kNotInstalled, kLockHeld, kPackageManaged.
Status SetChannel(const std::string& install_home, const std::string& id, const ChannelPlace& place);

}  // namespace piship
