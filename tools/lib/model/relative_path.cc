// SPDX-License-Identifier: MIT
#include "model/relative_path.h"

#include <array>
#include <cstdint>

#include "base/utf8.h"

namespace piship {
namespace {

enum class CharacterClass : std::uint8_t { kPlain, kSlash, kBackslash, kColon, kControl, kForbidden, kHigh };

constexpr std::array<CharacterClass, 256> MakeClasses() {
  std::array<CharacterClass, 256> table{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    table[byte] = byte < 0x20 || byte == 0x7f ? CharacterClass::kControl
                  : byte >= 0x80              ? CharacterClass::kHigh
                                              : CharacterClass::kPlain;
  }
  table['/'] = CharacterClass::kSlash;
  table['\\'] = CharacterClass::kBackslash;
  table[':'] = CharacterClass::kColon;
  for (const char c : {'<', '>', '"', '|', '?', '*'}) table[static_cast<unsigned char>(c)] = CharacterClass::kForbidden;
  return table;
}
constexpr auto kClasses = MakeClasses();

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool EqualsLower(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (LowerAscii(text[index]) != lower[index]) return false;
  }
  return true;
}

// Windows resolves these with any extension, and with spaces before the extension.
bool IsDeviceName(std::string_view component) {
  std::string_view stem = component.substr(0, component.find('.'));
  while (!stem.empty() && stem.back() == ' ') stem.remove_suffix(1);
  if (stem.size() < 3 || stem.size() > 7) return false;
  for (const std::string_view name : {"con", "prn", "aux", "nul", "conin$", "conout$"}) {
    if (EqualsLower(stem, name)) return true;
  }
  const std::string_view head = stem.substr(0, 3);
  if (!EqualsLower(head, "com") && !EqualsLower(head, "lpt")) return false;
  const std::string_view digit = stem.substr(3);
  // Superscript one, two and three count as digits there.
  return (digit.size() == 1 && digit[0] >= '0' && digit[0] <= '9') || digit == "\xc2\xb9" || digit == "\xc2\xb2" ||
         digit == "\xc2\xb3";
}

const char* WhyNotComponent(std::string_view component) {
  if (component.empty()) return "has an empty component";
  if (component == "." || component == "..") return "has a '.' or '..' component";
  if (component.size() > RelativePath::kMaxComponentBytes) return "has a component of more than 255 bytes";
  if (component.back() == '.' || component.back() == ' ') return "has a component that ends in a dot or a space";
  if (IsDeviceName(component)) return "has a component that is a device name on Windows";
  return nullptr;
}

bool HasBadCharacter(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = DecodeUtf8(text);
    const bool c1_control = character.code_point >= 0x80 && character.code_point < 0xa0;
    if (!character.valid || c1_control || IsBidirectionalControl(character.code_point)) return true;
    text.remove_prefix(character.length);
  }
  return false;
}

}  // namespace

const char* RelativePath::WhyNot(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.size() > kMaxBytes) return "has more than 4,095 bytes";
  if (text.front() == '/') return "is absolute";
  std::size_t components = 1;
  std::size_t start = 0;
  bool high = false;
  for (std::size_t index = 0; index < text.size(); ++index) {
    switch (kClasses[static_cast<unsigned char>(text[index])]) {
      case CharacterClass::kPlain:
        break;
      case CharacterClass::kSlash:
        if (const char* why = WhyNotComponent(text.substr(start, index - start))) return why;
        start = index + 1;
        ++components;
        break;
      case CharacterClass::kBackslash:
        return "contains a backslash";
      case CharacterClass::kColon:
        return "contains a colon";
      case CharacterClass::kControl:
        return "contains a control character";
      case CharacterClass::kForbidden:
        return "contains a character that Windows refuses (< > \" | ? *)";
      case CharacterClass::kHigh:
        high = true;
        break;
    }
  }
  if (const char* why = WhyNotComponent(text.substr(start))) return why;
  if (components > kMaxComponents) return "has more than 128 components";
  if (high && HasBadCharacter(text)) return "is not UTF-8, or contains control or bidirectional characters";
  return nullptr;
}

Result<RelativePath> RelativePath::Parse(std::string_view text) {
  if (const char* why = WhyNot(text)) {
    return Fail(ErrorCode::kPathInvalid, "the path '" + std::string(text.substr(0, 200)) + "' " + why);
  }
  return RelativePath(std::string(text));
}

std::string_view RelativePath::name() const {
  const std::size_t slash = text_.rfind('/');
  return slash == std::string::npos ? std::string_view(text_) : std::string_view(text_).substr(slash + 1);
}

std::string_view RelativePath::parent() const {
  const std::size_t slash = text_.rfind('/');
  return slash == std::string::npos ? std::string_view() : std::string_view(text_).substr(0, slash);
}

Result<RelativePath> RelativePath::Below(const RelativePath& prefix) const { return Parse(prefix.text_ + "/" + text_); }

}  // namespace piship
