// SPDX-License-Identifier: MIT
// A range is brought down to sets of comparators, one set per alternative of "||", in the way that npm's documentation
// explains its grammar:
//
//   1. White space is collapsed and build metadata dropped, since neither decides anything.
//   2. "a - b" is one word; otherwise the alternative is a list of words, where an operator may stand apart from its
//      version. Each word is an operator and a partial version in which missing numbers, "x" and "*" are open.
//   3. Open numbers turn a word into a half-open interval whose upper end is "-0", the lowest prerelease, so that
//      "<2.0.0-0" excludes the prereleases of 2.0.0 too.
//   4. A comparator that nothing can satisfy empties its alternative, and an alternative that everything satisfies
//      swallows the others (even where those name a prerelease, which is npm's behaviour).
#include "model/semver.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace piship {
namespace {

constexpr std::size_t kMaxVersionBytes = 256;
constexpr std::uint64_t kMaxNumber = 9007199254740991;  // the largest integer that JavaScript holds exactly

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsIdentifierCharacter(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}
bool IsNumeric(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit); }

// Numbers before words; numbers by value however long they are; words by their bytes.
std::weak_ordering CompareIdentifiers(std::string_view a, std::string_view b) {
  const bool a_number = IsNumeric(a);
  const bool b_number = IsNumeric(b);
  if (a_number != b_number) return a_number ? std::weak_ordering::less : std::weak_ordering::greater;
  if (!a_number) return a.compare(b) <=> 0;
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

// One of the three numbers of a partial version: open where it is missing, "x" or "*".
struct Part {
  std::uint64_t number = 0;
  bool open = true;
  bool given = false;  // "x" is given and open
};

struct Partial {
  std::string_view prefix;  // the "v", "=" and spaces before it
  Part major;
  Part minor;
  Part patch;
  std::vector<std::string> prerelease;

  bool exact() const { return !major.open && !minor.open && !patch.open; }
  // "x.2" and "1.x.3" say nothing.
  bool contradictory() const {
    return (major.open && minor.given && !minor.open) || (minor.open && patch.given && !patch.open);
  }
};

}  // namespace

class SemverScanner {
 public:
  SemverScanner(std::string_view text, SemverGrammar grammar) : text_(text), loose_(grammar == SemverGrammar::kLoose) {}

  bool done() const { return position_ == text_.size(); }
  bool Skip(char c) {
    if (done() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  std::string_view SkipPrefix() {
    const std::size_t begin = position_;
    while (!done() && (text_[position_] == 'v' || text_[position_] == '=' || text_[position_] == ' ')) ++position_;
    return text_.substr(begin, position_ - begin);
  }
  // Nothing: not a number, a leading zero, or too large.
  std::optional<std::uint64_t> Number() {
    const std::size_t begin = position_;
    std::uint64_t value = 0;
    for (; !done() && IsDigit(text_[position_]); ++position_) {
      if (value > kMaxNumber) return std::nullopt;
      value = value * 10 + static_cast<std::uint64_t>(text_[position_] - '0');
    }
    const std::size_t digits = position_ - begin;
    if (digits == 0 || value > kMaxNumber || (!loose_ && digits > 1 && text_[begin] == '0')) return std::nullopt;
    return value;
  }
  // "-rc.1", or without the hyphen in loose text. False: there is something, and it is no prerelease.
  bool Prerelease(std::vector<std::string>& out) {
    if (done() || text_[position_] == '+') return true;
    if (!Skip('-') && !loose_) return false;
    return Identifiers(out, !loose_);
  }
  bool Identifiers(std::vector<std::string>& out, bool refuse_leading_zero) {
    do {
      const std::size_t begin = position_;
      while (!done() && IsIdentifierCharacter(text_[position_])) ++position_;
      const std::string_view identifier = text_.substr(begin, position_ - begin);
      if (identifier.empty()) return false;
      if (refuse_leading_zero && identifier.size() > 1 && identifier[0] == '0' && IsNumeric(identifier)) return false;
      out.emplace_back(identifier);
    } while (Skip('.'));
    return true;
  }
  bool FullVersion(Version& out) {
    std::uint64_t* const numbers[] = {&out.major_, &out.minor_, &out.patch_};
    for (std::uint64_t* number : numbers) {
      if (number != numbers[0] && !Skip('.')) return false;
      const auto value = Number();
      if (!value) return false;
      *number = *value;
    }
    if (!Prerelease(out.prerelease_)) return false;
    if (Skip('+')) {
      const std::size_t begin = position_;
      std::vector<std::string> identifiers;
      if (!Identifiers(identifiers, false)) return false;
      out.build_ = std::string(text_.substr(begin, position_ - begin));
    }
    return done();
  }
  std::optional<Part> PartialNumber() {
    if (Skip('x') || Skip('X') || Skip('*')) return Part{0, true, true};
    const auto number = Number();
    if (!number) return std::nullopt;
    return Part{*number, false, true};
  }
  // The whole text must be one.
  std::optional<Partial> PartialVersion() {
    Partial partial;
    partial.prefix = SkipPrefix();
    Part* const parts[] = {&partial.major, &partial.minor, &partial.patch};
    for (Part* part : parts) {
      if (part != parts[0] && !Skip('.')) return done() ? std::optional(partial) : std::nullopt;
      const auto value = PartialNumber();
      if (!value) return std::nullopt;
      *part = *value;
    }
    if (!Prerelease(partial.prerelease) || !done()) return std::nullopt;
    return partial;
  }
  static Version Make(std::uint64_t major, std::uint64_t minor, std::uint64_t patch,
                      std::vector<std::string> prerelease) {
    Version version(major, minor, patch);
    version.prerelease_ = std::move(prerelease);
    return version;
  }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  bool loose_;
};

namespace {

using Operator = Comparator::Operator;
using Set = std::vector<Comparator>;

// Turns one alternative of a range into comparators.
class AlternativeParser {
 public:
  AlternativeParser(SemverGrammar grammar, Prereleases prereleases)
      : grammar_(grammar), all_(prereleases == Prereleases::kAll) {}

  // Nothing: the text is not an alternative (strict), or has not one meaningful word (loose).
  std::optional<Set> Parse(std::string_view text) {
    if (!Hyphen(text) && !Words(text)) return std::nullopt;
    if (words_ == 0) return std::nullopt;
    if (impossible_) return Set{Impossible()};
    return std::move(set_);
  }
  static Comparator Impossible() { return {Operator::kLess, SemverScanner::Make(0, 0, 0, {"0"})}; }

 private:
  std::vector<std::string> Lowest() const { return all_ ? std::vector<std::string>{"0"} : std::vector<std::string>{}; }

  void Add(Operator op, std::uint64_t major, std::uint64_t minor, std::uint64_t patch,
           std::vector<std::string> prerelease) {
    // At or above the lowest version of all: holds always.
    const bool zero = op == Operator::kGreaterOrEqual && major == 0 && minor == 0 && patch == 0;
    if (zero && prerelease == Lowest()) return;
    set_.push_back({op, SemverScanner::Make(major, minor, patch, std::move(prerelease))});
  }
  void AtLeast(const Partial& from) {
    Add(Operator::kGreaterOrEqual, from.major.number, from.minor.number, from.patch.number, Lowest());
  }
  void Below(std::uint64_t major, std::uint64_t minor, std::uint64_t patch) {
    Add(Operator::kLess, major, minor, patch, {"0"});
  }

  // "v" may stand before a full version, "=" and spaces only in loose text. Operators may not.
  bool PrefixAllowed(std::string_view prefix) const {
    return grammar_ == SemverGrammar::kLoose || prefix.empty() || prefix == "v";
  }

  bool Hyphen(std::string_view text) {
    const std::size_t at = text.find(" - ");
    if (at == std::string_view::npos) return false;
    const auto from = SemverScanner(text.substr(0, at), grammar_).PartialVersion();
    const auto to = SemverScanner(text.substr(at + 3), grammar_).PartialVersion();
    if (!from || !to) return false;
    const bool to_plain = to->exact() && to->prerelease.empty() && !all_;
    if ((from->exact() && !PrefixAllowed(from->prefix)) || (to_plain && !PrefixAllowed(to->prefix))) return false;
    ++words_;
    if (from->exact()) {
      auto prerelease = from->prerelease.empty() ? Lowest() : from->prerelease;
      Add(Operator::kGreaterOrEqual, from->major.number, from->minor.number, from->patch.number, std::move(prerelease));
    } else if (!from->major.open) {
      AtLeast({{}, from->major, from->minor.open ? Part{} : from->minor, Part{}, {}});
    }
    HyphenEnd(*to);
    return true;
  }
  void HyphenEnd(const Partial& to) {
    if (to.major.open) return;
    if (to.minor.open) return Below(to.major.number + 1, 0, 0);
    if (to.patch.open) return Below(to.major.number, to.minor.number + 1, 0);
    if (to.prerelease.empty() && all_) return Below(to.major.number, to.minor.number, to.patch.number + 1);
    Add(Operator::kLessOrEqual, to.major.number, to.minor.number, to.patch.number, to.prerelease);
  }

  bool Words(std::string_view text) {
    if (text.empty()) {
      ++words_;
      return true;
    }
    while (!text.empty()) {
      const std::string_view op = TakeOperator(text);
      const std::size_t length = WordLength(text);
      if (Word(op, text.substr(0, length))) {
        ++words_;
      } else if (grammar_ == SemverGrammar::kStrict) {
        return false;
      }
      text.remove_prefix(length);
      if (!text.empty()) text.remove_prefix(1);
    }
    return true;
  }
  // The operator with the spaces after it taken off `text`.
  static std::string_view TakeOperator(std::string_view& text) {
    static constexpr std::string_view kOperators[] = {"^", "~>", "~", ">=", "<=", ">", "<", "="};
    for (const std::string_view op : kOperators) {
      if (!text.starts_with(op)) continue;
      text.remove_prefix(op.size());
      text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
      return op;
    }
    return {};
  }
  // To the next space, but a "v" or "=" that stands apart belongs to what follows it.
  static std::size_t WordLength(std::string_view text) {
    const std::size_t prefix = std::min(text.find_first_not_of("v= "), text.size());
    return std::min(text.find(' ', prefix), text.size());
  }

  bool Word(std::string_view op, std::string_view text) {
    const auto partial = SemverScanner(text, grammar_).PartialVersion();
    if (!partial) return false;
    if (op == "^") return Caret(*partial);
    if (op == "~" || op == "~>") return Tilde(*partial);
    if (partial->exact()) return Exact(op, *partial);
    return Open(op, *partial);
  }

  // Up to the next version that may break: the leftmost number that is not zero stays.
  bool Caret(const Partial& p) {
    if (p.major.open) return true;
    if (p.minor.open) {
      AtLeast({{}, p.major, {}, {}, {}});
      Below(p.major.number + 1, 0, 0);
      return true;
    }
    if (p.patch.open) {
      AtLeast({{}, p.major, p.minor, {}, {}});
    } else {
      Add(Operator::kGreaterOrEqual, p.major.number, p.minor.number, p.patch.number, p.prerelease);
    }
    if (p.major.number > 0) {
      Below(p.major.number + 1, 0, 0);
    } else if (p.minor.number > 0 || p.patch.open) {
      Below(0, p.minor.number + 1, 0);
    } else {
      Below(0, 0, p.patch.number + 1);
    }
    return true;
  }

  // Up to the next minor version, or the next major one where no minor is given.
  bool Tilde(const Partial& p) {
    if (p.major.open) return true;
    if (p.minor.open) {
      AtLeast({{}, p.major, {}, {}, {}});
      Below(p.major.number + 1, 0, 0);
      return true;
    }
    if (p.patch.open) {
      AtLeast({{}, p.major, p.minor, {}, {}});
    } else {
      Add(Operator::kGreaterOrEqual, p.major.number, p.minor.number, p.patch.number, p.prerelease);
    }
    Below(p.major.number, p.minor.number + 1, 0);
    return true;
  }

  bool Exact(std::string_view op, const Partial& p) {
    if (!PrefixAllowed(p.prefix)) return false;
    const Operator o = op == ">="   ? Operator::kGreaterOrEqual
                       : op == "<=" ? Operator::kLessOrEqual
                       : op == ">"  ? Operator::kGreater
                       : op == "<"  ? Operator::kLess
                                    : Operator::kEqual;
    const bool zero = p.major.number == 0 && p.minor.number == 0 && p.patch.number == 0;
    if (o == Operator::kLess && zero && p.prerelease == std::vector<std::string>{"0"}) {
      impossible_ = true;
      return true;
    }
    Add(o, p.major.number, p.minor.number, p.patch.number, p.prerelease);
    return true;
  }

  bool Open(std::string_view op, const Partial& p) {
    if (p.contradictory()) return false;
    if (p.major.open) {
      impossible_ = impossible_ || op == ">" || op == "<";
      return true;
    }
    const std::uint64_t minor = p.minor.open ? 0 : p.minor.number;
    const std::uint64_t next_major = p.minor.open ? p.major.number + 1 : p.major.number;
    const std::uint64_t next_minor = p.minor.open ? 0 : p.minor.number + 1;
    if (op == "<") {
      if (p.major.number == 0 && minor == 0) impossible_ = true;
      Below(p.major.number, minor, 0);
    } else if (op == "<=") {
      Below(next_major, next_minor, 0);
    } else if (op == ">") {
      Add(Operator::kGreaterOrEqual, next_major, next_minor, 0, Lowest());
    } else {
      Add(Operator::kGreaterOrEqual, p.major.number, minor, 0, Lowest());
      if (op != ">=") Below(next_major, next_minor, 0);
    }
    return true;
  }

  SemverGrammar grammar_;
  bool all_;
  bool impossible_ = false;
  std::size_t words_ = 0;
  Set set_;
};

// White space collapsed to single spaces, none at the ends; build metadata removed.
std::string Normalize(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      if (!out.empty() && out.back() != ' ') out.push_back(' ');
    } else if (c == '+' && i + 1 < text.size() && IsIdentifierCharacter(text[i + 1])) {
      while (i + 1 < text.size() && (IsIdentifierCharacter(text[i + 1]) || (text[i + 1] == '.' && i + 2 < text.size() &&
                                                                            IsIdentifierCharacter(text[i + 2])))) {
        ++i;
      }
    } else {
      out.push_back(c);
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool IsImpossible(const Set& set) {
  const Comparator impossible = AlternativeParser::Impossible();
  return set.size() == 1 && set[0].op == impossible.op && set[0].version == impossible.version;
}

bool Holds(const Comparator& comparator, const Version& version) {
  const auto order = version <=> comparator.version;
  switch (comparator.op) {
    case Operator::kEqual:
      return order == 0;
    case Operator::kLess:
      return order < 0;
    case Operator::kLessOrEqual:
      return order <= 0;
    case Operator::kGreater:
      return order > 0;
    case Operator::kGreaterOrEqual:
      return order >= 0;
  }
  return false;
}

}  // namespace

Result<Version> Version::Parse(std::string_view text, SemverGrammar grammar) {
  Version version;
  std::string_view rest = text;
  bool ok = text.size() <= kMaxVersionBytes;
  if (ok && grammar == SemverGrammar::kLoose) {
    rest.remove_prefix(std::min(rest.find_first_not_of("v= \t"), rest.size()));
    while (rest.ends_with(' ')) rest.remove_suffix(1);
  }
  ok = ok && SemverScanner(rest, grammar).FullVersion(version);
  if (!ok) {
    return Fail(ErrorCode::kVersionInvalid, "'" + Printable(text) + "' is not a version",
                "write it as major.minor.patch, for example 1.2.3 or 1.2.3-rc.1");
  }
  return version;
}

std::string Version::str() const {
  std::string text = std::to_string(major_) + "." + std::to_string(minor_) + "." + std::to_string(patch_);
  char separator = '-';
  for (const std::string& identifier : prerelease_) {
    text += separator;
    text += identifier;
    separator = '.';
  }
  if (!build_.empty()) text += "+" + build_;
  return text;
}

std::weak_ordering Version::operator<=>(const Version& other) const {
  if (const auto order = major_ <=> other.major_; order != 0) return order;
  if (const auto order = minor_ <=> other.minor_; order != 0) return order;
  if (const auto order = patch_ <=> other.patch_; order != 0) return order;
  // A version is greater than its prereleases; among those, the one that goes on is the greater.
  if (prerelease_.empty() != other.prerelease_.empty()) {
    return prerelease_.empty() ? std::weak_ordering::greater : std::weak_ordering::less;
  }
  const std::size_t common = std::min(prerelease_.size(), other.prerelease_.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (const auto order = CompareIdentifiers(prerelease_[i], other.prerelease_[i]); order != 0) return order;
  }
  return prerelease_.size() <=> other.prerelease_.size();
}

Result<VersionRange> VersionRange::Parse(std::string_view text, SemverGrammar grammar, Prereleases prereleases) {
  VersionRange range;
  range.text_ = std::string(text);
  range.prereleases_ = prereleases;
  const auto invalid = [&] {
    return Fail(ErrorCode::kVersionInvalid, "'" + Printable(text) + "' is not a version range",
                "examples of ranges: >=20.6, ^1.2.3, ~1.2, 1.x || 2.x");
  };
  const std::string normal = Normalize(text);
  std::string_view rest = normal;
  for (bool more = true; more;) {
    const std::size_t at = rest.find("||");
    more = at != std::string_view::npos;
    const std::string_view alternative = Trim(rest.substr(0, at));
    if (more) rest.remove_prefix(at + 2);
    auto set = AlternativeParser(grammar, prereleases).Parse(alternative);
    if (set) {
      range.sets_.push_back(*std::move(set));
    } else if (grammar == SemverGrammar::kStrict) {
      return invalid();
    }
  }
  if (range.sets_.empty()) return invalid();
  if (std::any_of(range.sets_.begin(), range.sets_.end(), [](const Set& set) { return set.empty(); })) {
    range.sets_ = {Set{}};
    return range;
  }
  if (std::any_of(range.sets_.begin(), range.sets_.end(), [](const Set& set) { return !IsImpossible(set); })) {
    std::erase_if(range.sets_, IsImpossible);
  } else {
    range.sets_.resize(1);
  }
  return range;
}

bool VersionRange::Contains(const Version& version) const {
  return std::any_of(sets_.begin(), sets_.end(), [&](const Set& set) {
    if (!std::all_of(set.begin(), set.end(), [&](const Comparator& c) { return Holds(c, version); })) return false;
    if (version.prerelease().empty() || prereleases_ == Prereleases::kAll) return true;
    return std::any_of(set.begin(), set.end(), [&](const Comparator& c) {
      return !c.version.prerelease().empty() && c.version.major() == version.major() &&
             c.version.minor() == version.minor() && c.version.patch() == version.patch();
    });
  });
}

}  // namespace piship
