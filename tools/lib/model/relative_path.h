// SPDX-License-Identifier: MIT
// A path that a payload may hold: every one comes from somewhere hostile until it has passed this parser.
//
// Components are separated by single slashes; none is empty, "." or ".."; no backslash, colon, control character or
// other character that Windows refuses; no component ends in a dot or a space or is a device name there; valid UTF-8
// without bidirectional controls; a component has at most 255 bytes, a path 4,095, and at most 128 components. So a
// path means the same file on every system, and joining it to a directory can't leave that directory.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship {

class RelativePath {
 public:
  static constexpr std::size_t kMaxBytes = 4095;
  static constexpr std::size_t kMaxComponentBytes = 255;
  static constexpr std::size_t kMaxComponents = 128;

  RelativePath() = default;  // empty: names nothing, no parser returns it
  static Result<RelativePath> Parse(std::string_view text);
  // Why `text` is not a path; null where it is one. A static string, a clause such as "contains a backslash".
  static const char* WhyNot(std::string_view text);

  const std::string& str() const { return text_; }
  std::string_view name() const;    // the last component
  std::string_view parent() const;  // without the last component; empty at the top
  // This path below `prefix`; the caller's two paths are valid, so only the lengths can be refused.
  Result<RelativePath> Below(const RelativePath& prefix) const;
  auto operator<=>(const RelativePath&) const = default;

 private:
  explicit RelativePath(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace piship
