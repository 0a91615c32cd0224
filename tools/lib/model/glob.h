// SPDX-License-Identifier: MIT
// Patterns of whole paths, as owners write them: '*' stands for any characters within a component, a component '**' for
// any number of components, also none. Every other character stands for itself.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace piship {

class Glob {
 public:
  // kUsage where the pattern can't match any path of an inventory.
  static Result<Glob> Parse(std::string_view pattern);
  bool Matches(std::string_view path) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> components_;
};

// Patterns that must each match something: one that matches nothing is a mistake that would show only at run time.
class GlobSet {
 public:
  static Result<GlobSet> Parse(const std::vector<std::string>& patterns);
  bool empty() const { return globs_.empty(); }
  // Asks every pattern, so that each which matches counts as used.
  bool Matches(std::string_view path);
  // kUsage with every pattern that has matched nothing; `input` is what was searched.
  Status CheckUsed(const std::string& input) const;

 private:
  std::vector<std::pair<Glob, bool>> globs_;
};

}  // namespace piship
