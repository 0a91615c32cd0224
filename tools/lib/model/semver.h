// SPDX-License-Identifier: MIT
// Versions (Semantic Versioning 2.0.0) and npm's version ranges (the grammar in the documentation of npm's semver:
// comparators, hyphen ranges, x-ranges, tilde, caret, "||"; prereleases match only beside a comparator with the same
// major.minor.patch that has one).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship {

// kLoose also takes what npm lets old packages get away with: "v1.2.3", "= 1.2.3", "01.2.3", "1.2.3beta"; in a range it
// ignores words that mean nothing. npm reads dependencies this way.
enum class SemverGrammar : std::uint8_t { kStrict, kLoose };

class Version {
 public:
  Version() = default;  // 0.0.0
  Version(std::uint64_t major, std::uint64_t minor, std::uint64_t patch)
      : major_(major), minor_(minor), patch_(patch) {}
  // Strict: "1.2.3", "1.2.3-rc.1", "1.2.3+build"; no leading "v", no leading zeros, at most 256 bytes.
  static Result<Version> Parse(std::string_view text, SemverGrammar grammar = SemverGrammar::kStrict);

  std::string str() const;
  std::uint64_t major() const { return major_; }
  std::uint64_t minor() const { return minor_; }
  std::uint64_t patch() const { return patch_; }
  const std::vector<std::string>& prerelease() const { return prerelease_; }
  const std::string& build() const { return build_; }
  // Precedence (section 11); build metadata does not count.
  std::weak_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return std::is_eq(*this <=> other); }

 private:
  friend class SemverScanner;
  std::uint64_t major_ = 0;
  std::uint64_t minor_ = 0;
  std::uint64_t patch_ = 0;
  std::vector<std::string> prerelease_;
  std::string build_;
};

struct Comparator {
  enum class Operator : std::uint8_t { kEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
  Operator op = Operator::kGreaterOrEqual;
  Version version;
};

// Whether a range holds prereleases that none of its comparators names. npm asks kAll for `engines` only.
enum class Prereleases : std::uint8_t { kNamed, kAll };

class VersionRange {
 public:
  static Result<VersionRange> Parse(std::string_view text, SemverGrammar grammar = SemverGrammar::kStrict,
                                    Prereleases prereleases = Prereleases::kNamed);
  bool Contains(const Version& version) const;
  const std::string& str() const { return text_; }
  // The range taken apart: one of the sets must hold, and in it every comparator. An empty set holds always.
  const std::vector<std::vector<Comparator>>& sets() const { return sets_; }

 private:
  std::string text_;
  std::vector<std::vector<Comparator>> sets_;
  Prereleases prereleases_ = Prereleases::kNamed;
};

}  // namespace piship
