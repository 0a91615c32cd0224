// SPDX-License-Identifier: MIT
// piship-store: keeps a content store small and sound. Builds never call it and never wait for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship::store_tool {

struct Options {
  std::string store;
  std::int64_t max_bytes = 10'000'000'000;
  std::int64_t max_age_days = 30;
  std::int64_t max_seconds = 60;
};

// `verb` is "prune", "check" or "epoch". Each prints one line; check also a line for each file that it removed.
Status Run(std::string_view verb, const Options& options);

}  // namespace piship::store_tool
