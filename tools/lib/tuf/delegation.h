// SPDX-License-Identifier: MIT
// Which delegated role may say something about a target's path (specification 1.0, section 4.5).
#pragma once

#include <string>
#include <string_view>

#include "tuf/metadata.h"

namespace piship::tuf {

// Shell-style: '*' any characters, '?' one character, neither across a '/'; everything else stands for itself.
bool PathMatches(std::string_view path, std::string_view pattern);
bool IsDelegated(const DelegatedRole& role, std::string_view path);
// The one role that is responsible for the path.
DelegatedRole BinFor(const SuccinctRoles& roles, std::string_view path);

}  // namespace piship::tuf
