// SPDX-License-Identifier: MIT
// Depfiles for Ninja: the inputs that only a tool knows (walked files and directories, the content store's epoch).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship {

// More entries make every no-op build slow: Ninja's reader is quadratic (measured: 2,000 cost 20 ms, 10,000 cost 330).
inline constexpr std::size_t kDepfileLimit = 2000;

// "output: input ..."; every path absolute, at least one input, at most kDepfileLimit. An input whose name can't be
// said in a depfile (an apostrophe, "&", "#", "$", a backslash, ...) makes its edge run in every build: slower, never
// stale.
Status WriteDepfile(const std::string& path, std::string_view output, const std::vector<std::string>& inputs);

}  // namespace piship
