// SPDX-License-Identifier: MIT
// The conformance adapter as a program: its command line, its exit status, what it asks a server for and what it leaves
// on disk. What it accepts and refuses is tested in tests/unit/tuf; here stands what only the whole shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "net/url.h"
#include "support/http_server.h"
#include "support/result_matchers.h"
#include "support/run_program.h"
#include "support/temp_dir.h"
#include "support/tuf_repository.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Answers from memory; a test changes the repository only while no client runs.
class CollectSink : public tuf::ArtifactSink {
 public:
  Status Begin(std::uint64_t) override { return {}; }
  Status Take(std::string_view bytes) override {
    body.append(bytes);
    return {};
  }
  std::string body;
};

class TufProgram : public testing::Test {
 protected:
  TufProgram()
      : server_([this](const ServerRequest& request, ServerStream& stream) { return Answer(request, stream); }),
        metadata_(temp_ / "metadata"),
        artifacts_(temp_ / "artifacts") {
    std::filesystem::create_directory(metadata_);
    std::filesystem::create_directory(artifacts_);
  }

  AfterAnswer Answer(const ServerRequest& request, ServerStream& stream) {
    constexpr std::string_view kMetadata = "/a%5Btest%5D/metadata/";
    constexpr std::string_view kTargets = "/a%5Btest%5D/targets/";
    if (request.target.starts_with(kMetadata)) {
      const auto file = repository_.FetchMetadata(request.target.substr(kMetadata.size()), SIZE_MAX);
      stream.Respond(*file ? 200 : 404, file->value_or("nothing here"));
    } else if (request.target.starts_with(kTargets)) {
      CollectSink sink;
      const Status sent = repository_.FetchArtifact(request.target.substr(kTargets.size()), {}, SIZE_MAX, sink);
      stream.Respond(sent ? 200 : 404, sent ? sink.body : "nothing here");
    } else {
      stream.Respond(500, "outside");
    }
    return AfterAnswer::kKeepOpen;
  }

  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PISHIP_TEST_TUF_CLIENT);
    repository_.requests.clear();
    const Ran ran = RunProgram({.argv = arguments});
    error_ = ran.err;
    EXPECT_EQ(ran.out, "");
    return ran.status;
  }
  int Init() {
    EXPECT_TRUE(WriteFileAtomically(temp_ / "initial root.json", repository_.metadata.at("1.root.json")));
    return Run({"--metadata-dir", metadata_, "init", temp_ / "initial root.json"});
  }
  int Refresh() {
    return Run({"--metadata-url", server_.url() + "/a%5Btest%5D/metadata/", "--metadata-dir", metadata_, "refresh"});
  }
  int Download(const std::vector<std::string>& names) {
    std::vector<std::string> arguments = {"--metadata-url", server_.url() + "/a%5Btest%5D/metadata", "--metadata-dir",
                                          metadata_};
    for (const std::string& name : names) {
      arguments.emplace_back("--target-name");
      arguments.push_back(name);
    }
    for (const std::string& word : {std::string("--target-dir"), artifacts_, std::string("--target-base-url"),
                                    server_.url() + "/a%5Btest%5D/targets", std::string("download")}) {
      arguments.push_back(word);
    }
    return Run(arguments);
  }
  static std::vector<std::string> NamesIn(const std::string& directory) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  TempDir temp_;
  TufRepository repository_;
  HttpServer server_;
  std::string metadata_;
  std::string artifacts_;
  std::string error_;
};

TEST_F(TufProgram, InitMakesNoRequestAndRefreshFetchesTheTopLevel) {
  ASSERT_EQ(Init(), 0) << error_;
  EXPECT_THAT(repository_.requests, IsEmpty());
  EXPECT_THAT(NamesIn(metadata_), ElementsAre("root.json"));
  ASSERT_EQ(Refresh(), 0) << error_;
  EXPECT_THAT(repository_.requests, ElementsAre("2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json"));
  EXPECT_THAT(NamesIn(metadata_), ElementsAre("root.json", "snapshot.json", "targets.json", "timestamp.json"));
  EXPECT_EQ(*ReadFile(metadata_ + "/root.json"), repository_.metadata.at("1.root.json"));
}

TEST_F(TufProgram, EveryFailureIsStatusOne) {
  EXPECT_EQ(Refresh(), 1);  // no root
  EXPECT_EQ(Run({"--metadata-dir", metadata_, "init", temp_ / "missing"}), 1);
  EXPECT_EQ(Run({"--metadata-dir", metadata_, "reload"}), 1);
  EXPECT_EQ(Run({"refresh"}), 1);
  ASSERT_EQ(Init(), 0);
  repository_.metadata["timestamp.json"] = "{}";
  EXPECT_EQ(Refresh(), 1);
  EXPECT_NE(error_.find("METADATA_INVALID"), std::string::npos) << error_;
}

TEST_F(TufProgram, DownloadsSeveralTargetsInOrderAndNotAgain) {
  repository_.AddDelegation("targets", {"../role", {"path/*"}});
  repository_.AddTarget("targets", "first", "1");
  repository_.AddTarget("../role", "path/second", "2");
  repository_.Publish({"../role", "targets", "snapshot", "timestamp"});
  ASSERT_EQ(Init(), 0);
  ASSERT_EQ(Download({"first", "path/second"}), 0) << error_;
  const std::string one = Digest::Of("1").Hex();
  const std::string two = Digest::Of("2").Hex();
  EXPECT_THAT(repository_.requests, ElementsAre("2.root.json", "timestamp.json", "2.snapshot.json", "2.targets.json",
                                                one + ".first", "1...%2Frole.json", "path/" + two + ".second"));
  EXPECT_THAT(NamesIn(metadata_),
              ElementsAre("..%2Frole.json", "root.json", "snapshot.json", "targets.json", "timestamp.json"));
  EXPECT_THAT(NamesIn(artifacts_), ElementsAre("first", "path%2Fsecond"));
  ASSERT_EQ(Download({"path/second", "first"}), 0) << error_;
  EXPECT_THAT(repository_.requests, ElementsAre("2.root.json", "timestamp.json"));
}

TEST_F(TufProgram, AFailedTargetEndsTheCallAndLeavesNoFile) {
  repository_.AddTarget("targets", "first", "1");
  repository_.AddTarget("targets", "second", "2");
  repository_.AddTarget("targets", "third", "3");
  repository_.Publish({"targets", "snapshot", "timestamp"});
  repository_.artifacts["second"] = "x";
  ASSERT_EQ(Init(), 0);
  EXPECT_EQ(Download({"first", "second", "third"}), 1);
  EXPECT_THAT(NamesIn(artifacts_), ElementsAre("first"));
  EXPECT_EQ(Download({"missing"}), 1);
  EXPECT_NE(error_.find("TARGET_UNKNOWN"), std::string::npos) << error_;
}

TEST_F(TufProgram, WithoutConsistentSnapshotsFilesHaveTheirPlainNames) {
  repository_.consistent_snapshot = false;
  repository_.AddTarget("targets", "dir/file", "1");
  repository_.Publish({"root", "targets", "snapshot", "timestamp"});
  ASSERT_EQ(Init(), 0);
  ASSERT_EQ(Download({"dir/file"}), 0) << error_;
  EXPECT_EQ(repository_.requests.back(), "dir/file");
}

}  // namespace
}  // namespace piship
