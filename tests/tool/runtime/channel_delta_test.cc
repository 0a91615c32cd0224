// SPDX-License-Identifier: MIT
// piship update by a delta: what is downloaded, what the release then is, and the whole archive where a delta does not
// serve.
#include <algorithm>

#include "tool/runtime/channel_fixture.h"

namespace piship {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ChannelDeltas : public ChannelVerbs {
 protected:
  // Of 300 kB that hardly compress nearly nothing changes from version to version. The file above 8 MiB goes in parts.
  static TestRelease ReleaseOf(const std::string& version) {
    TestRelease payload = TinyRelease(version);
    payload.extra.push_back({"app/data", Noise(200'000, 7) + version});
    payload.extra.push_back({"app/copy of " + version, Noise(100'000, 9), FileMode::kExecutable});
    payload.extra.push_back({"app/large", std::string((std::size_t{8} << 20) + 5, 'x')});
    return payload;
  }
  void Publish(const std::string& version, const std::string& channel = "stable") {
    AddRelease(ReleaseOf(version), channel, 5);
  }
};

TEST_F(ChannelDeltas, FetchOnlyWhatIsNew) {
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Publish("1.1.0");
  const Ran check = Piship({"update", "hello", "--check", "--json"});
  ASSERT_EQ(check.status, 0) << check.err;
  EXPECT_LT(Json(check).Find("download_bytes")->integer(), 5000);
  Requests();
  const Ran update = ExpectUpdate("delta");
  EXPECT_LT(Json(update).Find("downloaded_bytes")->integer(), 5000);
  EXPECT_EQ(Text(Json(update), "origin"), "channel");
  EXPECT_EQ(Text(Json(update), "archive"), Digest::Of(archives_["1.1.0"]).Hex());
  EXPECT_THAT(Requests(), AllOf(Contains(HasSubstr(".from-1.0.0.delta")), Not(Contains(HasSubstr(".tar.zst")))));
  ExpectActive("1.1.0");
  // And back, and on from where it is then.
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  Publish("1.2.0");
  ExpectUpdate("delta");
  ExpectActive("1.2.0");
}

TEST_F(ChannelDeltas, SkipVersions) {
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  for (const char* version : {"1.1.0", "1.2.0", "1.3.0"}) Publish(version);
  ExpectUpdate("delta");
  ExpectActive("1.3.0");
}

TEST_F(ChannelDeltas, AreCutAndGoneOnWith) {
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Publish("1.1.0");
  cut_at_ = 200;
  EXPECT_EQ(Piship({"update", "hello"}).status, 4);
  EXPECT_EQ(Start().out, "1.0.0\n");
  cut_at_ = 0;
  Requests();
  ExpectUpdate("delta");
  EXPECT_THAT(Requests(), Contains(HasSubstr("bytes=200-")));
  ExpectActive("1.1.0");
}

TEST_F(ChannelDeltas, ABaseThatWasChangedOnDiskMeansTheWholeArchive) {
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Publish("1.1.0");
  const std::string files[] = {"app/data", "app/large", "app/copy of 1.0.0", "metadata/inventory"};
  for (const std::string& file : files) {
    const std::string path = version_directory("1.0.0") + "/" + file;
    const std::string content = *ReadFile(path);
    ASSERT_TRUE(WriteFileAtomically(path, content.substr(0, content.size() - 1) + "?"));
    const Ran update = ExpectUpdate("whole");
    EXPECT_THAT(Text(Json(update), "fallback"), HasSubstr("the delta from 1.0.0 does not serve")) << file;
    EXPECT_THAT(update.err, HasSubstr("note: the delta from 1.0.0 does not serve")) << file;
    ExpectActive("1.1.0");
    ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
    ASSERT_EQ(InstallUrl({"--release-version", "1.0.0"}).status, 0);
  }
}

TEST_F(ChannelDeltas, AServerWithoutTheDeltaOrWithAnotherGivesTheWholeArchive) {
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Publish("1.1.0");
  missing_ = ".delta";
  ExpectUpdate("whole");
  ExpectActive("1.1.0");
  missing_.clear();
  Publish("1.2.0");
  // What is not what was signed is refused, whatever it is; then the archive is, too, until the server is mended.
  substitute_ = "not the delta";
  const Ran refused = Piship({"update", "hello"});
  EXPECT_EQ(refused.status, 3) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("INTEGRITY_FAILED"));
  ExpectActive("1.1.0");
  substitute_.clear();
  ExpectUpdate("delta");
  ExpectActive("1.2.0");
}

TEST_F(ChannelDeltas, OfAnotherChannelAreNotTaken) {
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Publish("1.0.0", "beta");
  Publish("1.1.0", "beta");
  EXPECT_THAT(Piship({"update", "hello", "--check"}).err, HasSubstr("up to date"));
  ASSERT_EQ(Piship({"update", "hello", "--channel", "beta"}).status, 0);
  EXPECT_EQ(InstalledReceipt().channel->name, "beta");
  ExpectActive("1.1.0");
}

TEST_F(ChannelDeltas, UpdateAllTakesEachFromItsChannel) {
  EXPECT_EQ(Piship({"update"}).status, 2);
  EXPECT_EQ(Piship({"update", "hello", "--all"}).status, 2);
  EXPECT_EQ(Piship({"update", "--all", "--channel", "beta"}).status, 2);
  const Ran nothing = Piship({"update", "--all"});
  EXPECT_EQ(nothing.status, 0);
  EXPECT_THAT(nothing.err, HasSubstr("nothing that is installed came from a channel"));
  TestRelease other = TinyRelease("1.0.0");
  other.id = other.command = "other";
  ASSERT_EQ(Install(other).status, 0);  // from a file
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Publish("1.1.0");
  const Ran all = Piship({"update", "--all", "--json"});
  ASSERT_EQ(all.status, 0) << all.err;
  const json::Value out = Json(all);
  ASSERT_EQ(out.Find("distributions")->array().size(), 1U) << all.out;
  EXPECT_EQ(Text(out.Find("distributions")->array()[0], "action"), "updated");
  ExpectActive("1.1.0");
  missing_ = "timestamp.json";
  const Ran failed = Piship({"update", "--all"});
  EXPECT_EQ(failed.status, 4) << failed.err;
  EXPECT_THAT(failed.err, AllOf(HasSubstr("METADATA_MISSING"), HasSubstr("hello: ")));
}

}  // namespace
}  // namespace piship
