// SPDX-License-Identifier: MIT
#include "net/url.h"

#include <arpa/inet.h>

#include <optional>
#include <vector>

namespace piship {
namespace {

constexpr std::size_t kLongestUrl = 8192;

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string LowerCase(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += LowerCase(c);
  return lower;
}

// What a URL may not hold anywhere; empty if nothing.
std::string_view ForbiddenIn(std::string_view text) {
  if (text.size() > kLongestUrl) return "is longer than 8192 bytes";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return "holds a control character";
    if (c == '\\') return "holds a backslash";
  }
  return {};
}

// No user information in messages.
Error Invalid(std::string_view text, std::string_view why) {
  const std::size_t scheme_end = text.find("://");
  std::string shown(text.substr(0, 300));
  if (scheme_end != std::string_view::npos) {
    const std::size_t start = scheme_end + 3;
    const std::size_t at = shown.rfind('@', text.find('/', start));
    if (at != std::string::npos && at > start) shown.replace(start, at - start, "***");
  }
  return Error{ErrorCode::kUrlInvalid, "URL '" + Printable(shown) + "' " + std::string(why)};
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    if (i + 2 >= text.size() || HexValue(text[i + 1]) < 0 || HexValue(text[i + 2]) < 0) return std::nullopt;
    bytes += static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
    i += 2;
  }
  return bytes;
}

void AppendEncoded(std::string& out, char c) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

// Encodes what a request line can't hold and leaves the rest, "%2f" included, as it was written.
std::string EncodeUnsafe(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || c == ' ' || c == '"' || c == '<' || c == '>' || c == '`' || c == '{' || c == '}') {
      AppendEncoded(out, c);
    } else {
      out += c;
    }
  }
  return out;
}

// RFC 3986, section 5.2.4, for a path that begins with "/"; "%2e" counts as a dot, as browsers and npm have it.
std::string RemoveDotSegments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool ends_in_directory = false;
  std::size_t at = 1;
  while (at <= path.size()) {
    std::size_t end = path.find('/', at);
    const bool last = end == std::string_view::npos;
    if (last) end = path.size();
    const std::string_view segment = path.substr(at, end - at);
    const std::string plain = PercentDecode(segment).value_or(std::string(segment));
    const bool dots_only = plain == "." || plain == "..";
    if (plain == ".." && !kept.empty()) kept.pop_back();
    if (!dots_only && !(last && segment.empty())) kept.push_back(segment);
    ends_in_directory = dots_only || (last && segment.empty());
    at = end + 1;
  }
  std::string result;
  for (const std::string_view segment : kept) result.append("/").append(segment);
  if (ends_in_directory || result.empty()) result += '/';
  return result;
}

// Fills host and port from "host:port"; returns what is wrong, or nothing.
std::string_view ParseHostAndPort(std::string_view text, Url& url) {
  std::string_view port;
  if (!text.empty() && text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return "has an IPv6 address without its closing bracket";
    url.host = LowerCase(text.substr(1, close - 1));
    in6_addr ignored;
    if (inet_pton(AF_INET6, url.host.c_str(), &ignored) != 1) return "has a malformed IPv6 address";
    port = text.substr(close + 1);
  } else {
    const std::size_t colon = text.find(':');
    url.host = LowerCase(text.substr(0, colon));
    if (colon != std::string_view::npos) port = text.substr(colon);
    if (url.host.empty()) return "names no host";
    if (url.host.size() > 253) return "has a host name that is too long";
    for (const char c : url.host) {
      if (!IsAlphanumeric(c) && c != '-' && c != '.' && c != '_') {
        return "has a host name with a character that is not a letter, digit, '-', '.' or '_' (write it in its xn-- "
               "form)";
      }
    }
  }
  url.port = url.secure() ? 443 : 80;
  if (port.empty()) return {};
  if (port.front() != ':') return "has text after its host";
  port.remove_prefix(1);
  if (port.empty()) return {};
  unsigned value = 0;
  for (const char c : port) {
    if (c < '0' || c > '9' || value > 65535) return "has a port that is not a number";
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  if (value == 0 || value > 65535) return "has a port out of range";
  url.port = static_cast<std::uint16_t>(value);
  return {};
}

void SetPathAndQuery(std::string_view text, Url& url) {
  text = text.substr(0, text.find('#'));
  const std::size_t mark = text.find('?');
  const std::string_view path = text.substr(0, mark);
  url.path = path.empty() ? "/" : RemoveDotSegments(EncodeUnsafe(path));
  url.query = mark == std::string_view::npos ? "" : EncodeUnsafe(text.substr(mark));
}

}  // namespace

Result<Url> Url::Parse(std::string_view text) {
  if (const std::string_view why = ForbiddenIn(text); !why.empty()) return Fail(Invalid(text, why));
  Url url;
  const std::size_t scheme_end = text.find("://");
  if (scheme_end != std::string_view::npos) url.scheme = LowerCase(text.substr(0, scheme_end));
  if (url.scheme != "http" && url.scheme != "https")
    return Fail(Invalid(text, "does not begin with http:// or https://"));
  std::string_view rest = text.substr(scheme_end + 3);
  const std::size_t authority_end = rest.find_first_of("/?#");
  std::string_view authority = rest.substr(0, authority_end);
  rest = authority_end == std::string_view::npos ? std::string_view() : rest.substr(authority_end);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user_info = authority.substr(0, at);
    authority.remove_prefix(at + 1);
    const std::size_t colon = user_info.find(':');
    auto user = PercentDecode(user_info.substr(0, colon));
    auto password = colon == std::string_view::npos ? std::string() : PercentDecode(user_info.substr(colon + 1));
    if (!user || !password) return Fail(Invalid(text, "has a malformed percent-encoding before its '@'"));
    url.user = *std::move(user);
    url.password = *std::move(password);
  }
  if (const std::string_view why = ParseHostAndPort(authority, url); !why.empty()) return Fail(Invalid(text, why));
  SetPathAndQuery(rest, url);
  return url;
}

Result<Url> Url::Resolve(std::string_view reference) const {
  if (const std::string_view why = ForbiddenIn(reference); !why.empty()) return Fail(Invalid(reference, why));
  const std::string_view before_query = reference.substr(0, reference.find_first_of("/?#"));
  Url url = *this;
  url.user.clear();
  url.password.clear();
  if (before_query.find(':') != std::string_view::npos) {
    PISHIP_TRY(url, Parse(reference));
    url.user.clear();
    url.password.clear();
    return url;
  }
  if (reference.substr(0, 2) == "//") {
    PISHIP_TRY(url, Parse(scheme + ":" + std::string(reference)));
    url.user.clear();
    url.password.clear();
    return url;
  }
  if (reference.empty() || reference.front() == '#') return url;
  if (reference.front() == '/') {
    SetPathAndQuery(reference, url);
  } else if (reference.front() == '?') {
    SetPathAndQuery(path + std::string(reference), url);
  } else {
    SetPathAndQuery(path.substr(0, path.rfind('/') + 1) + std::string(reference), url);
  }
  return url;
}

bool Url::SameOrigin(const Url& other) const {
  return scheme == other.scheme && host == other.host && port == other.port;
}

std::string Url::Authority() const {
  const std::string shown = host.find(':') != std::string::npos ? "[" + host + "]" : host;
  return port == (secure() ? 443 : 80) ? shown : shown + ":" + std::to_string(port);
}

std::string Url::HostAndPort() const {
  const std::string shown = host.find(':') != std::string::npos ? "[" + host + "]" : host;
  return shown + ":" + std::to_string(port);
}

std::string Url::ToString() const { return scheme + "://" + Authority() + path + query; }

std::string PercentEncode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      AppendEncoded(out, c);
    }
  }
  return out;
}

}  // namespace piship
