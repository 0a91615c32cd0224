// SPDX-License-Identifier: MIT
#include "model/channel_place.h"

#include <algorithm>

namespace piship {
namespace {

constexpr std::size_t kMaxUrl = 2048;
constexpr std::size_t kMaxName = 64;

bool IsLowerCase(char c) { return c >= 'a' && c <= 'z'; }
bool IsOfName(char c) { return IsLowerCase(c) || (c >= '0' && c <= '9') || c == '-' || c == '_'; }
bool IsOfUrl(char c) { return c > ' ' && c != 0x7f; }

}  // namespace

bool HasChannelNameForm(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && IsLowerCase(name[0]) &&
         std::all_of(name.begin(), name.end(), IsOfName);
}

std::string WhyNotChannelPlace(const ChannelPlace& place) {
  const std::string_view url = place.url;
  if (!(url.starts_with("http://") || url.starts_with("https://")) || url.size() > kMaxUrl ||
      !std::all_of(url.begin(), url.end(), IsOfUrl)) {
    return "the channel's URL is not an http or https URL of at most 2,048 bytes";
  }
  if (!HasChannelNameForm(place.name)) {
    return "the channel's name is not one of lower-case letters, digits, '-' and '_'";
  }
  return {};
}

}  // namespace piship
