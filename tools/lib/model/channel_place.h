// SPDX-License-Identifier: MIT
// Where further releases of a distribution come from.
#pragma once

#include <string>

namespace piship {

struct ChannelPlace {
  std::string url;   // of the repository: metadata/ and targets/ lie below it
  std::string name;  // of the channel
};

// Why it can't be one, a clause with its subject; empty where it can: an http or https URL without blanks of at most
// 2,048 bytes, and a name of lower-case letters, digits, '-' and '_' that begins with a letter and has at most 64.
std::string WhyNotChannelPlace(const ChannelPlace& place);

}  // namespace piship
