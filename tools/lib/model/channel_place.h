// SPDX-License-Identifier: MIT
// Where further releases of a distribution come from.
#pragma once

#include <string>
#include <string_view>

namespace piship {

struct ChannelPlace {
  std::string url;   // of the repository: metadata/ and targets/ lie below it
  std::string name;  // of the channel
};

// Lower-case letters, digits, '-' and '_', a letter first, at most 64.
bool HasChannelNameForm(std::string_view name);

// Why it can't be one, a clause with its subject; empty where it can: an http or https URL without blanks of at most
// 2,048 bytes, and a name of that form.
std::string WhyNotChannelPlace(const ChannelPlace& place);

}  // namespace piship
