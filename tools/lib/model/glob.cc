// SPDX-License-Identifier: MIT
#include "model/glob.h"

#include <algorithm>

namespace piship {
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

Result<GlobSet> GlobSet::Parse(const std::vector<std::string>& patterns) {
  GlobSet set;
  for (const std::string& pattern : patterns) {
    PISHIP_TRY(Glob glob, Glob::Parse(pattern));
    set.globs_.emplace_back(std::move(glob), false);
  }
  return set;
}

bool GlobSet::Matches(std::string_view path) {
  bool matches = false;
  for (auto& [glob, used] : globs_) {
    if (!glob.Matches(path)) continue;
    used = true;
    matches = true;
  }
  return matches;
}

Status GlobSet::CheckUsed(const std::string& input) const {
  std::vector<std::string> problems;
  for (const auto& [glob, used] : globs_) {
    if (!used) problems.push_back("the pattern '" + glob.text() + "' matches no file");
  }
  if (problems.empty()) return {};
  Error error;
  error.code = ErrorCode::kUsage;
  error.hint = "patterns are matched against whole paths, as node_modules/typescript/**";
  if (problems.size() == 1) {
    error.message = problems.front() + " of '" + input + "'";
  } else {
    error.message = std::to_string(problems.size()) + " patterns match no file of '" + input + "'";
    error.problems = std::move(problems);
  }
  return Fail(std::move(error));
}

}  // namespace piship
