// SPDX-License-Identifier: MIT
// Operations that a repository takes part in, with faults at their system calls.
#pragma once

#include "support/http_server.h"
#include "tool/runtime/fault_points.h"
#include "tool/runtime/test_repository.h"

namespace piship {

class ChannelFaultPoints : public FaultPoints, protected TestRepository {
 protected:
  ChannelFaultPoints()
      : TestRepository(temp_.path()), server_([this](const ServerRequest& request, ServerStream& stream) {
          const auto file = ReadFile(temp_.path() + request.target);
          FilePart part;
          if (!file) {
            stream.Respond(404, "nothing here");
          } else if (IsForPart(request, *file, part)) {
            stream.Respond(206, file->substr(part.begin, part.end - part.begin), RangeHeader(part, *file));
          } else {
            stream.Respond(200, *file);
          }
          return AfterAnswer::kKeepOpen;
        }) {}

  void Publish(const std::string& version, std::int64_t deltas = 0) {
    AddRelease(SmallRelease(version), "stable", deltas);
  }
  // One of which some frames are enough.
  void PublishInFrames(const std::string& version) {
    TestRelease release = SmallRelease(version);
    release.extra.push_back({"app/node_modules/library/index.js", Noise(300'000, 9)});
    AddRelease(release, "stable", 0);
  }
  Program InstallingFromChannel() const {
    return Verb({"install", server_.url() + "/repository", "--id", "hello", "--root", RootFile()});
  }
  // What has come of the archive before a download was cut.
  void BeginDownload(const std::string& version, std::size_t bytes) {
    const std::string content = archives_.at(version);
    const std::string directory = DownloadsDirectory(install_home());
    ASSERT_TRUE(MakeDirectories(directory).has_value());
    Append(directory + "/" + Digest::Of(content).Hex() + ".part", content.substr(0, bytes));
  }
  void InstallFirst() {
    Publish("1.0.0");
    InstallPublished();
  }
  void InstallPublished() {
    Do(InstallingFromChannel());
    Do(Verb({"list"}));
  }

  HttpServer server_;
};

}  // namespace piship
