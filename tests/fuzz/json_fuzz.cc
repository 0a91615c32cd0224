// SPDX-License-Identifier: MIT
// What the parser accepts has a canonical text, and that text is a fixed point. Every value stands where its position
// says.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json.h"

using piship::json::Canonical;
using piship::json::Kind;
using piship::json::Parse;
using piship::json::Value;

namespace {

bool HasFraction(const Value& value) {
  if (value.is(Kind::kNumber)) return true;
  for (const Value& item : value.array()) {
    if (HasFraction(item)) return true;
  }
  for (const auto& member : value.object()) {
    if (HasFraction(member.value)) return true;
  }
  return false;
}

// The first character of a value of that kind.
bool MayBegin(Kind kind, char c) {
  switch (kind) {
    case Kind::kNull:
      return c == 'n';
    case Kind::kBoolean:
      return c == 't' || c == 'f';
    case Kind::kInteger:
    case Kind::kNumber:
      return c == '-' || (c >= '0' && c <= '9');
    case Kind::kString:
      return c == '"';
    case Kind::kArray:
      return c == '[';
    case Kind::kObject:
      return c == '{';
  }
  return false;
}

// Walks the values in the order of the text.
class PositionChecker {
 public:
  explicit PositionChecker(std::string_view text) : text_(text) {}
  void Check(const Value& value) {
    if (!MayBegin(value.kind(), Advance(value.position()))) std::abort();
    for (const Value& item : value.array()) Check(item);
    for (const auto& member : value.object()) {
      if (Advance(member.position) != '"') std::abort();
      Check(member.value);
    }
  }

 private:
  char Advance(piship::json::Position to) {
    while (line_ < to.line) {
      line_start_ = text_.find('\n', line_start_) + 1;
      ++line_;
    }
    const std::size_t offset = line_start_ + to.column - 1;
    if (line_ != to.line || offset < next_ || offset >= text_.size()) std::abort();
    next_ = offset + 1;
    return text_[offset];
  }
  std::string_view text_;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
  std::size_t next_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = Parse(text, "fuzz");
  if (!value) return 0;
  PositionChecker(text).Check(*value);
  if (HasFraction(*value)) return 0;
  const std::string canonical = Canonical(*value);
  const auto again = Parse(canonical, "canonical");
  if (!again || Canonical(*again) != canonical) std::abort();
  return 0;
}
