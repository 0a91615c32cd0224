// SPDX-License-Identifier: MIT
// Which proxy a request goes through. The settings come from npm's configuration and from the environment; both are
// resolved by whoever makes them, so that this box reads neither.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/url.h"

namespace piship {

struct ProxySettings {
  std::optional<Url> for_http;   // an http or https URL; user and password are sent to the proxy (Basic)
  std::optional<Url> for_https;  // the same, by CONNECT
  // Hosts to reach directly: "example.com" and ".example.com" cover the domain with all below it, "*" covers
  // everything, an address covers itself; "host:port" only that port.
  std::vector<std::string> no_proxy;
};

// "proxy.example:3128" and "http://user:password@proxy.example:3128". kUrlInvalid; other schemes (SOCKS) are refused by
// name.
Result<Url> ParseProxy(std::string_view text);
// Splits a NO_PROXY value at commas and white space.
std::vector<std::string> ParseNoProxy(std::string_view text);
// The proxy for a request, or null.
const Url* ProxyFor(const Url& url, const ProxySettings& settings);

}  // namespace piship
