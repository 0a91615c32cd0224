// SPDX-License-Identifier: MIT
#include "vendor/integrity.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

std::string DigestOf(HashAlgorithm algorithm, std::string_view bytes) {
  Hasher hasher(algorithm);
  hasher.Update(bytes);
  return hasher.Finish();
}

std::string IntegrityOf(HashAlgorithm algorithm, std::string_view bytes) {
  return FormatIntegrity(algorithm, DigestOf(algorithm, bytes));
}

TEST(Integrity, AgreesWithAKnownValue) {
  // printf abc | openssl dgst -sha512 -binary | base64
  EXPECT_EQ(IntegrityOf(HashAlgorithm::kSha512, "abc"),
            "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==");
}

TEST(Integrity, EveryAlgorithmRoundTrips) {
  for (const HashAlgorithm algorithm :
       {HashAlgorithm::kSha1, HashAlgorithm::kSha256, HashAlgorithm::kSha384, HashAlgorithm::kSha512}) {
    const std::string text = IntegrityOf(algorithm, "x");
    const auto parsed = Integrity::Parse(text);
    PISHIP_ASSERT_OK(parsed);
    EXPECT_EQ(parsed->Canonical(), text);
    EXPECT_TRUE(parsed->Matches(DigestOf(algorithm, "x")));
    EXPECT_FALSE(parsed->Matches(DigestOf(algorithm, "y")));
  }
}

TEST(Integrity, OnlyTheStrongestAlgorithmCounts) {
  const auto parsed =
      Integrity::Parse(IntegrityOf(HashAlgorithm::kSha1, "weak") + " " + IntegrityOf(HashAlgorithm::kSha512, "strong") +
                       "\n" + IntegrityOf(HashAlgorithm::kSha256, "middle"));
  PISHIP_ASSERT_OK(parsed);
  EXPECT_EQ(parsed->Canonical(), IntegrityOf(HashAlgorithm::kSha512, "strong"));
  EXPECT_FALSE(parsed->Matches(DigestOf(HashAlgorithm::kSha1, "weak")));
}

TEST(Integrity, AnyDigestOfTheStrongestMayMatch) {
  const std::string one = IntegrityOf(HashAlgorithm::kSha256, "one");
  const std::string two = IntegrityOf(HashAlgorithm::kSha256, "two");
  const auto parsed = Integrity::Parse(one + "?option " + two + " " + one);
  PISHIP_ASSERT_OK(parsed);
  EXPECT_EQ(parsed->Canonical(), one + " " + two);
  EXPECT_TRUE(parsed->Matches(DigestOf(HashAlgorithm::kSha256, "two")));
}

TEST(Integrity, UnknownAlgorithmsAreIgnoredNextToAKnownOne) {
  const std::string known = IntegrityOf(HashAlgorithm::kSha384, "x");
  const auto parsed = Integrity::Parse("blake3-AAAA " + known);
  PISHIP_ASSERT_OK(parsed);
  EXPECT_EQ(parsed->Canonical(), known);
}

TEST(Integrity, RefusesWhatCanNotBeChecked) {
  const std::string good = IntegrityOf(HashAlgorithm::kSha512, "x");
  std::string other_bits = good;  // the same digest with unused bits set
  other_bits[other_bits.size() - 3] = static_cast<char>(other_bits[other_bits.size() - 3] + 1);
  for (const std::string& text :
       {std::string(), std::string(" "), std::string("md5-AAAA"), std::string("sha512"), std::string("sha512-"),
        std::string("sha512-AAAA"), std::string("sha512-!") + good.substr(8), good.substr(0, good.size() - 1),
        good + "=", other_bits, std::string("SHA512") + good.substr(6)}) {
    PISHIP_EXPECT_ERROR(Integrity::Parse(text), ErrorCode::kLockfileInvalid);
  }
}

}  // namespace
}  // namespace piship
