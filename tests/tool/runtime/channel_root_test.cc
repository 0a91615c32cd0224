// SPDX-License-Identifier: MIT
// An archive that names its channel and carries the root: proven by its digest, it is all that a user needs to update.
#include "tool/runtime/channel_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;
using testing::Not;

class ChannelRoots : public ChannelVerbs {
 protected:
  TestRelease Naming(const std::string& version, const std::string& url) const {
    TestRelease payload = TinyRelease(version);
    payload.channel = ChannelPlace{url, "stable"};
    payload.root = *ReadFile(RootFile());
    return payload;
  }
  std::string Url() const { return server_.url() + "/repository"; }
  Ran InstallProven(const TestRelease& payload) {
    return Install(payload, {"--sha256", Digest::Of(payload.Archive()).Hex()});
  }
};

TEST_F(ChannelRoots, AProvenArchiveIsEnoughForUpdates) {
  const Ran installed = InstallProven(Naming("1.0.0", Url()));
  ASSERT_EQ(installed.status, 0) << installed.err;
  ASSERT_TRUE(InstalledReceipt().channel.has_value());
  EXPECT_EQ(InstalledReceipt().channel->url, Url());
  Add("1.1.0");
  const Ran updated = Piship({"update", "hello"});
  ASSERT_EQ(updated.status, 0) << updated.err;
  EXPECT_EQ(Start().out, "1.1.0\n");
}

// The id of the only key of the repository's first root.
std::string RootKeyId(const std::string& root_file) {
  const json::Value root = *json::Parse(*ReadFile(root_file), "root.json");
  return root.Find("signed")->Find("roles")->Find("root")->Find("keyids")->array().at(0).string();
}

TEST_F(ChannelRoots, AKeyProvesTheRootAndTheChannelTheArchive) {
  const TestRelease payload = Naming("1.0.0", Url());
  AddRelease(payload, "stable", 0);
  const std::string id = RootKeyId(RootFile());
  const Ran other = Install(payload, {"--expect-key", Digest::Of("another key").Hex()});
  EXPECT_EQ(other.status, 3) << other.err;
  EXPECT_THAT(other.err, HasSubstr("[SIGNATURE_INVALID]"));
  EXPECT_FALSE(Exists(TrustDirectory(install_home(), "hello")));
  EXPECT_EQ(Install(payload, {"--expect-key", "short"}).status, 2);
  // The right root in an archive that its owner never signed.
  TestRelease foreign = payload;
  foreign.extra.push_back({"app/more", "more"});
  const Ran refused = Install(foreign, {"--expect-key", id});
  EXPECT_EQ(refused.status, 3) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("does not offer"));
  EXPECT_EQ(Piship({"list", "--json"}).out.find("hello"), std::string::npos);
  const Ran installed = Install(payload, {"--expect-key", "sha256:" + id, "--json"});
  ASSERT_EQ(installed.status, 0) << installed.err;
  EXPECT_EQ(Text(Json(installed), "origin"), "channel");
  EXPECT_EQ(InstalledReceipt().channel->url, Url());
  Add("1.1.0");
  EXPECT_EQ(Piship({"update", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "1.1.0\n");
}

TEST_F(ChannelRoots, AKeyProvesTheRootOfAUrl) {
  Add("1.0.0");
  const std::vector<std::string> install = {"install", server_.url() + "/repository", "--id", "hello", "--expect-key"};
  const auto with = [&](const std::string& id) {
    std::vector<std::string> words = install;
    words.push_back(id);
    return Piship(words);
  };
  const Ran other = with(Digest::Of("another key").Hex());
  EXPECT_EQ(other.status, 3) << other.err;
  EXPECT_THAT(other.err, HasSubstr("[SIGNATURE_INVALID]"));
  EXPECT_FALSE(Exists(TrustDirectory(install_home(), "hello")));
  const Ran installed = with(RootKeyId(RootFile()));
  ASSERT_EQ(installed.status, 0) << installed.err;
  EXPECT_EQ(Start().out, "1.0.0\n");
}

TEST_F(ChannelRoots, AnArchiveThatNothingProvesBeginsNoTrust) {
  const TestRelease payload = Naming("1.0.0", Url());
  const Ran installed = Install(payload);
  ASSERT_EQ(installed.status, 0) << installed.err;
  EXPECT_THAT(installed.err, HasSubstr("its updates, from " + Url() + ", begin with that, too"));
  EXPECT_FALSE(InstalledReceipt().channel.has_value());
  EXPECT_FALSE(Exists(TrustDirectory(install_home(), "hello")));
  EXPECT_EQ(Piship({"update", "hello"}).status, 3);
  // Nor does a look at what would be done; a proof does, for what is installed already.
  const std::string digest = Digest::Of(payload.Archive()).Hex();
  ASSERT_EQ(Install(payload, {"--sha256", digest, "--dry-run"}).status, 0);
  EXPECT_FALSE(Exists(TrustDirectory(install_home(), "hello")));
  const Ran proven = InstallProven(payload);
  ASSERT_EQ(proven.status, 0) << proven.err;
  EXPECT_THAT(proven.err, Not(HasSubstr("begin with that")));
  Add("1.1.0");
  EXPECT_EQ(Piship({"update", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "1.1.0\n");
}

// Whoever executes a program trusts its maker: the root that it brings is the one that its updates are verified with.
TEST_F(ChannelRoots, AnInstallerThatWasExecutedBeginsTrust) {
  const TestRelease payload = Naming("1.0.0", Url());
  ASSERT_EQ(Install(payload).status, 0);
  const std::string installer = temp_ / "hello.run";
  ASSERT_TRUE(WriteFileAtomically(installer, payload.Installer(), 0755).has_value());
  ASSERT_EQ(RunProgram({.argv = {installer, "--dry-run"}, .environment = environment_}).status, 0);
  EXPECT_FALSE(InstalledReceipt().channel.has_value());
  const Ran executed = RunProgram({.argv = {installer}, .environment = environment_});
  ASSERT_EQ(executed.status, 0) << executed.err;
  EXPECT_THAT(executed.err, Not(HasSubstr("begin with that")));
  EXPECT_EQ(InstalledReceipt().active.origin, Origin::kUnproven);
  EXPECT_EQ(InstalledReceipt().channel->url, Url());
  Add("1.1.0");
  EXPECT_EQ(Piship({"update", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "1.1.0\n");
}

TEST_F(ChannelRoots, WhereTheUserTakesUpdatesFromStays) {
  Add("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  // Another repository with another root: neither replaces what is trusted.
  TestRelease other = Naming("1.1.0", "https://example.org/other");
  other.root = "{}";
  const Ran installed = InstallProven(other);
  ASSERT_EQ(installed.status, 0) << installed.err;
  EXPECT_EQ(InstalledReceipt().channel->url, Url());
  Add("1.2.0");
  EXPECT_EQ(Piship({"update", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "1.2.0\n");
}

TEST_F(ChannelRoots, ARootThatCanNotBeTrustedStopsTheInstall) {
  TestRelease payload = Naming("1.0.0", Url());
  payload.root = "{}";
  const Ran invalid = InstallProven(payload);
  EXPECT_EQ(invalid.status, 3) << invalid.err;
  EXPECT_THAT(invalid.err, HasSubstr("METADATA_INVALID"));
  payload.root.clear();
  const Ran absent = InstallProven(payload);
  EXPECT_EQ(absent.status, 3) << absent.err;
  EXPECT_THAT(absent.err, HasSubstr("the root of the channel 'metadata/root.json' is not in the payload"));
  EXPECT_FALSE(Exists(ReceiptPath(install_home(), "hello")));
  // The same repository begun anew by somebody else, for who trusts the first one.
  ASSERT_EQ(InstallProven(Naming("1.0.0", Url())).status, 0);
  publish::Options forged = WithKeys({});
  forged.repository = temp_ / "other";
  forged.keys_directory = temp_ / "other keys";
  forged.channels = {"stable"};
  PISHIP_ASSERT_OK(publish::Run("init", forged));
  TestRelease next = Naming("1.1.0", Url());
  next.root = *ReadFile(temp_ / "other/metadata/1.root.json");
  // Its version is not newer, so it is not even looked at: what is trusted stays.
  ASSERT_EQ(InstallProven(next).status, 0);
  Add("1.2.0");
  EXPECT_EQ(Piship({"update", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "1.2.0\n");
}

}  // namespace
}  // namespace piship
