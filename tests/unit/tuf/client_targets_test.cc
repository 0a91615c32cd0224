// SPDX-License-Identifier: MIT
// Delegations, and artifacts.
#include "tuf/delegation.h"
#include "unit/tuf/client_fixture.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kWrongKeys = ErrorCode::kSignatureInvalid;

struct Graph {
  std::string name;
  std::vector<std::pair<std::string, TufRepository::Delegation>> edges;
  std::vector<std::string> visited;  // in search of a path that nobody has
};

TEST_F(TufClient, SearchesDelegationsInPreOrder) {
  const std::vector<Graph> graphs = {
      {"siblings", {{"targets", {"A"}}, {"targets", {"B"}}, {"A", {"C"}}, {"A", {"D"}}}, {"A", "C", "D", "B"}},
      {"terminating, two levels",
       {{"targets", {"A"}}, {"targets", {"B"}}, {"A", {.name = "C", .terminating = true}}, {"A", {"D"}}},
       {"A", "C"}},
      {"terminating, three levels",
       {{"targets", {"A"}}, {"targets", {"B"}}, {"A", {.name = "C", .terminating = true}}, {"C", {"D"}}},
       {"A", "C", "D"}},
      {"paths that do not match", {{"targets", {"A", {"*.py"}}}, {"targets", {"B"}}, {"A", {"C"}}}, {"B"}},
      {"a cycle",
       {{"targets", {"A"}}, {"targets", {"B"}}, {"B", {"C"}}, {"C", {"D"}}, {"D", {"B"}}},
       {"A", "B", "C", "D"}},
      {"a role of two", {{"targets", {"A"}}, {"targets", {"B"}}, {"B", {"C"}}, {"A", {"C"}}}, {"A", "C", "B"}},
      {"a role of two, by path",
       {{"targets", {"A"}}, {"targets", {"B"}}, {"B", {"C"}}, {"A", {"C", {"*.py"}}}},
       {"A", "B", "C"}},
  };
  for (const Graph& graph : graphs) {
    TufRepository repository;
    std::set<std::string> names;
    for (const auto& [delegator, delegation] : graph.edges) {
      repository.AddDelegation(delegator, delegation);
      names.insert(delegation.name);
    }
    for (const std::string& name : names) repository.Publish({name});
    repository.Publish({"targets", "snapshot", "timestamp"});
    std::swap(repository_, repository);
    Trust();
    PISHIP_EXPECT_ERROR(Find("missing"), ErrorCode::kTargetUnknown);
    std::vector<std::string> wanted;
    for (const std::string& name : graph.visited) wanted.push_back("1." + name + ".json");
    EXPECT_EQ(DelegatedRequests(), wanted) << graph.name;
  }
}

TEST_F(TufClient, VisitsABoundedNumberOfRoles) {
  std::string delegator = "targets";
  for (int role = 0; role < 40; ++role) {
    const std::string name = "r" + std::to_string(role);
    repository_.AddDelegation(delegator, {name});
    repository_.Publish({name});
    if (role > 0) repository_.PublishAgain({delegator});
    delegator = name;
  }
  repository_.Publish({"targets", "snapshot", "timestamp"});
  PISHIP_EXPECT_ERROR(Find("missing"), ErrorCode::kTargetUnknown);
  EXPECT_EQ(DelegatedRequests().size(), static_cast<std::size_t>(limits_.visited_roles) - 1);
}

TEST_F(TufClient, FindsATargetThroughTheRolesOfItsPath) {
  repository_.AddDelegation("targets", {"B", {"releases/*/*"}});
  repository_.AddDelegation("B", {"C", {"releases/x/*"}});
  repository_.AddTarget("C", "releases/x/v1", "content");
  repository_.AddTarget("C", "releases/z/v1", "content");  // which nobody delegates to C
  repository_.Publish({"C", "B", "targets", "snapshot", "timestamp"});
  const auto found = Find("releases/x/v1");
  PISHIP_ASSERT_OK(found);
  EXPECT_EQ(found->role, "C");
  EXPECT_THAT(DelegatedRequests(), ElementsAre("1.B.json", "1.C.json"));
  PISHIP_EXPECT_ERROR(Find("releases/z/v1"), ErrorCode::kTargetUnknown);
}

TEST(Delegation, PatternsDoNotCrossSlashes) {
  using tuf::PathMatches;
  EXPECT_TRUE(PathMatches("targets/foo.tgz", "targets/*.tgz"));
  EXPECT_FALSE(PathMatches("targets/sub/foo.tgz", "targets/*.tgz"));
  EXPECT_TRUE(PathMatches("foo-version-a.tgz", "foo-version-?.tgz"));
  EXPECT_FALSE(PathMatches("foo-version-.tgz", "foo-version-?.tgz"));
  EXPECT_FALSE(PathMatches("a/b", "a?b"));
  EXPECT_FALSE(PathMatches("a/b", "*"));
  EXPECT_TRUE(PathMatches("a/b", "*/*"));
  EXPECT_TRUE(PathMatches("aXbXcb", "a*b"));
  EXPECT_TRUE(PathMatches("a/xby/c", "a/*b*/c"));
  EXPECT_FALSE(PathMatches("ab/xb", "a*b"));
  EXPECT_TRUE(PathMatches("a", "a**"));
  EXPECT_TRUE(PathMatches("", ""));
  EXPECT_FALSE(PathMatches("", "?"));
  EXPECT_TRUE(PathMatches("a[1]", "a[1]"));
  EXPECT_FALSE(PathMatches("a1", "a[1]"));
  EXPECT_FALSE(PathMatches(std::string(20'000, 'a') + "c", "*a*a*a*a*a*a*b"));
}

TEST_F(TufClient, HashPrefixesDelegate) {
  const std::string digest = Digest::Of("some/path").Hex();
  repository_.AddDelegation("targets", {.name = "A", .prefixes = {digest.substr(0, 4)}});
  repository_.AddDelegation("targets", {.name = "B", .prefixes = {"zz", digest.substr(1, 4) + digest.substr(0, 60)}});
  repository_.AddTarget("A", "some/path", "x");
  repository_.Publish({"A", "B", "targets", "snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Find("some/path"));
  PISHIP_EXPECT_ERROR(Find("other/path"), ErrorCode::kTargetUnknown);
  EXPECT_THAT(DelegatedRequests(), IsEmpty());
}

TEST_F(TufClient, SuccinctRolesSplitByTheBitsOfTheDigest) {
  repository_.AddSuccinct("targets", 5, "bin");
  const std::string path = "some/path";
  const unsigned bin = Digest::Of(path).bytes()[0] >> 3;
  const std::string name = tuf::BinFor({{}, 5, "bin"}, path).name;
  EXPECT_EQ(std::stoul(name.substr(4), nullptr, 16), bin);
  EXPECT_EQ(name.size(), 6U);
  repository_.role(name).keys = repository_.role("bin").keys;
  repository_.AddTarget(name, path, "x");
  repository_.Publish({name, "targets", "snapshot", "timestamp"});
  const auto found = Find(path);
  PISHIP_ASSERT_OK(found);
  EXPECT_EQ(found->role, name);
}

TEST_F(TufClient, T15AStoredRoleIsVerifiedWithThePresentKeysOfItsDelegator) {
  repository_.AddDelegation("targets", {"stable"});
  repository_.AddTarget("stable", "a", "x");
  repository_.Publish({"stable", "targets", "snapshot", "timestamp"});
  PISHIP_ASSERT_OK(Find("a"));
  const std::string signed_by_old_key = repository_.FileOf("stable");
  repository_.RotateKeys("stable");
  repository_.Publish({"targets", "snapshot", "timestamp"});
  PISHIP_EXPECT_ERROR(Find("a"), kWrongKeys);  // the repository still has the old one
  repository_.PublishAgain({"stable"});
  PISHIP_ASSERT_OK(Find("a"));
  EXPECT_NE(Stored("stable"), signed_by_old_key);
}

TEST_F(TufClient, T15ARoleIsVerifiedForEachDelegatorInOneRun) {
  repository_.AddDelegation("targets", {"A", {"a/*"}});
  repository_.AddDelegation("targets", {"B", {"b/*"}});
  repository_.AddDelegation("A", {"shared", {"*/*"}});
  auto other = tuf::SigningKey::Generate(tuf::KeyKind::kEd25519);
  PISHIP_ASSERT_OK(other);
  repository_.AddDelegation("B", {.name = "shared", .paths = {"*/*"}, .keys = std::vector{*other}});
  repository_.AddTarget("shared", "a/x", "x");
  repository_.AddTarget("shared", "b/x", "x");
  repository_.Publish({"shared", "A", "B", "targets", "snapshot", "timestamp"});
  auto client = tuf::Client::Open(directory_, repository_, kNow);
  PISHIP_ASSERT_OK(client);
  PISHIP_ASSERT_OK(client->Find("a/x"));
  PISHIP_EXPECT_ERROR(client->Find("b/x"), kWrongKeys);
  PISHIP_ASSERT_OK(client->Find("a/x"));
}

TEST_F(TufClient, AnExpiredDelegatedRoleIsRefusedAlsoWhenStored) {
  repository_.role("stable").expires = "2027-02-01T00:00:00Z";
  repository_.AddDelegation("targets", {"stable"});
  repository_.AddTarget("stable", "a", "x");
  repository_.Publish({"stable", "targets", "snapshot", "timestamp"});
  PISHIP_EXPECT_ERROR(Find("a", kNow + 30 * kDay), ErrorCode::kExpired);
  EXPECT_EQ(Stored("stable"), "");
  PISHIP_ASSERT_OK(Find("a"));
  PISHIP_EXPECT_ERROR(Find("a", kNow + 30 * kDay), ErrorCode::kExpired);
}

TEST_F(TufClient, StrangeRoleNamesStayNames) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"?", "%3F"}, {"#", "%23"},      {"/role", "%2Frole"},  {"../role", "..%2Frole"},
      {"..", ".."}, {"a\nb", "a%0Ab"}, {"\xc3\xa9", "%C3%A9"}};
  for (const auto& [name, encoded] : names) {
    repository_.AddDelegation("targets", {name});
    repository_.Publish({name});
  }
  repository_.Publish({"targets", "snapshot", "timestamp"});
  PISHIP_EXPECT_ERROR(Find("missing"), ErrorCode::kTargetUnknown);
  std::vector<std::string> wanted;
  for (const auto& [name, encoded] : names) {
    wanted.push_back("1." + encoded + ".json");
    EXPECT_EQ(Stored(name), repository_.FileOf(name));
    EXPECT_TRUE(ReadFile(directory_ + "/" + encoded + ".json")) << name;
  }
  EXPECT_EQ(DelegatedRequests(), wanted);
}

TEST_F(TufClient, NamesOfTopLevelRolesAreNotDelegated) {
  for (const std::string name : {"root", "targets", "snapshot", "timestamp", ""}) {
    TufRepository repository;
    repository.AddDelegation("targets", {"x"});
    repository.Publish({"x"});
    repository.role("targets").edit = [&](const std::string& text) {
      return Replaced(text, "\"name\": \"x\"", "\"name\": \"" + name + "\"");
    };
    repository.Publish({"targets", "snapshot", "timestamp"});
    std::swap(repository_, repository);
    Trust();
    PISHIP_EXPECT_ERROR(Refresh(), ErrorCode::kMetadataInvalid);
    EXPECT_EQ(Stored("targets"), "") << name;
  }
}

TEST_F(TufClient, DownloadsByDigestAndNotAgain) {
  repository_.AddTarget("targets", "dir/file name?.txt", "content");
  repository_.Publish({"targets", "snapshot", "timestamp"});
  repository_.artifacts["dir/file%20name%3F.txt"] = "content";
  PISHIP_ASSERT_OK(Download("dir/file name?.txt"));
  EXPECT_EQ(repository_.requests.back(), "dir/" + Digest::Of("content").Hex() + ".file%20name%3F.txt");
  EXPECT_EQ(*ReadFile(temp_ / "artifact"), "content");
  PISHIP_ASSERT_OK(Download("dir/file name?.txt"));
  EXPECT_THAT(repository_.requests, ElementsAre("2.root.json", "timestamp.json"));
}

TEST_F(TufClient, T06AndT31OtherBytesAreRefusedAndLeaveNothing) {
  repository_.AddTarget("targets", "a", "content a");
  repository_.AddTarget("targets", "b", "content b");
  repository_.Publish({"targets", "snapshot", "timestamp"});
  repository_.artifacts["a"] = "content b";  // which is valid, elsewhere
  PISHIP_EXPECT_ERROR(Download("a"), ErrorCode::kIntegrityFailed);
  repository_.artifacts["a"] = "content";
  PISHIP_EXPECT_ERROR(Download("a"), ErrorCode::kIntegrityFailed);
  repository_.artifacts["a"] = "content a and more";
  PISHIP_EXPECT_ERROR(Download("a"), ErrorCode::kLimitExceeded);
  for (const auto& entry : std::filesystem::directory_iterator(temp_.path())) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
  }
  ASSERT_TRUE(WriteFileAtomically(temp_ / "artifact", "older"));
  PISHIP_EXPECT_ERROR(Download("a"), ErrorCode::kLimitExceeded);
  EXPECT_EQ(*ReadFile(temp_ / "artifact"), "older");
  repository_.artifacts["a"] = "content a";
  PISHIP_ASSERT_OK(Download("a"));
  EXPECT_EQ(*ReadFile(temp_ / "artifact"), "content a");
}

TEST_F(TufClient, T08OneKnownHashIsNeededAndEveryKnownOneCounts) {
  const std::string sha256 = Digest::Of("content").Hex();
  Hasher hasher(HashAlgorithm::kSha512);
  hasher.Update("content");
  const std::string sha512 = HexOf(hasher.Finish());
  const std::vector<std::pair<std::string, bool>> cases = {
      {R"({"blake9": "00"})", false},
      {R"({"blake9": "00", "sha256": ")" + sha256 + "\"}", true},
      {R"({"sha512": ")" + sha512 + "\"}", true},
      {R"({"sha256": ")" + sha256 + R"(", "sha512": ")" + sha512 + "\"}", true},
      {R"({"sha256": ")" + sha256 + R"(", "sha512": ")" + std::string(128, '0') + "\"}", false},
  };
  for (const auto& [hashes, good] : cases) {
    std::filesystem::remove(temp_ / "artifact");
    repository_.AddTarget("targets", "a", "content");
    repository_.targets["targets"]["a"].hashes = hashes;
    repository_.Publish({"targets", "snapshot", "timestamp"});
    EXPECT_EQ(Download("a").has_value(), good) << hashes;
  }
}

TEST_F(TufClient, T09WhatNoRoleNamesIsNotFetched) {
  repository_.artifacts["stray"] = "content";
  PISHIP_EXPECT_ERROR(Download("stray"), ErrorCode::kTargetUnknown);
  EXPECT_EQ(repository_.requests.size(), 4U);
}

TEST_F(TufClient, T38PathsThatLeadElsewhereAreRefused) {
  for (const std::string path : {"../a", "/a", "a//b", "a/./b", "a/..", ".", ""}) {
    repository_.AddTarget("targets", path, "content");
  }
  repository_.AddTarget("targets", "a\r\nHost: evil", "content");
  repository_.AddTarget("targets", "//evil/a?b#c", "content");
  repository_.Publish({"targets", "snapshot", "timestamp"});
  for (const std::string path : {"../a", "/a", "a//b", "a/./b", "a/..", ".", "", "//evil/a?b#c"}) {
    PISHIP_EXPECT_ERROR(Download(path), ErrorCode::kPathInvalid);
  }
  PISHIP_EXPECT_ERROR(Download("a\r\nHost: evil"), ErrorCode::kMetadataMissing);
  EXPECT_EQ(repository_.requests.back(), Digest::Of("content").Hex() + ".a%0D%0AHost%3A%20evil");
}

TEST_F(TufClient, NamesADelegatedRoleAsAWhole) {
  repository_.AddDelegation("targets", {"stable", {"stable/*"}});
  repository_.AddTarget("stable", "stable/a", "x");
  repository_.Publish({"stable", "targets", "snapshot", "timestamp"});
  auto client = tuf::Client::Open(directory_, repository_, kNow);
  PISHIP_ASSERT_OK(client);
  const auto stable = client->DelegatedTargets("stable");
  PISHIP_ASSERT_OK(stable);
  EXPECT_TRUE(stable->body.targets.contains("stable/a"));
  PISHIP_EXPECT_ERROR(client->DelegatedTargets("beta"), ErrorCode::kTargetUnknown);
}

}  // namespace
}  // namespace piship
