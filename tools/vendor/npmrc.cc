// SPDX-License-Identifier: MIT
#include "vendor/npmrc.h"

#include <algorithm>
#include <optional>

namespace piship {
namespace {

// JavaScript's white space beyond ASCII, in UTF-8; the byte order mark is one of them.
constexpr std::string_view kWideSpaces[] = {
    "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84",
    "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf",
};

std::size_t SpaceAtStart(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) return 1;
  for (const std::string_view space : kWideSpaces) {
    if (text.substr(0, space.size()) == space) return space.size();
  }
  return 0;
}

std::size_t SpaceAtEnd(std::string_view text) {
  if (text.empty()) return 0;
  if (text.back() == ' ' || (text.back() >= '\t' && text.back() <= '\r')) return 1;
  for (const std::string_view space : kWideSpaces) {
    if (text.size() >= space.size() && text.substr(text.size() - space.size()) == space) return space.size();
  }
  return 0;
}

// What JSON.parse makes of a text, as text: the content of a string, anything else as it is written.
std::optional<std::string> ParseJsonText(std::string_view text) {
  const auto value = json::Parse(text, "");
  if (!value) return std::nullopt;
  if (value->is(json::Kind::kString)) return value->string();
  return std::string(TrimSpace(text));
}

bool Quoted(std::string_view text, char quote) {
  return !text.empty() && text.front() == quote && text.back() == quote;
}

// A key or a value without its quotes, or without its escapes and the comment behind it.
std::string Unquote(std::string_view raw) {
  const std::string_view text = TrimSpace(raw);
  if (Quoted(text, '"')) return ParseJsonText(text).value_or(std::string(text));
  if (Quoted(text, '\'')) {
    const std::string_view inner = text.size() < 2 ? std::string_view() : text.substr(1, text.size() - 2);
    return ParseJsonText(inner).value_or(std::string(inner));
  }
  std::string plain;
  bool escaped = false;
  for (const char c : text) {
    if (escaped) {
      if (c != '\\' && c != ';' && c != '#') plain += '\\';
      plain += c;
      escaped = false;
    } else if (c == ';' || c == '#') {
      break;
    } else if (c == '\\') {
      escaped = true;
    } else {
      plain += c;
    }
  }
  if (escaped) plain += '\\';
  return std::string(TrimSpace(plain));
}

// "[name]" from the first column on, with nothing but space after it.
bool IsSection(std::string_view line) {
  if (line.front() != '[') return false;
  const std::size_t close = line.find(']');
  return close != std::string_view::npos && TrimSpace(line.substr(close + 1)).empty();
}

class Reader {
 public:
  void Line(std::string_view line, std::uint32_t number) {
    const std::string_view trimmed = TrimSpace(line);
    if (trimmed.empty() || trimmed.front() == ';' || trimmed.front() == '#') return;
    if (IsSection(line)) {
      in_section_ = true;
      return;
    }
    const std::size_t equals = line.find('=');
    if (in_section_ || equals == 0) return;
    std::string key = Unquote(line.substr(0, equals));
    const std::string value = equals == std::string_view::npos ? "true" : Unquote(line.substr(equals + 1));
    const bool array = key.size() > 2 && key.substr(key.size() - 2) == "[]";
    if (array) key.resize(key.size() - 2);
    if (key == "__proto__") return;
    const auto column = static_cast<std::uint32_t>(trimmed.data() - line.data() + 1);
    Add(std::move(key), value, array, {number, column});
  }
  std::vector<NpmrcEntry> entries;

 private:
  void Add(std::string key, const std::string& value, bool array, json::Position position) {
    const auto found = places_.find(key);
    if (found == places_.end()) {
      places_.emplace(key, entries.size());
      entries.push_back({std::move(key), {value}, array, position});
      return;
    }
    NpmrcEntry& entry = entries[found->second];
    if (!entry.array && !array) entry.values.clear();
    entry.values.push_back(value);
    entry.array = entry.array || array;
  }

  std::map<std::string, std::size_t> places_;
  bool in_section_ = false;
};

}  // namespace

Environment ParseEnvironment(const std::vector<std::string>& texts) {
  Environment environment;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::string_view TrimSpace(std::string_view text) {
  while (const std::size_t count = SpaceAtStart(text)) text.remove_prefix(count);
  while (const std::size_t count = SpaceAtEnd(text)) text.remove_suffix(count);
  return text;
}

std::vector<NpmrcEntry> ParseNpmrc(std::string_view text) {
  Reader reader;
  std::uint32_t number = 1;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\r\n");
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) reader.Line(line, number);
    if (end == std::string_view::npos) break;
    const bool pair = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
    text.remove_prefix(end + (pair ? 2 : 1));
    ++number;
  }
  return std::move(reader.entries);
}

std::string ExpandVariables(std::string_view text, const Environment& environment) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t dollar = text.find("${", at);
    if (dollar == std::string_view::npos) break;
    const std::size_t end = text.find_first_of("${}?", dollar + 2);
    const bool optional = end != std::string_view::npos && text[end] == '?';
    const std::size_t close = optional ? end + 1 : end;
    if (end == std::string_view::npos || end == dollar + 2 || close >= text.size() || text[close] != '}') {
      out.append(text.substr(at, dollar + 1 - at));
      at = dollar + 1;
      continue;
    }
    std::size_t backslashes = 0;
    while (dollar - backslashes > at && text[dollar - backslashes - 1] == '\\') ++backslashes;
    out.append(text.substr(at, dollar - backslashes - at));
    const std::string_view whole = text.substr(dollar - backslashes, close + 1 - (dollar - backslashes));
    if (backslashes % 2 == 1) {
      out.append(whole.substr((backslashes + 1) / 2));
    } else {
      const std::string_view name = text.substr(dollar + 2, end - dollar - 2);
      const auto found = environment.find(name);
      out.append(backslashes / 2, '\\');
      if (found != environment.end()) {
        out.append(found->second);
      } else if (!optional) {
        out.append("${").append(name).append("}");
      }
    }
    at = close + 1;
  }
  return out.append(text.substr(std::min(at, text.size())));
}

}  // namespace piship
