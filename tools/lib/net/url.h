// SPDX-License-Identifier: MIT
// http and https URLs, in one normal form: what is compared, sent and printed is the same text. RFC 3986 with the
// normalization of the WHATWG URL standard where npm relies on it (dot segments, percent-encoding of spaces and of
// bytes above 127, default ports). Control characters, backslashes and user names in unexpected places are refused, so
// no part of a URL can add a header or a second host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship {

struct Url {
  std::string scheme;    // "http" or "https"
  std::string user;      // decoded; empty where there is none
  std::string password;  // decoded
  std::string host;      // lower case; an IPv6 address without its brackets
  std::uint16_t port = 0;
  std::string path;   // begins with "/", percent-encoded
  std::string query;  // with its "?", or empty

  // kUrlInvalid. A fragment is dropped.
  static Result<Url> Parse(std::string_view text);
  // The URL that `reference` (a Location header) means when it is met at this one; never with user or password.
  Result<Url> Resolve(std::string_view reference) const;

  bool secure() const { return scheme == "https"; }
  bool SameOrigin(const Url& other) const;
  // "host", "host:8080", "[::1]:8080": the port only where it is not the scheme's own.
  std::string Authority() const;
  // "host:443", "[::1]:443": always with the port.
  std::string HostAndPort() const;
  // Without user and password: safe to print.
  std::string ToString() const;
};

// Every byte but unreserved characters (RFC 3986) as %XX.
std::string PercentEncode(std::string_view text);

}  // namespace piship
