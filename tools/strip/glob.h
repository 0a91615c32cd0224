// SPDX-License-Identifier: MIT
// The patterns of --keep: '*' stands for any characters within a component, a component '**' for any number of
// components, also none. Every other character stands for itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship::strip {

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

}  // namespace piship::strip
