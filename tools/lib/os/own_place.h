// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"

namespace piship {

// The absolute path of this program's file with no symbolic link in it: what /proc says, or, where there is no /proc,
// what the kernel was asked to execute.
Result<std::string> OwnPlace();

}  // namespace piship
