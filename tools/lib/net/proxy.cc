// SPDX-License-Identifier: MIT
#include "net/proxy.h"

#include <algorithm>
#include <cctype>

namespace piship {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// "host:port" or "[v6]:port" in `entry`: cuts the port off and says whether the URL has it.
bool PortFits(std::string_view& entry, const Url& url) {
  const std::size_t colon = entry.rfind(':');
  if (colon == std::string_view::npos) return true;
  const bool bracketed = !entry.empty() && entry.front() == '[';
  if (bracketed && entry.find(']') > colon) return true;
  if (!bracketed && entry.find(':') != colon) return true;  // a bare IPv6 address
  const bool fits = entry.substr(colon + 1) == std::to_string(url.port);
  entry = entry.substr(0, colon);
  return fits;
}

bool Covers(std::string_view entry, const Url& url) {
  if (entry == "*") return true;
  if (!PortFits(entry, url)) return false;
  if (entry.size() > 2 && entry.front() == '[' && entry.back() == ']') entry = entry.substr(1, entry.size() - 2);
  if (entry.substr(0, 2) == "*.") entry.remove_prefix(1);
  const std::string_view domain = entry.substr(0, 1) == "." ? entry.substr(1) : entry;
  if (domain.empty()) return false;
  return url.host == domain || (url.host.size() > domain.size() && EndsWith(url.host, domain) &&
                                url.host[url.host.size() - domain.size() - 1] == '.');
}

}  // namespace

Result<Url> ParseProxy(std::string_view text) {
  if (text.find("://") == std::string_view::npos) return Url::Parse("http://" + std::string(text));
  auto url = Url::Parse(text);
  if (!url && text.substr(0, 5) == "socks") {
    return Fail(ErrorCode::kUrlInvalid, "a SOCKS proxy can't be used", "Set an http:// or https:// proxy.");
  }
  return url;
}

std::vector<std::string> ParseNoProxy(std::string_view text) {
  std::vector<std::string> entries;
  std::string entry;
  for (const char c : std::string(text) + ",") {
    if (c != ',' && std::isspace(static_cast<unsigned char>(c)) == 0) {
      entry += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!entry.empty()) {
      entries.push_back(std::exchange(entry, {}));
    }
  }
  return entries;
}

const Url* ProxyFor(const Url& url, const ProxySettings& settings) {
  const std::optional<Url>& proxy = url.secure() ? settings.for_https : settings.for_http;
  if (!proxy) return nullptr;
  const bool direct = std::any_of(settings.no_proxy.begin(), settings.no_proxy.end(),
                                  [&](const std::string& entry) { return Covers(entry, url); });
  return direct ? nullptr : &*proxy;
}

}  // namespace piship
