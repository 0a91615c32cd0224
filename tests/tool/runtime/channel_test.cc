// SPDX-License-Identifier: MIT
// piship install <url>, update, repair and doctor with a repository.
#include <algorithm>
#include <ctime>
#include <thread>

#include "source/trust_check.h"
#include "tool/runtime/channel_fixture.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(ChannelVerbs, InstallsUpdatesGoesBackAndIsNotOfferedThatAgain) {
  Add("1.0.0");
  const Ran installed = InstallUrl({"--json"});
  ASSERT_EQ(installed.status, 0) << installed.err;
  EXPECT_EQ(Text(Json(installed), "origin"), "channel");
  EXPECT_EQ(Start().out, "1.0.0\n");
  EXPECT_EQ(InstalledReceipt().channel->name, "stable");
  EXPECT_THAT(Downloads(), IsEmpty());
  Requests();

  const Ran nothing = Piship({"update", "hello", "--check", "--json"});
  ASSERT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_EQ(Text(Json(nothing), "action"), "up-to-date");
  EXPECT_THAT(Requests(), ElementsAre("/repository/metadata/2.root.json", "/repository/metadata/timestamp.json"));

  Add("1.1.0");
  const Ran check = Piship({"update", "hello", "--check"});
  ASSERT_EQ(check.status, 0) << check.err;
  EXPECT_THAT(check.err, HasSubstr("hello 1.1.0 is available"));
  EXPECT_EQ(Start().out, "1.0.0\n");
  const Ran update = Piship({"update", "hello", "--json"});
  ASSERT_EQ(update.status, 0) << update.err;
  EXPECT_EQ(Text(Json(update), "action"), "updated");
  EXPECT_EQ(Text(Json(update), "previous_version"), "1.0.0");
  EXPECT_EQ(Start().out, "1.1.0\n");
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);

  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  Requests();
  const Ran again = Piship({"update", "hello"});
  ASSERT_EQ(again.status, 0);
  EXPECT_THAT(again.err, HasSubstr("you went back from it"));
  EXPECT_EQ(Start().out, "1.0.0\n");
  const Ran named = Piship({"update", "hello", "--release-version", "1.1.0", "--json"});
  ASSERT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(Text(Json(named), "action"), "activated");
  EXPECT_EQ(Start().out, "1.1.0\n");
  for (const std::string& request : Requests()) EXPECT_EQ(request.find("/targets/"), std::string::npos) << request;
}

TEST_F(ChannelVerbs, ADownloadThatWasCutGoesOnWhereItWas) {
  Add("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Add("2.0.0", "stable", 200'000);
  cut_at_ = 100'000;
  const Ran cut = Piship({"update", "hello"});
  EXPECT_EQ(cut.status, 4) << cut.err;
  EXPECT_EQ(Start().out, "1.0.0\n");
  ASSERT_EQ(Downloads().size(), 1U);
  Requests();
  cut_at_ = 0;
  const Ran whole = Piship({"update", "hello"});
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("100,000 are there already"));
  EXPECT_THAT(Requests().back(), HasSubstr("bytes=100000-"));
  EXPECT_EQ(Start().out, "2.0.0\n");
  EXPECT_THAT(Downloads(), IsEmpty());
}

TEST_F(ChannelVerbs, AServerWithoutRangesSendsTheWhole) {
  Add("1.0.0", "stable", 200'000);
  cut_at_ = 100'000;
  ASSERT_EQ(InstallUrl().status, 4);
  cut_at_ = 0;
  ranges_ = false;
  const Ran whole = InstallUrl();
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(Start().out, "1.0.0\n");
}

TEST_F(ChannelVerbs, T06AndT31WrongBytesAreRefusedAndNotKept) {
  Add("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Add("2.0.0");
  std::string flipped = archives_["2.0.0"];
  flipped.back() ^= 1;
  for (const std::string& wrong : {archives_["1.0.0"], flipped, flipped.substr(1), archives_["2.0.0"] + "x"}) {
    substitute_ = wrong;
    const Ran ran = Piship({"update", "hello"});
    EXPECT_EQ(ran.status, 3) << ran.err;
    EXPECT_EQ(Start().out, "1.0.0\n");
    EXPECT_THAT(Downloads(), IsEmpty()) << ran.err;
    EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
  }
  substitute_.clear();
  EXPECT_EQ(Piship({"update", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "2.0.0\n");
}

TEST_F(ChannelVerbs, OnlyTheOwnersRootBeginsTrust) {
  Add("1.0.0");
  const Ran without = Piship({"install", server_.url() + "/repository", "--id", "hello"});
  EXPECT_EQ(without.status, 3);
  EXPECT_THAT(without.err, HasSubstr("TRUST_MISSING"));
  EXPECT_THAT(Requests(), IsEmpty());
  publish::Options other = WithKeys({});
  other.repository = temp_ / "other";
  other.keys_directory = temp_ / "other keys";
  other.channels = {"stable"};
  PISHIP_ASSERT_OK(publish::Run("init", other));
  const Ran foreign = Piship(
      {"install", server_.url() + "/repository", "--id", "hello", "--root", temp_ / "other/metadata/1.root.json"});
  EXPECT_EQ(foreign.status, 3);
  EXPECT_THAT(foreign.err, HasSubstr("SIGNATURE_INVALID"));
  EXPECT_FALSE(Exists(ReceiptPath(install_home(), "hello")));
}

TEST_F(ChannelVerbs, T35NeitherAnotherIdNorAnotherChannelNorAnOlderVersionIsTaken) {
  Add("2.0.0");
  const Ran other = Piship({"install", server_.url() + "/repository", "--id", "other", "--root", RootFile()});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("TARGET_UNKNOWN"));
  EXPECT_EQ(InstallUrl({"--channel", "beta"}).status, 1);
  EXPECT_THAT(InstallUrl({"--channel", "nightly"}).err, HasSubstr("TARGET_UNKNOWN"));
  ASSERT_EQ(InstallUrl().status, 0);
  Add("1.0.0", "beta");
  const Ran older = Piship({"update", "hello", "--channel", "beta"});
  EXPECT_EQ(older.status, 0);
  EXPECT_THAT(older.err, HasSubstr("nothing newer than 1.0.0"));
  const Ran named = Piship({"update", "hello", "--channel", "beta", "--release-version", "1.0.0"});
  EXPECT_EQ(named.status, 3);
  EXPECT_THAT(named.err, HasSubstr("ROLLBACK"));
  EXPECT_EQ(Start().out, "2.0.0\n");
  Add("3.0.0", "beta");
  ASSERT_EQ(Piship({"update", "hello", "--channel", "beta"}).status, 0);
  EXPECT_EQ(InstalledReceipt().channel->name, "beta");
}

TEST_F(ChannelVerbs, SaysWhatIsMissing) {
  EXPECT_THAT(Piship({"update", "hello"}).err, HasSubstr("NOT_INSTALLED"));
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  EXPECT_THAT(Piship({"update", "hello"}).err, HasSubstr("names no channel"));
  EXPECT_EQ(Piship({"install", server_.url() + "/repository"}).status, 2);
  EXPECT_EQ(InstallUrl({"--sha256", std::string(64, '0')}).status, 2);
  EXPECT_EQ(Piship({"install", "archive", "--root", RootFile()}).status, 2);
  EXPECT_THAT(Piship({"install", "http://user:secret@127.0.0.1:1/r", "--id", "hello", "--root", RootFile()}).err,
              testing::AllOf(HasSubstr("URL_INVALID"), testing::Not(HasSubstr("secret"))));
  const Ran offline = Piship({"install", "http://127.0.0.1:1/r", "--id", "hello", "--root", RootFile()});
  EXPECT_EQ(offline.status, 4);
  EXPECT_THAT(offline.err, HasSubstr("NETWORK_FAILED"));
  EXPECT_EQ(Start().out, "1.0.0\n");
}

TEST_F(ChannelVerbs, TwoUpdatesShareOneDownload) {
  Add("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Add("2.0.0", "stable", 200'000);
  Requests();
  const Program update = Verb({"update", "hello"});
  Ran first;
  Ran second;
  std::thread other([&] { first = RunProgram(update); });
  second = RunProgram(update);
  other.join();
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(second.status, 0) << second.err;
  const std::vector<std::string> requests = Requests();
  EXPECT_EQ(std::count_if(requests.begin(), requests.end(),
                          [](const std::string& request) { return request.find("/targets/") != std::string::npos; }),
            1);
  EXPECT_EQ(Start().out, "2.0.0\n");
  EXPECT_THAT(Downloads(), IsEmpty());
}

TEST_F(ChannelVerbs, ADamagedKeptVersionIsDownloadedAnew) {
  Add("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Add("2.0.0");
  ASSERT_EQ(Piship({"update", "hello"}).status, 0);
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  std::filesystem::remove(version_directory("2.0.0") + "/piship.lock");
  ASSERT_EQ(Piship({"update", "hello", "--release-version", "2.0.0"}).status, 0);
  EXPECT_EQ(Start().out, "2.0.0\n");
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

TEST_F(ChannelVerbs, ARepairTakesTheArchiveFromTheChannel) {
  Add("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Add("2.0.0");
  std::filesystem::remove(version_directory("1.0.0") + "/app/main.js");
  Requests();
  const Ran repaired = Piship({"repair", "hello", "--json"});
  ASSERT_EQ(repaired.status, 0) << repaired.err;
  EXPECT_EQ(Text(Json(repaired), "action"), "repaired");
  EXPECT_EQ(Text(Json(repaired), "origin"), "channel");
  EXPECT_THAT(Requests().back(), HasSubstr("/targets/"));
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "1.0.0\n");
  EXPECT_THAT(Downloads(), IsEmpty());
  EXPECT_EQ(InstalledReceipt().active.origin, Origin::kChannel);
  Piship({"repair", "hello"});
  EXPECT_THAT(Requests(), IsEmpty());

  // What the repository sends instead mends nothing.
  std::filesystem::remove(version_directory("1.0.0") + "/app/main.js");
  substitute_ = archives_["2.0.0"];
  EXPECT_EQ(Piship({"repair", "hello"}).status, 3);
  EXPECT_FALSE(Exists(version_directory("1.0.0") + "/app/main.js"));
  EXPECT_THAT(Downloads(), IsEmpty());
}

TEST_F(ChannelVerbs, AMinimumRuntimeThatIsTooNewIsSaidInThoseWords) {
  Add("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Add("2.0.0");
  RequireRuntime("2.0.0", kRuntimeFormat + 1);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"update", "hello"},
                                                {"update", "hello", "--check"},
                                                {"update", "hello", "--release-version", "2.0.0"}}) {
    const Ran refused = Piship(words);
    EXPECT_EQ(refused.status, 1) << refused.err;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("[FORMAT_NEWER]"), HasSubstr("hello 2.0.0 has a minimum runtime that is too new")));
  }
  EXPECT_EQ(Start().out, "1.0.0\n");
  // One in between brings a newer runtime.
  Add("1.1.0");
  const Ran between = Piship({"update", "hello"});
  ASSERT_EQ(between.status, 0) << between.err;
  EXPECT_THAT(between.err,
              AllOf(HasSubstr("minimum runtime that is too new"), HasSubstr("try again after this update")));
  EXPECT_EQ(Start().out, "1.1.0\n");
}

TEST_F(ChannelVerbs, DoctorKnowsTheTrustAndItsEnd) {
  Add("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Requests();
  const std::string trust = TrustDirectory(install_home(), "hello");
  const auto examine = [&](std::int64_t now) { return ExamineTrust(trust, InstalledReceipt(), now); };
  const Ran ran = Piship({"doctor", "hello"});
  EXPECT_THAT(ran.out, HasSubstr("ok    trust      channel stable of "));
  EXPECT_THAT(Requests(), IsEmpty());
  const Check well = examine(std::time(nullptr));
  EXPECT_EQ(well.health, Health::kOk);
  for (const char* role :
       {"root 1 until ", "timestamp 2 until ", "snapshot 2 until ", "targets 1 until ", "stable 2 until "}) {
    EXPECT_THAT(well.text, HasSubstr(role));
  }
  const Check expired = examine(std::int64_t{1} << 40);
  EXPECT_EQ(expired.health, Health::kWarn);
  EXPECT_THAT(expired.text, HasSubstr("timestamp 2 expired at "));
  EXPECT_THAT(expired.advice, HasSubstr("piship update hello --check"));
  ASSERT_TRUE(WriteFileAtomically(trust + "/snapshot.json", "{"));
  EXPECT_EQ(examine(0).health, Health::kFail);
}

TEST_F(ChannelVerbs, UninstallKeepsTheTrustAndPurgeRemovesIt) {
  Add("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  EXPECT_TRUE(Exists(TrustDirectory(install_home(), "hello") + "/root.json"));
  ASSERT_EQ(Piship({"install", server_.url() + "/repository", "--id", "hello"}).status, 0);
  ASSERT_EQ(Piship({"uninstall", "hello", "--purge"}).status, 0);
  EXPECT_FALSE(Exists(TrustDirectory(install_home(), "hello")));
}

}  // namespace
}  // namespace piship
