// SPDX-License-Identifier: MIT
// The expected answers of the tables are those of npm's own semver 7.
#include "model/semver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/result_matchers.h"

namespace piship {
namespace {

Version V(std::string_view text, SemverGrammar grammar = SemverGrammar::kStrict) {
  auto version = Version::Parse(text, grammar);
  EXPECT_TRUE(version.has_value()) << text;
  return version.value_or(Version());
}

TEST(Version, PrintsWhatItParsed) {
  for (const char* text : {"0.0.0", "1.2.3", "1.2.3-rc.1", "1.2.3-0.x-y", "1.2.3+build.01", "10.20.30-a.b+c-d"}) {
    EXPECT_EQ(V(text).str(), text);
  }
}

TEST(Version, RefusesWhatIsNone) {
  for (const char* text :
       {"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.03", "1.2.3-", "1.2.3-a..b", "1.2.3-01", "1.2.3+", " 1.2.3",
        "1.2.3 ", "1.2.3beta", "1.2.-3", "9007199254740992.0.0", "99999999999999999999999.0.0", "1.2.3-\xc3\xa9"}) {
    PISHIP_EXPECT_ERROR(Version::Parse(text), ErrorCode::kVersionInvalid);
  }
  PISHIP_EXPECT_ERROR(Version::Parse("1.2.3-" + std::string(300, 'a')), ErrorCode::kVersionInvalid);
}

TEST(Version, LooseGrammarReadsOldSpellings) {
  EXPECT_EQ(V("v1.2.3", SemverGrammar::kLoose).str(), "1.2.3");
  EXPECT_EQ(V("= 01.2.3", SemverGrammar::kLoose).str(), "1.2.3");
  EXPECT_EQ(V("1.2.3beta", SemverGrammar::kLoose).str(), "1.2.3-beta");
  EXPECT_EQ(V("1.2.3-01", SemverGrammar::kLoose) <=> V("1.2.3-1"), std::weak_ordering::equivalent);
}

TEST(Version, OrdersByPrecedence) {
  const std::vector<std::string> ascending = {"0.0.0-0",      "0.0.0",         "0.9.9",
                                              "1.0.0-0",      "1.0.0-2",       "1.0.0-10",
                                              "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta",
                                              "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
                                              "1.0.0",        "1.0.1",         "1.10.0",
                                              "2.0.0"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(V(ascending[i]) <=> V(ascending[j]), std::weak_ordering(i <=> j))
          << ascending[i] << " " << ascending[j];
    }
  }
  EXPECT_EQ(V("1.0.0+a"), V("1.0.0+b")) << "build metadata does not count";
}

struct RangeCase {
  const char* range;
  std::vector<const char*> inside;
  std::vector<const char*> outside;
};

TEST(VersionRange, HoldsWhatNpmSays) {
  const std::vector<RangeCase> cases = {
      {"", {"0.0.0", "9.9.9"}, {"1.0.0-rc.1"}},
      {"*", {"1.2.3"}, {"1.2.3-rc.1"}},
      {"1.2.3", {"1.2.3", "1.2.3+x"}, {"1.2.4", "1.2.3-rc.1"}},
      {"=v1.2.3", {"1.2.3"}, {"1.2.4"}},
      {">=20.6", {"20.6.0", "24.0.0"}, {"20.5.9", "20.6.0-rc.1", "21.0.0-rc.1"}},
      {"> 1.2", {"1.3.0"}, {"1.2.9", "1.2.0"}},
      {">1", {"2.0.0"}, {"1.9.9"}},
      {"<=1.2", {"1.2.99", "0.1.0"}, {"1.3.0", "1.3.0-0"}},
      {"<1", {"0.9.9"}, {"1.0.0", "1.0.0-0"}},
      {"<0", {}, {"0.0.0", "0.0.0-0", "1.0.0"}},
      {"^1.2.3", {"1.2.3", "1.9.0"}, {"1.2.2", "2.0.0", "2.0.0-0", "1.3.0-rc.1"}},
      {"^0.2.3", {"0.2.3", "0.2.9"}, {"0.3.0", "0.2.2"}},
      {"^0.0.3", {"0.0.3"}, {"0.0.4"}},
      {"^0.0", {"0.0.0", "0.0.9"}, {"0.1.0"}},
      {"^0", {"0.9.0"}, {"1.0.0"}},
      {"^1.x", {"1.0.0", "1.5.0"}, {"2.0.0"}},
      {"^1.2.3-beta.2", {"1.2.3-beta.2", "1.2.3-rc", "1.5.0"}, {"1.2.3-beta.1", "1.2.4-beta.2"}},
      {"~1.2.3", {"1.2.3", "1.2.9"}, {"1.3.0"}},
      {"~> 1.2", {"1.2.0", "1.2.9"}, {"1.3.0"}},
      {"~1", {"1.0.0", "1.9.0"}, {"2.0.0"}},
      {"~0.0.1", {"0.0.1", "0.0.9"}, {"0.1.0"}},
      {"1.x", {"1.0.0"}, {"2.0.0", "0.9.0"}},
      {"1.2.*", {"1.2.0"}, {"1.3.0"}},
      {"1.2.3 - 2.3.4", {"1.2.3", "2.3.4"}, {"1.2.2", "2.3.5"}},
      {"1.2 - 2.3", {"1.2.0", "2.3.9"}, {"2.4.0"}},
      {"1.2.3 - 2", {"2.9.9"}, {"3.0.0"}},
      {">=1.2.7 <1.3.0", {"1.2.7", "1.2.99"}, {"1.2.6", "1.3.0"}},
      {"1.2.7 || >=1.2.9 <2.0.0", {"1.2.7", "1.2.9", "1.4.6"}, {"1.2.8", "2.0.0"}},
      {"^18 || ^20 || >=22", {"18.1.0", "20.0.0", "22.0.0", "24.1.0"}, {"19.0.0", "21.9.9"}},
      {"1.0.0||", {"5.0.0"}, {"5.0.0-rc.1"}},
      {"<0 || 1.2.3", {"1.2.3"}, {"0.0.0"}},
      {"  >=  1.2.3   <  2  ", {"1.5.0"}, {"2.0.0"}},
      {"^1.2.3+build", {"1.2.3"}, {"2.0.0"}},
  };
  for (const RangeCase& c : cases) {
    const auto range = VersionRange::Parse(c.range);
    PISHIP_ASSERT_OK(range);
    EXPECT_EQ(range->str(), c.range);
    for (const char* text : c.inside) EXPECT_TRUE(range->Contains(V(text))) << c.range << " " << text;
    for (const char* text : c.outside) EXPECT_FALSE(range->Contains(V(text))) << c.range << " " << text;
  }
}

TEST(VersionRange, RefusesWhatIsNone) {
  for (const char* text :
       {"latest", "1.2.3.4", "^", ">=", "1.2.3beta", "x.2", "1.x.3", ">=1.2.3<2.0.0", "1 -2", "==1.2.3", "||a",
        "^1.2.3-01", "99999999999999999999.0.0", "git+https://example.invalid/a.git"}) {
    PISHIP_EXPECT_ERROR(VersionRange::Parse(text), ErrorCode::kVersionInvalid);
  }
}

TEST(VersionRange, LooseGrammarIgnoresWordsThatMeanNothing) {
  const auto range = VersionRange::Parse(">=1.2.3 foo", SemverGrammar::kLoose);
  PISHIP_ASSERT_OK(range);
  EXPECT_TRUE(range->Contains(V("1.2.3")));
  EXPECT_FALSE(range->Contains(V("1.2.2")));
  EXPECT_TRUE(VersionRange::Parse(">1.2.3beta", SemverGrammar::kLoose)->Contains(V("1.2.3")));
  PISHIP_EXPECT_ERROR(VersionRange::Parse("latest", SemverGrammar::kLoose), ErrorCode::kVersionInvalid);
}

TEST(VersionRange, MayHoldAllPrereleases) {
  const auto all = VersionRange::Parse(">=20.6", SemverGrammar::kStrict, Prereleases::kAll);
  PISHIP_ASSERT_OK(all);
  EXPECT_TRUE(all->Contains(V("24.0.0-nightly")));
  EXPECT_TRUE(all->Contains(V("20.6.0-rc.1")));
  EXPECT_FALSE(all->Contains(V("20.5.0")));
  const auto hyphen = VersionRange::Parse("1.0.0 - 2.0.0", SemverGrammar::kStrict, Prereleases::kAll);
  EXPECT_TRUE(hyphen->Contains(V("1.0.0-rc.1")));
  EXPECT_FALSE(hyphen->Contains(V("2.0.1-rc.1")));
}

TEST(VersionRange, TakesRangesApart) {
  const auto range = VersionRange::Parse("^1.2.3 || >=5");
  PISHIP_ASSERT_OK(range);
  ASSERT_EQ(range->sets().size(), 2U);
  ASSERT_EQ(range->sets()[0].size(), 2U);
  EXPECT_EQ(range->sets()[0][0].op, Comparator::Operator::kGreaterOrEqual);
  EXPECT_EQ(range->sets()[0][1].op, Comparator::Operator::kLess);
  EXPECT_EQ(range->sets()[0][1].version.str(), "2.0.0-0");
  const auto any = VersionRange::Parse("1.2.3 || *");
  ASSERT_EQ(any->sets().size(), 1U);
  EXPECT_TRUE(any->sets()[0].empty());
}

TEST(VersionRange, LongTextsCostLittle) {
  std::string text = "1.0.0";
  for (int i = 0; i < 20000; ++i) text += " || >=" + std::to_string(i) + ".0.0 <" + std::to_string(i + 1) + ".0.0";
  const auto range = VersionRange::Parse(text);
  PISHIP_ASSERT_OK(range);
  EXPECT_TRUE(range->Contains(V("19999.5.0")));
  EXPECT_FALSE(range->Contains(V("20001.0.0")));
}

}  // namespace
}  // namespace piship
