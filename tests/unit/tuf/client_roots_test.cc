// SPDX-License-Identifier: MIT
// From root to root, with the thresholds of both. Keys go by number.
#include "unit/tuf/client_fixture.h"

namespace piship {
namespace {

struct Step {
  std::vector<std::size_t> keys;
  std::int64_t threshold;
  std::vector<std::size_t> signers;
};

struct Chain {
  std::string name;
  std::vector<Step> steps;  // from version 1 on
  bool good;                // whether the last one is taken
};

const std::vector<std::size_t> kFive = {0, 1, 2, 3, 4};
const std::vector<std::size_t> kOtherFive = {0, 1, 3, 4, 5};

const std::vector<Chain> kChains = {
    {"one key replaced", {{{1}, 1, {1}}, {{2}, 1, {2, 1}}, {{2}, 1, {2}}}, true},
    {"signatures of others", {{{1}, 1, {3, 1, 4}}, {{2}, 1, {3, 2, 1, 4}}, {{2}, 1, {3, 2, 4}}}, true},
    {"any three of five",
     {{kFive, 3, {0, 2, 4}}, {kFive, 3, {0, 4, 1}}, {kFive, 3, {0, 1, 3}}, {kFive, 3, {1, 2, 3}}},
     true},
    {"one of five replaced", {{kFive, 3, {0, 2, 4}}, {kOtherFive, 3, {0, 4, 1}}}, true},
    {"all five replaced",
     {{kFive, 3, {0, 2, 4}}, {{5, 6, 7, 8, 9}, 3, {0, 2, 4, 5, 6, 7}}, {{5, 6, 7, 8, 9}, 3, {5, 6, 7}}},
     true},
    {"a higher threshold", {{{1, 2, 3}, 1, {1}}, {{1, 2, 3}, 2, {1, 2}}}, true},
    {"a lower threshold", {{{1, 2, 3}, 2, {1, 2}}, {{1, 2, 3}, 1, {1, 2}}, {{1, 2, 3}, 1, {1}}}, true},
    {"T27 by new keys only", {{{1}, 1, {1}}, {{2}, 1, {2, 3, 4}}}, false},
    {"T27 by old keys only", {{{1}, 1, {1}}, {{2}, 1, {1, 3, 4}}}, false},
    {"T27 new threshold missed", {{kFive, 3, {0, 2, 4}}, {kOtherFive, 3, {0, 2, 4}}}, false},
    {"T27 old threshold missed", {{kFive, 3, {0, 2, 4}}, {kOtherFive, 3, {0, 4, 5}}}, false},
    {"T27 higher threshold missed", {{{1, 2, 3}, 1, {1}}, {{1, 2, 3}, 2, {2}}}, false},
    {"T27 lower threshold, old one missed", {{{1, 2, 3}, 2, {1, 2}}, {{1, 2, 3}, 1, {1}}}, false},
    {"T27 both missed", {{{1, 2}, 2, {1, 2}}, {{3, 4}, 2, {1, 3}}}, false},
};

TEST_F(TufClient, T27RootsFollowOneAnotherByTheThresholdsOfBoth) {
  std::vector<tuf::SigningKey> keys;
  for (int key = 0; key < 10; ++key) {
    auto made = tuf::SigningKey::Generate(tuf::KeyKind::kEd25519);
    PISHIP_ASSERT_OK(made);
    keys.push_back(*std::move(made));
  }
  const auto pick = [&](const std::vector<std::size_t>& numbers) {
    std::vector<tuf::SigningKey> picked;
    for (const std::size_t number : numbers) picked.push_back(keys[number]);
    return picked;
  };
  for (const Chain& chain : kChains) {
    TufRepository repository;
    repository.role("root").version = 0;
    for (const Step& step : chain.steps) {
      repository.role("root").keys = pick(step.keys);
      repository.role("root").signers = pick(step.signers);
      repository.role("root").threshold = step.threshold;
      repository.Publish({"root"});
    }
    std::swap(repository_, repository);
    Trust();
    EXPECT_EQ(Refresh().has_value(), chain.good) << chain.name;
    EXPECT_EQ(StoredVersion("root"), static_cast<std::int64_t>(chain.steps.size()) - (chain.good ? 0 : 1))
        << chain.name;
  }
}

TEST_F(TufClient, OtherRolesFollowTheKeysOfTheNewestRoot) {
  for (const std::string role : {"timestamp", "snapshot", "targets"}) {
    PISHIP_ASSERT_OK(Refresh());
    repository_.RotateKeys(role, 3);
    repository_.role(role).threshold = 2;
    repository_.Publish({"root"});
    PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kSignatureInvalid);  // what is published has the old key's signature
    auto signers = repository_.role(role).keys;
    signers.pop_back();
    repository_.role(role).signers = signers;
    repository_.Publish({"targets", "snapshot", "timestamp"});
    PISHIP_ASSERT_OK(Refresh());
    EXPECT_EQ(Stored(role), repository_.FileOf(role)) << role;
  }
}

// Whoever makes a repository may name any key in its root, and call his own by any id.
TEST(RootSignedBy, AKeyThatHasNotSignedProvesNothing) {
  TufRepository honest;
  const tuf::SigningKey key = honest.role("root").keys.at(0);
  const Digest id = *Digest::Parse(key.public_key().id);
  PISHIP_ASSERT_OK(tuf::CheckSignedBy(honest.metadata.at("1.root.json"), id, "root.json"));
  PISHIP_EXPECT_ERROR(tuf::CheckSignedBy("{}", id, "root.json"), ErrorCode::kMetadataInvalid);

  TufRepository thief;
  const tuf::SigningKey own = thief.role("root").keys.at(0);
  thief.role("root").keys = {key, own};
  thief.role("root").signers = {own};
  thief.PublishAgain({"root"});
  const std::string listed = thief.FileOf("root");
  PISHIP_ASSERT_OK(tuf::ParseFirstRoot(listed, "root.json"));
  PISHIP_ASSERT_OK(tuf::CheckSignedBy(listed, *Digest::Parse(own.public_key().id), "root.json"));
  PISHIP_EXPECT_ERROR(tuf::CheckSignedBy(listed, id, "root.json"), ErrorCode::kSignatureInvalid);

  const auto rename = [&](std::string text) {
    for (std::size_t at = text.find(own.public_key().id); at != std::string::npos;
         at = text.find(own.public_key().id)) {
      text.replace(at, own.public_key().id.size(), key.public_key().id);
    }
    return text;
  };
  thief.role("root").keys = {own};
  thief.role("root").edit = rename;
  thief.PublishAgain({"root"});
  const std::string renamed = rename(thief.FileOf("root"));
  PISHIP_ASSERT_OK(tuf::ParseFirstRoot(renamed, "root.json"));
  PISHIP_EXPECT_ERROR(tuf::CheckSignedBy(renamed, id, "root.json"), ErrorCode::kSignatureInvalid);
}

}  // namespace
}  // namespace piship
