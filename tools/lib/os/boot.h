// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace piship {

// A text that is the same from one start of the system to its end and never again. Absent where the system does not
// tell (no /proc).
std::optional<std::string> BootId();

}  // namespace piship
