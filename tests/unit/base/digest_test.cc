// SPDX-License-Identifier: MIT
#include "base/digest.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

// FIPS 180-4's example "abc" and the empty message.
constexpr char kAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kEmpty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Digest, IsSha256) {
  EXPECT_EQ(Digest::Of("abc").Hex(), kAbc);
  EXPECT_EQ(Digest::Of("").Hex(), kEmpty);
}

TEST(Digest, ParsesWhatItPrints) {
  const auto digest = Digest::Parse(kAbc);
  PISHIP_ASSERT_OK(digest);
  EXPECT_EQ(*digest, Digest::Of("abc"));
  EXPECT_EQ(digest->Hex(), kAbc);
}

TEST(Digest, RefusesOtherSpellings) {
  const std::string good = kAbc;
  std::string upper = good;
  upper[0] = 'B';
  for (const std::string& text : {std::string(), good.substr(1), good + "0", upper, "g" + good.substr(1),
                                  good.substr(1) + " ", good.substr(0, 63) + "\xff", "sha256-" + good}) {
    PISHIP_EXPECT_ERROR(Digest::Parse(text), ErrorCode::kDigestInvalid);
  }
}

TEST(Sha256, StartsAnewAfterFinish) {
  Sha256 hasher;
  hasher.Update("a");
  hasher.Update("bc");
  EXPECT_EQ(hasher.Finish().Hex(), kAbc);
  EXPECT_EQ(hasher.Finish().Hex(), kEmpty);
}

TEST(Hasher, KnowsTheAlgorithmsOfNpm) {
  const auto hex = [](HashAlgorithm algorithm) {
    Hasher hasher(algorithm);
    hasher.Update("ab");
    hasher.Update("c");
    return HexOf(hasher.Finish());
  };
  EXPECT_EQ(hex(HashAlgorithm::kSha1), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(HashAlgorithm::kSha256), kAbc);
  EXPECT_EQ(hex(HashAlgorithm::kSha384),
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7");
  EXPECT_EQ(hex(HashAlgorithm::kSha512),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

}  // namespace
}  // namespace piship
