// SPDX-License-Identifier: MIT
// The way from a trusted root to the top-level targets. Names that begin with T and digits are cases of attacks on
// channels; what is refused leaves what was trusted as it was.
#include "unit/tuf/client_fixture.h"

namespace piship {
namespace {

using testing::ElementsAre;

TEST_F(TufClient, FetchesEachRoleOnceAndThenOnlyWhatMayHaveChanged) {
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_THAT(repository_.requests, ElementsAre("2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json"));
  for (const std::string role : {"root", "timestamp", "snapshot", "targets"}) {
    EXPECT_EQ(Stored(role), repository_.FileOf(role)) << role;
  }
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_THAT(repository_.requests, ElementsAre("2.root.json", "timestamp.json"));
}

TEST_F(TufClient, WithoutConsistentSnapshotsNamesHaveNoVersion) {
  repository_.consistent_snapshot = false;
  repository_.Publish({"root", "targets", "snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_THAT(repository_.requests,
              ElementsAre("2.root.json", "3.root.json", "timestamp.json", "snapshot.json", "targets.json"));
}

TEST_F(TufClient, KeepsUnknownMembersAndKeysOfUnknownTypes) {
  repository_.role("root").edit = [](const std::string& text) {
    return Replaced(text, "\"keys\": {",
                    "\"_new\":{\"a\":[1,null]},\"keys\":{\"0\":{\"keytype\":\"quantum\",\"keyval\":"
                    "{\"public\":\"?\"},\"scheme\":\"quantum\"},");
  };
  repository_.Publish({"root"});
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_EQ(Stored("root"), repository_.FileOf("root"));
}

TEST_F(TufClient, T01AWrongTrustedRootIsRefusedBeforeAnyRequest) {
  for (const auto& [what, text] : std::vector<std::pair<std::string, std::string>>{
           {"flipped", FlipOneByte(repository_.metadata.at("1.root.json"))},
           {"unsigned", Replaced(repository_.metadata.at("1.root.json"), "\"sig\": \"", "\"sig\": \"00")},
           {"empty", ""}}) {
    ASSERT_TRUE(WriteFileAtomically(directory_ + "/root.json", text));
    EXPECT_FALSE(Refresh()) << what;
    EXPECT_TRUE(repository_.requests.empty()) << what;
    EXPECT_FALSE(tuf::TrustedDirectory(temp_ / "other").Begin(text)) << what;
  }
  directory_ = temp_ / "none";
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kTrustMissing);
}

TEST_F(TufClient, T02ToT05OneFlippedByteStopsAtThatRole) {
  repository_.Publish({"root"});
  const std::vector<std::string> order = {"root", "timestamp", "snapshot", "targets"};
  for (std::size_t bad = 0; bad < order.size(); ++bad) {
    Trust();
    std::string& file = repository_.FileOf(order[bad]);
    const std::string good = file;
    file = FlipOneByte(file);
    PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kSignatureInvalid);
    file = good;
    // Behind the root lies one more request, for the version that is not there.
    EXPECT_EQ(repository_.requests.size(), bad == 0 ? 1 : bad + 2) << order[bad];
    for (std::size_t role = 1; role < order.size(); ++role) {
      EXPECT_EQ(Stored(order[role]).empty(), role >= bad) << order[bad] << " " << order[role];
    }
  }
}

TEST_F(TufClient, T07AFileOfAnotherRoleIsRefused) {
  repository_.metadata["timestamp.json"] = repository_.FileOf("snapshot");
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kMetadataInvalid);
  EXPECT_EQ(Stored("timestamp"), "");
}

TEST_F(TufClient, T10AnOlderTimestampIsRefused) {
  const std::string old = repository_.FileOf("timestamp");
  repository_.Publish({"timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  repository_.metadata["timestamp.json"] = old;
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kRollback);
  EXPECT_EQ(StoredVersion("timestamp"), 2);
  EXPECT_EQ(repository_.requests.back(), "timestamp.json");
}

TEST_F(TufClient, T11ATimestampThatLeadsBackToAnOlderSnapshotIsRefused) {
  for (const bool digests : {false, true}) {
    repository_.list_digests = digests;
    Trust();
    repository_.Publish({"snapshot", "timestamp"});
    PISHIP_ASSERT_OK(Refresh());
    const std::int64_t good = StoredVersion("timestamp");
    repository_.role("snapshot").version -= 1;
    repository_.Publish({"timestamp"});
    PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kRollback);
    EXPECT_EQ(StoredVersion("timestamp"), good);
    EXPECT_EQ(StoredVersion("snapshot"), repository_.role("snapshot").version + 1);
  }
}

TEST_F(TufClient, T11ASnapshotThatLeadsBackToOlderTargetsIsRefused) {
  for (const bool digests : {false, true}) {
    repository_.list_digests = digests;
    Trust();
    repository_.Publish({"targets", "snapshot", "timestamp"});
    PISHIP_ASSERT_OK(Refresh());
    const std::int64_t good = StoredVersion("snapshot");
    repository_.role("targets").version -= 2;
    repository_.Publish({"targets", "snapshot", "timestamp"});
    PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kRollback);
    EXPECT_EQ(StoredVersion("snapshot"), good);
  }
}

TEST_F(TufClient, T12AVersionOtherThanTheListedOneIsRefused) {
  for (const std::string role : {"snapshot", "targets"}) {
    for (const std::int64_t difference : {-1, 1}) {
      Trust();
      repository_.Publish({"targets", "snapshot", "timestamp"});
      const std::string listed = repository_.NameOf(role, repository_.role(role).version);
      TufRepository::Role saved = repository_.role(role);
      repository_.role(role).version += difference;
      repository_.PublishAgain({role});
      repository_.metadata[listed] = repository_.FileOf(role);
      repository_.role(role) = saved;
      PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kMetadataMismatch);
      EXPECT_EQ(Stored(role), "");
      repository_.listed["targets"].version = repository_.role("targets").version;
    }
  }
}

TEST_F(TufClient, T13OtherBytesUnderAKnownVersionAreRefusedWhereTheDigestIsKnown) {
  repository_.list_digests = true;
  repository_.Publish({"targets", "snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  for (const std::string role : {"targets", "snapshot"}) {
    const std::string good = Stored(role);
    repository_.role(role).expires = "2039-01-01T00:00:00Z";
    repository_.PublishAgain({role});
    if (role == "targets") repository_.Publish({"snapshot"});
    repository_.Publish({"timestamp"});
    PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kMetadataMismatch);
    EXPECT_EQ(Stored(role), good);
    repository_.role(role).expires = "2040-01-01T00:00:00Z";
    repository_.PublishAgain({role});
    repository_.Publish({"snapshot", "timestamp"});
    PISHIP_ASSERT_OK(Refresh());
  }
}

TEST_F(TufClient, T13AChangedTimestampOfTheSameVersionIsNotTakenAndReported) {
  PISHIP_ASSERT_OK(Refresh());
  const std::string good = Stored("timestamp");
  repository_.role("timestamp").expires = "2039-01-01T00:00:00Z";
  repository_.PublishAgain({"timestamp"});
  auto client = tuf::Client::Open(directory_, repository_, kNow);
  PISHIP_ASSERT_OK(client);
  PISHIP_ASSERT_OK(client->Refresh());
  EXPECT_TRUE(client->timestamp_differs());
  EXPECT_EQ(Stored("timestamp"), good);
}

TEST_F(TufClient, T14ARoleThatLeavesTheSnapshotIsARollback) {
  repository_.AddDelegation("targets", {"stable"});
  repository_.Publish({"stable", "targets", "snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  repository_.listed.erase("stable");
  repository_.Publish({"snapshot", "timestamp"});
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kRollback);
  EXPECT_EQ(StoredVersion("snapshot"), 2);
}

TEST_F(TufClient, T16ATimestampThatRanAheadRecoversWhenItsKeyIsReplaced) {
  repository_.role("timestamp").version = std::int64_t{1} << 31;
  repository_.PublishAgain({"timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  repository_.RotateKeys("timestamp");
  repository_.role("timestamp").version = 1;
  repository_.Publish({"root"});
  repository_.PublishAgain({"timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_EQ(StoredVersion("timestamp"), 1);
}

TEST_F(TufClient, T17ASnapshotThatRanAheadRecoversWhenItsKeyIsReplaced) {
  repository_.role("snapshot").version = std::int64_t{1} << 31;
  repository_.PublishAgain({"snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  repository_.RotateKeys("snapshot");
  repository_.role("snapshot").version = 1;
  repository_.PublishAgain({"snapshot"});
  repository_.Publish({"root", "timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_EQ(StoredVersion("snapshot"), 1);
}

TEST_F(TufClient, T18TargetsThatRanAheadRecoverWhenTheSnapshotKeyIsReplaced) {
  repository_.AddDelegation("targets", {"gone"});
  repository_.role("targets").version = std::int64_t{1} << 31;
  repository_.Publish({"gone"});
  repository_.PublishAgain({"targets"});
  repository_.Publish({"snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  repository_.RotateKeys("snapshot");
  repository_.role("targets").version = 1;
  repository_.delegations.clear();
  repository_.PublishAgain({"targets"});
  repository_.listed.erase("gone");
  repository_.Publish({"root", "snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_EQ(StoredVersion("targets"), 1);
}

TEST_F(TufClient, AKeyThatIsOnlyAddedDoesNotOpenTheWayBack) {
  const std::string old = repository_.FileOf("timestamp");
  repository_.Publish({"timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  auto key = tuf::SigningKey::Generate(tuf::KeyKind::kEd25519);
  PISHIP_ASSERT_OK(key);
  repository_.role("timestamp").keys.push_back(*key);
  repository_.Publish({"root"});
  repository_.metadata["timestamp.json"] = old;
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kRollback);
  EXPECT_EQ(StoredVersion("timestamp"), 2);
}

TEST_F(TufClient, T19ToT22ExpiredMetadataIsRefusedByName) {
  PISHIP_ASSERT_OK(Refresh());
  for (const std::string role : {"targets", "snapshot", "timestamp", "root"}) {
    repository_.role(role).expires = "2027-01-15T08:00:00Z";  // kNow: not a second longer
    repository_.Publish({"root", "targets", "snapshot", "timestamp"});
    const std::int64_t before = StoredVersion(role);
    const Status status = Refresh();
    PISHIP_EXPECT_ERROR(status, ErrorCode::kExpired);
    EXPECT_NE(status.error().message.find("the " + role + " metadata"), std::string::npos) << status.error().message;
    // The root itself goes on; the others stay.
    EXPECT_EQ(StoredVersion(role), role == "root" ? repository_.role("root").version : before);
    repository_.role(role).expires = "2040-01-01T00:00:00Z";
  }
}

TEST_F(TufClient, AnExpiredRootInTheMiddleOfTheChainDoesNotMatter) {
  repository_.role("root").expires = "2020-01-01T00:00:00Z";
  repository_.Publish({"root", "root"});
  repository_.role("root").expires = "2040-01-01T00:00:00Z";
  repository_.Publish({"root"});
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_EQ(StoredVersion("root"), 4);
}

TEST_F(TufClient, T23StoredMetadataThatHasExpiredIsReplacedByFresh) {
  for (const std::string role : {"timestamp", "snapshot", "targets"})
    repository_.role(role).expires = "2027-02-01T00:00:00Z";
  repository_.Publish({"targets", "snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Refresh());
  for (const std::string role : {"timestamp", "snapshot", "targets"})
    repository_.role(role).expires = "2028-02-01T00:00:00Z";
  repository_.Publish({"targets", "snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Refresh(kNow + 100 * kDay));
  EXPECT_EQ(StoredVersion("targets"), 3);
}

TEST_F(TufClient, T24TheClockIsWhatTheCallerReadOnce) {
  PISHIP_ASSERT_OK(Refresh(0));                   // 1970
  PISHIP_ASSERT_OK(Refresh(kNow - 3650 * kDay));  // ten years back
  PISHIP_ASSERT_OK(Refresh(2'200'000'000));       // 2039, beyond 31 bits
  PISHIP_EXPECT_ERROR(Refresh(2'300'000'000), ErrorCode::kExpired);
}

TEST_F(TufClient, T28ALongChainOfRootsIsWalkedAndAHoleEndsIt) {
  for (int version = 2; version <= 200; ++version) {
    if (version % 50 == 0) {
      const auto old = repository_.role("root").keys;
      repository_.RotateKeys("root");
      auto both = old;
      both.push_back(repository_.role("root").keys[0]);
      repository_.role("root").signers = both;
    } else {
      repository_.role("root").signers.reset();
    }
    repository_.Publish({"root"});
  }
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_EQ(StoredVersion("root"), 200);
  Trust();
  repository_.metadata.erase("60.root.json");
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_EQ(StoredVersion("root"), 59);
  Trust();
  limits_.new_roots = 10;
  PISHIP_ASSERT_OK(Refresh());
  EXPECT_EQ(StoredVersion("root"), 11);
  Trust();
  repository_.metadata["2.root.json"] = repository_.metadata.at("3.root.json");
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kRollback);
}

TEST_F(TufClient, T28ARootWithoutUsableKeysIsRefused) {
  repository_.role("root").signers = repository_.role("root").keys;
  repository_.role("root").keys.clear();
  repository_.Publish({"root"});
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kSignatureInvalid);
  EXPECT_EQ(StoredVersion("root"), 1);
}

TEST_F(TufClient, T29AStolenTimestampKeySignsNoSnapshot) {
  repository_.role("snapshot").signers = repository_.role("timestamp").keys;
  repository_.Publish({"snapshot", "timestamp"});
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kSignatureInvalid);
  EXPECT_EQ(Stored("snapshot"), "");
}

TEST_F(TufClient, T30EndlessFilesStopAtTheirLimit) {
  repository_.metadata["2.root.json"] = std::string(limits_.root_bytes + 1, ' ');
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kLimitExceeded);
  repository_.metadata.erase("2.root.json");
  const std::string good = repository_.metadata["timestamp.json"];
  repository_.metadata["timestamp.json"] = std::string(limits_.timestamp_bytes + 1, ' ');
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kLimitExceeded);
  repository_.metadata["timestamp.json"] = good;
  // Where the length is signed, that is the limit.
  repository_.list_digests = true;
  repository_.Publish({"snapshot", "timestamp"});
  repository_.FileOf("snapshot") += " ";
  PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kLimitExceeded);
}

TEST_F(TufClient, AMissingRoleIsNamed) {
  repository_.metadata.erase("1.snapshot.json");
  const Status status = Refresh();
  PISHIP_EXPECT_ERROR(status, ErrorCode::kMetadataMissing);
  EXPECT_NE(status.error().message.find("1.snapshot.json"), std::string::npos);
}

TEST_F(TufClient, T40AnotherProcessesNewerTimestampStays) {
  const tuf::TrustedDirectory directory(directory_);
  repository_.Publish({"timestamp"});
  const std::string newer = repository_.FileOf("timestamp");
  PISHIP_ASSERT_OK(directory.Save("timestamp", newer, 2));
  PISHIP_EXPECT_ERROR(directory.Save("timestamp", "{}", 1), ErrorCode::kRollback);
  EXPECT_EQ(Stored("timestamp"), newer);
  // Targets follow the snapshot, which may lead back after its keys were replaced.
  repository_.Publish({"targets"});
  PISHIP_ASSERT_OK(directory.Save("targets", repository_.FileOf("targets"), 2));
  PISHIP_ASSERT_OK(directory.Save("targets", repository_.metadata.at("1.targets.json"), 1));
}

TEST_F(TufClient, ATrustThatHasBegunNeverGoesBack) {
  repository_.Publish({"root"});
  PISHIP_ASSERT_OK(Refresh());
  tuf::TrustedDirectory directory(directory_);
  PISHIP_ASSERT_OK(directory.Begin(repository_.metadata.at("1.root.json")));
  EXPECT_EQ(StoredVersion("root"), 2);
  TufRepository other;
  other.Publish({"root", "root"});
  PISHIP_EXPECT_ERROR(directory.Begin(other.metadata.at("3.root.json")), ErrorCode::kSignatureInvalid);
  EXPECT_EQ(StoredVersion("root"), 2);
}

}  // namespace
}  // namespace piship
