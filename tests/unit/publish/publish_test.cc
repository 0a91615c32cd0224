// SPDX-License-Identifier: MIT
#include "publish/publish.h"

#include "format/seek_table.h"
#include "unit/publish/publish_fixture.h"

namespace piship::publish {
namespace {

constexpr const char* kPath = "stable/hello-1.0.0-linux-x64.tar.zst";

TEST_F(Publishing, AClientGetsWhatWasAdded) {
  PISHIP_ASSERT_OK(Init());
  PISHIP_ASSERT_OK(Trust());
  PISHIP_EXPECT_ERROR(Get(kPath), ErrorCode::kTargetUnknown);
  PISHIP_ASSERT_OK(Add("stable", "1.0.0", online_));
  const auto got = Get(kPath);
  PISHIP_ASSERT_OK(got);
  EXPECT_EQ(*got, ArchiveOf("content").Pack());
  EXPECT_FALSE(Staged());
  DirectoryFetcher fetcher(repository_);
  auto client = tuf::Client::Open(temp_ / "trust", fetcher, *tuf::ParseTime(now_));
  PISHIP_ASSERT_OK(client);
  const auto stable = client->DelegatedTargets("stable");
  PISHIP_ASSERT_OK(stable);
  const json::Value& ours = *stable->body.targets.at(kPath).custom.Find("piship");
  EXPECT_EQ(ours.Find("channel")->string(), "stable");
  EXPECT_EQ(ours.Find("platform")->string(), "linux-x64");
  EXPECT_EQ(ours.Find("inventory")->string(), Digest::Of(ArchiveOf("content").inventory_text).Hex());
  EXPECT_EQ(ours.Find("frames")->integer(), 3);
  const std::string bytes = *got;
  EXPECT_EQ(ours.Find("frame_index")->string(), Digest::Of(bytes.substr(bytes.size() - FrameIndexSize(3))).Hex());
}

TEST_F(Publishing, ASecondHistoryIsRefused) {
  PISHIP_ASSERT_OK(Init());
  keys_ = temp_ / "other keys";
  PISHIP_EXPECT_ERROR(Init(), ErrorCode::kMetadataMismatch);
  Options options = OptionsWith({});
  options.repository = temp_ / "none";
  PISHIP_EXPECT_ERROR(publish::Run("status", options), ErrorCode::kFileNotFound);
}

TEST_F(Publishing, AVersionKeepsItsContent) {
  PISHIP_ASSERT_OK(Init());
  PISHIP_ASSERT_OK(Add("stable", "1.0.0", online_));
  PISHIP_EXPECT_ERROR(Add("stable", "1.0.0", online_, "other"), ErrorCode::kVersionConflict);
  PISHIP_ASSERT_OK(Add("stable", "1.0.0", online_));
  PISHIP_EXPECT_ERROR(Add("nightly", "1.0.0", online_), ErrorCode::kTargetUnknown);
}

TEST_F(Publishing, AnArchiveThatIsNotTheReleasesIsRefused) {
  PISHIP_ASSERT_OK(Init());
  Options options = OptionsWith(online_);
  options.channel = "stable";
  options.releases = {MakeRelease("1.0.0", ArchiveOf("content"))};
  ASSERT_TRUE(WriteFileAtomically(ParentPath(options.releases[0]) + "/hello-1.0.0-linux-x64.tar.zst",
                                  ArchiveOf("contenT").Pack()));
  PISHIP_EXPECT_ERROR(publish::Run("add", options), ErrorCode::kIntegrityFailed);
  EXPECT_EQ(TimestampVersion(), 1);
}

TEST_F(Publishing, AnArchiveWithAnotherInventoryThanItsReleaseJsonSaysIsRefused) {
  PISHIP_ASSERT_OK(Init());
  Options options = OptionsWith(online_);
  options.channel = "stable";
  options.releases = {MakeRelease("1.0.0", ArchiveOf("content"))};
  const std::string text = *ReadFile(options.releases[0]);
  Release release = *Release::Parse(text, "release.json");
  release.inventory = Digest::Of("another");
  ASSERT_TRUE(WriteFileAtomically(options.releases[0], release.Text()));
  PISHIP_EXPECT_ERROR(publish::Run("add", options), ErrorCode::kIntegrityFailed);
  EXPECT_EQ(TimestampVersion(), 1);
}

TEST_F(Publishing, WithdrawsAndPromotes) {
  PISHIP_ASSERT_OK(Init());
  PISHIP_ASSERT_OK(Trust());
  PISHIP_ASSERT_OK(Add("beta", "1.0.0", {"beta", "snapshot", "timestamp"}));
  Options options = OptionsWith(online_);
  options.from = "beta";
  options.channel = "stable";
  options.id = "hello";
  options.version = "1.0.0";
  PISHIP_ASSERT_OK(publish::Run("promote", options));
  PISHIP_ASSERT_OK(Get(kPath));
  PISHIP_ASSERT_OK(publish::Run("withdraw", options));
  PISHIP_EXPECT_ERROR(Get(kPath), ErrorCode::kTargetUnknown);
  PISHIP_ASSERT_OK(Get("beta/hello-1.0.0-linux-x64.tar.zst"));
  PISHIP_EXPECT_ERROR(publish::Run("withdraw", options), ErrorCode::kTargetUnknown);
}

TEST_F(Publishing, PeopleMeetAThresholdOneByOne) {
  for (const std::string name : {"one", "two"}) {
    const auto key = tuf::SigningKey::Generate(tuf::KeyKind::kEcdsaP256);
    PISHIP_ASSERT_OK(key);
    PISHIP_ASSERT_OK(WritePrivateKey(keys_ + "/" + name + ".pem", *key->ToPem(std::nullopt)));
  }
  Options options = OptionsWith({"one", "two"});
  options.keys_directory = keys_;
  options.channels = {"stable"};
  options.role_keys = {"stable=" + keys_ + "/one.pem", "stable=" + keys_ + "/two.pem"};
  options.thresholds = {"stable=2"};
  PISHIP_ASSERT_OK(publish::Run("init", options));
  PISHIP_ASSERT_OK(Trust());
  PISHIP_ASSERT_OK(Add("stable", "1.0.0", {"one"}));
  EXPECT_TRUE(Staged());
  PISHIP_EXPECT_ERROR(Get(kPath), ErrorCode::kTargetUnknown);
  PISHIP_ASSERT_OK(Do("refresh", {"timestamp"}));  // the scheduler goes on meanwhile
  PISHIP_ASSERT_OK(Do("sign", {"two"}));
  PISHIP_EXPECT_ERROR(Get(kPath), ErrorCode::kTargetUnknown);
  PISHIP_ASSERT_OK(Do("sign", {"snapshot"}));
  PISHIP_EXPECT_ERROR(Get(kPath), ErrorCode::kTargetUnknown);
  PISHIP_ASSERT_OK(Do("refresh", {"timestamp"}));
  PISHIP_EXPECT_ERROR(Get(kPath), ErrorCode::kTargetUnknown);
  PISHIP_ASSERT_OK(Do("sign", {"timestamp"}));
  PISHIP_ASSERT_OK(Get(kPath));
  EXPECT_FALSE(Staged());
  PISHIP_ASSERT_OK(Do("sign", {}));  // nothing is left
}

TEST_F(Publishing, RefreshKeepsTheTimestampGood) {
  PISHIP_ASSERT_OK(Init());
  PISHIP_ASSERT_OK(Trust());
  PISHIP_ASSERT_OK(Add("stable", "1.0.0", online_));
  now_ = "2030-01-09T00:00:00Z";
  PISHIP_EXPECT_ERROR(Get(kPath), ErrorCode::kExpired);
  PISHIP_EXPECT_ERROR(Do("refresh", {"snapshot"}), ErrorCode::kSignatureInvalid);
  PISHIP_ASSERT_OK(Do("refresh", {"timestamp"}));
  PISHIP_ASSERT_OK(Get(kPath));
  PISHIP_ASSERT_OK(Do("status", {}));
}

TEST_F(Publishing, EveryRoleCanGetOtherKeys) {
  PISHIP_ASSERT_OK(Init());
  PISHIP_ASSERT_OK(Trust());
  PISHIP_ASSERT_OK(Add("stable", "1.0.0", online_));
  PISHIP_ASSERT_OK(Get(kPath));
  const std::vector<std::string> all = {"root", "targets", "stable", "snapshot", "timestamp"};
  for (const std::string& role : all) {
    Options options = OptionsWith(all);
    options.role = role;
    options.keys_directory = temp_ / ("new " + role);
    PISHIP_ASSERT_OK(publish::Run("rotate", options));
    EXPECT_FALSE(Staged()) << role;
    // The old key no longer signs, and the user follows.
    PISHIP_ASSERT_OK(Get(kPath));
    for (const auto& entry : std::filesystem::directory_iterator(options.keys_directory)) {
      std::filesystem::rename(entry.path(), keys_ + "/" + role + ".pem");
    }
    PISHIP_ASSERT_OK(Add("stable", "1.0." + std::to_string(role.size()), {"stable", "snapshot", "timestamp"}, role));
    EXPECT_FALSE(Staged()) << role;
    PISHIP_ASSERT_OK(Get("stable/hello-1.0." + std::to_string(role.size()) + "-linux-x64.tar.zst"));
  }
}

TEST_F(Publishing, ALostOnlineKeyIsReplacedWithoutIt) {
  PISHIP_ASSERT_OK(Init());
  PISHIP_ASSERT_OK(Trust());
  PISHIP_ASSERT_OK(Add("stable", "1.0.0", online_));
  PISHIP_ASSERT_OK(Get(kPath));
  std::filesystem::remove(keys_ + "/timestamp.pem");
  Options options = OptionsWith({"root"});
  options.role = "timestamp";
  options.keys_directory = temp_ / "new";
  PISHIP_ASSERT_OK(publish::Run("rotate", options));
  PISHIP_ASSERT_OK(Get(kPath));
}

// Something stands where a file must go: publishing stops there, as if it had been killed.
TEST_F(Publishing, AnInterruptionLeavesTheOldRepositoryAndIsFinishedByTheNextRun) {
  PISHIP_ASSERT_OK(Init());
  PISHIP_ASSERT_OK(Trust());
  PISHIP_ASSERT_OK(Add("stable", "1.0.0", online_));
  for (const std::string file : {"/metadata/3.stable.json", "/metadata/4.snapshot.json"}) {
    std::filesystem::create_directory(repository_ + file);
    const std::string added = file[10] == '3' ? "1.1.0" : "1.2.0";
    EXPECT_FALSE(Add("stable", added, online_)) << file;
    PISHIP_ASSERT_OK(Get(kPath));
    const std::string path = "stable/hello-" + added + "-linux-x64.tar.zst";
    PISHIP_EXPECT_ERROR(Get(path), ErrorCode::kTargetUnknown);
    std::filesystem::remove(repository_ + file);
    EXPECT_TRUE(Staged());
    PISHIP_ASSERT_OK(Do("sign", {}));
    PISHIP_ASSERT_OK(Get(path));
    EXPECT_FALSE(Staged());
  }
}

TEST_F(Publishing, OnlyTheTimestampMakesAChangePublic) {
  PISHIP_ASSERT_OK(Init());
  PISHIP_ASSERT_OK(Trust());
  const std::string timestamp = repository_ + "/metadata/timestamp.json";
  const std::string before = *ReadFile(timestamp);
  PISHIP_ASSERT_OK(Add("stable", "1.0.0", online_));
  // As a run leaves it that ends before its last file.
  const std::string staged = repository_ + "/staged/";
  std::filesystem::create_directory(staged);
  std::filesystem::rename(timestamp, staged + "timestamp.json");
  for (const std::string role : {"stable", "snapshot"}) {
    std::filesystem::copy(repository_ + "/metadata/2." + role + ".json", staged + role + ".json");
  }
  ASSERT_TRUE(WriteFileAtomically(timestamp, before));
  PISHIP_EXPECT_ERROR(Get(kPath), ErrorCode::kTargetUnknown);
  PISHIP_ASSERT_OK(Do("sign", {}));
  PISHIP_ASSERT_OK(Get(kPath));
  EXPECT_FALSE(Staged());
}

TEST_F(Publishing, TwoPublishersDoNotMix) {
  PISHIP_ASSERT_OK(Init());
  const auto held = Repository::Open(repository_);
  PISHIP_ASSERT_OK(held);
  PISHIP_EXPECT_ERROR(Do("refresh", {"timestamp"}), ErrorCode::kLockHeld);
}

TEST_F(Publishing, WrongOptionsAreNamed) {
  Options options = OptionsWith({});
  PISHIP_EXPECT_ERROR(publish::Run("init", options), ErrorCode::kUsage);
  options.channels = {"targets"};
  PISHIP_EXPECT_ERROR(publish::Run("init", options), ErrorCode::kUsage);
  options.channels = {"stable"};
  PISHIP_EXPECT_ERROR(publish::Run("init", options), ErrorCode::kUsage);  // no keys
  options.keys_directory = keys_;
  options.thresholds = {"root=2"};
  PISHIP_EXPECT_ERROR(publish::Run("init", options), ErrorCode::kUsage);
  options.now = "yesterday";
  PISHIP_EXPECT_ERROR(publish::Run("init", options), ErrorCode::kUsage);
}

}  // namespace
}  // namespace piship::publish
