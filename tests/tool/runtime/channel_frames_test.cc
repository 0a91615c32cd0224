// SPDX-License-Identifier: MIT
// piship update and repair by single frames of an archive: what is asked for, what the release then is, and what serves
// where frames do not.
#include <sys/stat.h>

#include <filesystem>

#include "tool/runtime/channel_fixture.h"

namespace piship {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class ChannelFrames : public ChannelVerbs {
 protected:
  // The parts of a payload have frames of their own: of 600 kB only 50 change. One large file changes, another does
  // not.
  static TestRelease ReleaseOf(const std::string& version) {
    TestRelease payload = TinyRelease(version);
    const std::string large((std::size_t{8} << 20) + 5, 'x');
    payload.extra.push_back({"app/data", Noise(50'000, 7) + version});
    payload.extra.push_back({"app/node_modules/library/index.js", Noise(300'000, 9), FileMode::kExecutable});
    payload.extra.push_back({"app/node_modules/library/large", large});
    payload.extra.push_back({"engine/large", large + version});
    payload.extra.push_back({"resources/other", Noise(200'000, 11)});
    return payload;
  }
  void Publish(const std::string& version) { AddRelease(ReleaseOf(version), "stable", 0); }
  void PublishTwo() {
    Publish("1.0.0");
    ASSERT_EQ(InstallUrl().status, 0);
    Publish("1.1.0");
    Requests();
  }
  std::vector<std::string> ArchiveRequests() {
    std::vector<std::string> requests = Requests();
    std::erase_if(requests, [](const std::string& request) { return request.find(".tar.zst") == std::string::npos; });
    return requests;
  }
  static std::int64_t Downloaded(const Ran& ran) { return Json(ran).Find("downloaded_bytes")->integer(); }
  // Does damage by hand.
  void Change(const std::string& version, const std::string& file) {
    const std::string path = version_directory(version) + "/" + file;
    const std::string content = *ReadFile(path);
    ASSERT_TRUE(WriteFileAtomically(path, content.substr(0, content.size() - 1) + "?"));
  }
};

TEST_F(ChannelFrames, FetchOnlyThoseWithWhatIsNew) {
  PublishTwo();
  const Ran update = ExpectUpdate("frames");
  EXPECT_LT(Downloaded(update), 80'000);
  EXPECT_EQ(Text(Json(update), "archive"), Digest::Of(archives_["1.1.0"]).Hex());
  EXPECT_EQ(Text(Json(update), "origin"), "channel");
  const std::vector<std::string> requests = ArchiveRequests();
  EXPECT_THAT(requests, Each(HasSubstr(" bytes=")));
  EXPECT_LE(requests.size(), 4U);  // the index, the inventory, app, the large file
  ExpectActive("1.1.0");
  struct stat status {};
  ASSERT_EQ(stat((version_directory("1.1.0") + "/app/node_modules/library/index.js").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0111U, 0111U);
}

TEST_F(ChannelFrames, ThatAreThereAreNotFetchedAgain) {
  PublishTwo();
  // The requests for the index and the inventory work, the others are cut.
  spoil_ = [this](std::size_t offset, std::string& bytes) {
    const bool index = offset + bytes.size() == archives_["1.1.0"].size();
    cut_at_ = offset == 0 || index ? 0 : offset + 1000;
  };
  const Ran cut = Piship({"update", "hello", "--json"});
  EXPECT_EQ(cut.status, 4) << cut.err;
  EXPECT_EQ(Start().out, "1.0.0\n");
  EXPECT_THAT(Downloads(), ElementsAre(HasSubstr(".frames")));
  cut_at_ = 0;
  spoil_ = nullptr;
  Requests();
  ExpectUpdate("frames");
  EXPECT_LE(ArchiveRequests().size(), 2U);
  ExpectActive("1.1.0");
}

TEST_F(ChannelFrames, AServerWithoutRangesGivesTheWhole) {
  PublishTwo();
  ranges_ = false;
  const Ran update = ExpectUpdate("whole");
  EXPECT_THAT(Text(Json(update), "fallback"), HasSubstr("the server does not give parts of a file"));
  ExpectActive("1.1.0");
}

TEST_F(ChannelFrames, AServerThatSendsOtherBytesGivesTheWhole) {
  const std::function<void(std::size_t, std::string&)> lies[] = {
      [](std::size_t /*offset*/, std::string& bytes) { bytes[bytes.size() / 2] ^= 1; },
      [](std::size_t offset, std::string& bytes) {
        if (offset == 0) bytes[bytes.size() / 2] ^= 1;
      },
      [this](std::size_t offset, std::string& bytes) {
        if (offset > 0 && offset + bytes.size() != archives_["1.1.0"].size()) bytes[bytes.size() / 2] ^= 1;
      },
      [](std::size_t /*offset*/, std::string& bytes) { bytes.pop_back(); },
      [](std::size_t /*offset*/, std::string& bytes) { bytes += "more"; },
  };
  PublishTwo();
  for (const auto& lie : lies) {
    spoil_ = lie;
    const Ran update = ExpectUpdate("whole");
    EXPECT_THAT(Text(Json(update), "fallback"), HasSubstr("the frames that 1.0.0 lacks do not serve"));
    ExpectActive("1.1.0");
    spoil_ = nullptr;
    ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
    ASSERT_EQ(InstallUrl({"--release-version", "1.0.0"}).status, 0);
  }
}

TEST_F(ChannelFrames, ABaseThatWasChangedOnDiskMeansTheWholeArchive) {
  PublishTwo();
  for (const char* file :
       {"app/node_modules/library/index.js", "app/node_modules/library/large", "metadata/inventory"}) {
    Change("1.0.0", file);
    const Ran update = ExpectUpdate("whole");
    EXPECT_THAT(Text(Json(update), "fallback"), HasSubstr("the frames that 1.0.0 lacks do not serve")) << file;
    ExpectActive("1.1.0");
    ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
    ASSERT_EQ(InstallUrl({"--release-version", "1.0.0"}).status, 0);
  }
}

// A delta can't say which files were changed; frames bring those too.
TEST_F(ChannelFrames, ServeWhereADeltaDoesNot) {
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  AddRelease(ReleaseOf("1.1.0"), "stable", 1);
  Change("1.0.0", "resources/other");
  const Ran update = ExpectUpdate("frames");
  EXPECT_THAT(Text(Json(update), "fallback"), HasSubstr("the delta from 1.0.0 does not serve"));
  EXPECT_LT(Downloaded(update), 300'000);
  ExpectActive("1.1.0");
}

TEST_F(ChannelFrames, RepairFetchesThoseWithWhatIsDamaged) {
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  for (const char* file : {"resources/other", "engine/large", "metadata/inventory"}) {
    Change("1.0.0", file);
    EXPECT_EQ(Piship({"verify", "hello"}).status, 3);
    Requests();
    const Ran repair = Piship({"repair", "hello", "--json"});
    ASSERT_EQ(repair.status, 0) << repair.err;
    EXPECT_EQ(Text(Json(repair), "way"), "frames") << file << repair.err;
    EXPECT_LT(Downloaded(repair), 250'000) << file;
    EXPECT_THAT(ArchiveRequests(), Each(HasSubstr(" bytes="))) << file;
    ExpectActive("1.0.0");
  }
}

TEST_F(ChannelFrames, RepairTakesTheWholeWhereFramesDoNotServe) {
  Publish("1.0.0");
  ASSERT_EQ(InstallUrl().status, 0);
  Change("1.0.0", "resources/other");
  ranges_ = false;
  const Ran repair = Piship({"repair", "hello"});
  ASSERT_EQ(repair.status, 0) << repair.err;
  EXPECT_THAT(repair.err, HasSubstr("single frames do not serve: "));
  ExpectActive("1.0.0");
  // Where nothing is left, nothing is asked for in parts.
  ranges_ = true;
  std::filesystem::remove_all(version_directory("1.0.0"));
  Requests();
  ASSERT_EQ(Piship({"repair", "hello"}).status, 0);
  EXPECT_THAT(ArchiveRequests(), Contains(testing::Not(HasSubstr(" bytes="))));
  ExpectActive("1.0.0");
}

}  // namespace
}  // namespace piship
