// SPDX-License-Identifier: MIT
#include "strip/glob.h"

#include <algorithm>

namespace piship::strip {
namespace {

std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> components;
  for (;;) {
    const std::size_t slash = path.find('/');
    components.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return components;
    path.remove_prefix(slash + 1);
  }
}

// Whether `take(pattern part, text part)` can be extended over both sequences, where `is_star` parts take any number:
// the usual walk with one point to come back to, linear for practical patterns and never exponential.
template <class Pattern, class Text, class IsStar, class Equal>
bool Match(const Pattern& pattern, const Text& text, const IsStar& is_star, const Equal& equal) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = SIZE_MAX;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && is_star(pattern[p])) {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && equal(pattern[p], text[t])) {
      ++p;
      ++t;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && is_star(pattern[p])) ++p;
  return p == pattern.size();
}

bool MatchComponent(std::string_view pattern, std::string_view text) {
  return Match(
      pattern, text, [](char c) { return c == '*'; }, [](char a, char b) { return a == b; });
}

}  // namespace

Result<Glob> Glob::Parse(std::string_view pattern) {
  Glob glob;
  glob.text_ = pattern;
  for (const std::string_view component : Split(pattern)) {
    const char* why = nullptr;
    if (component.empty()) why = "has an empty component";
    if (component == "." || component == "..") why = "has a component '.' or '..'";
    if (component != "**" && component.find("**") != std::string_view::npos) {
      why = "has '**' beside other characters of a component";
    }
    if (why != nullptr) {
      return Fail(ErrorCode::kUsage, "the pattern '" + glob.text_ + "' " + why,
                  "patterns are relative, as node_modules/**/*.d.ts");
    }
    glob.components_.emplace_back(component);
  }
  return glob;
}

bool Glob::Matches(std::string_view path) const {
  return Match(
      components_, Split(path), [](std::string_view component) { return component == "**"; }, MatchComponent);
}

}  // namespace piship::strip
