// SPDX-License-Identifier: MIT
// A repository that piship-publish keeps, served over loopback by a server that can be told to cut, to substitute, to
// lack ranges or files and to be gone.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model/release.h"
#include "publish/entries.h"
#include "publish/publish.h"
#include "publish/repository.h"
#include "publish/signers.h"
#include "support/http_server.h"
#include "support/result_matchers.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {

class ChannelVerbs : public RuntimeTest {
 protected:
  ChannelVerbs()
      : server_([this](const ServerRequest& request, ServerStream& stream) { return Answer(request, stream); }) {
    publish::Options options = WithKeys({});
    options.keys_directory = temp_ / "keys";
    options.channels = {"stable", "beta"};
    EXPECT_TRUE(publish::Run("init", options));
  }

  publish::Options WithKeys(const std::vector<std::string>& names) const {
    publish::Options options;
    options.repository = temp_ / "repository";
    for (const std::string& name : names) options.signing.keys.push_back(temp_ / ("keys/" + name + ".pem"));
    return options;
  }
  std::string RootFile() const { return temp_ / "repository/metadata/1.root.json"; }

  void Add(const std::string& version, const std::string& channel = "stable", std::size_t bytes = 64) {
    AddRelease(TinyRelease(version, bytes), channel, 0);
  }
  void AddRelease(TestRelease payload, const std::string& channel, std::int64_t deltas) {
    const std::string version = payload.version;
    const std::string directory = temp_ / ("release-" + payload.id + version + channel);
    ASSERT_TRUE(MakeDirectories(directory).has_value());
    const std::string archive = payload.WriteArchive(directory);
    const TestArchive built = payload.Build();
    Release release;
    release.id = payload.id;
    release.command = payload.command;
    release.version = version;
    release.platform = *Platform::Parse(payload.platform);
    release.archive_name = std::string(FileName(archive));
    const std::string content = *ReadFile(archive);
    release.archive_bytes = content.size();
    release.archive = Digest::Of(content);
    release.inventory = Digest::Of(built.inventory_text);
    release.lock = Digest::Of(payload.Lock().Text());
    ASSERT_TRUE(WriteFileAtomically(directory + "/release.json", release.Text()).has_value());
    publish::Options options = WithKeys({channel, "snapshot", "timestamp"});
    options.channel = channel;
    options.deltas = deltas;
    options.releases = {directory + "/release.json"};
    PISHIP_ASSERT_OK(publish::Run("add", options));
    archives_[version] = content;
  }

  // Signs that only a runtime of that format can install the release of channel stable.
  void RequireRuntime(const std::string& version, std::int64_t format) {
    auto repository = publish::Repository::Open(temp_ / "repository");
    ASSERT_TRUE(repository.has_value());
    json::Value body = repository->Latest("stable")->body;
    json::Value targets = *body.Find("targets");
    for (const json::Member& member : body.Find("targets")->object()) {
      if (publish::TextOf(member.value, publish::kReleaseEntry, "version") != version) continue;
      const json::Value& custom = *member.value.Find("custom");
      const json::Value ours = publish::With(*custom.Find(publish::kReleaseEntry), "minimum_runtime", format);
      targets = publish::With(
          targets, member.name,
          publish::With(member.value, "custom", publish::With(custom, std::string(publish::kReleaseEntry), ours)));
    }
    const std::int64_t now = std::time(nullptr);
    repository->Stage("stable", publish::With(body, "targets", targets), now);
    const auto signers = publish::OpenSigners(WithKeys({"stable", "snapshot", "timestamp"}).signing);
    ASSERT_TRUE(signers.has_value());
    PISHIP_ASSERT_OK(repository->Advance(*signers, now));
  }

  AfterAnswer Answer(const ServerRequest& request, ServerStream& stream) {
    const std::lock_guard guard(mutex_);
    requests_.push_back(request.target + (request.Header("Range").empty() ? "" : " " + request.Header("Range")));
    if (!request.target.starts_with("/repository/")) {
      stream.Respond(500, "outside");
      return AfterAnswer::kClose;
    }
    const auto file = ReadFile(temp_.path() + request.target);
    if (!file || (!missing_.empty() && request.target.find(missing_) != std::string::npos)) {
      stream.Respond(404, "nothing here");
      return AfterAnswer::kKeepOpen;
    }
    std::string body = *file;
    if (request.target.find("/targets/") == std::string::npos) {
      stream.Respond(200, body);
      return AfterAnswer::kKeepOpen;
    }
    if (!substitute_.empty()) body = substitute_;
    std::string range = request.Header("Range");
    const bool part = ranges_ && range.starts_with("bytes=");
    std::size_t offset = 0;
    std::size_t end = body.size();
    if (part) {
      range.erase(0, 6);
      offset = std::min(body.size(), std::stoul(range));
      if (!range.ends_with('-')) end = std::min(end, std::stoul(range.substr(range.find('-') + 1)) + 1);
    }
    const std::string header = part ? "Content-Range: bytes " + std::to_string(offset) + "-" + std::to_string(end - 1) +
                                          "/" + std::to_string(body.size()) + "\r\n"
                                    : std::string();
    std::string answer = body.substr(offset, end - offset);
    if (part && spoil_) spoil_(offset, answer);
    if (cut_at_ != 0 && cut_at_ < end) {
      stream.Send("HTTP/1.1 " + std::string(part ? "206 Partial Content" : "200 OK") + "\r\n" + header +
                  "Content-Length: " + std::to_string(answer.size()) + "\r\n\r\n" +
                  answer.substr(0, std::max(cut_at_, offset) - offset));
      return AfterAnswer::kClose;
    }
    stream.Respond(part ? 206 : 200, answer, header);
    return AfterAnswer::kKeepOpen;
  }

  std::vector<std::string> Requests() {
    const std::lock_guard guard(mutex_);
    return std::exchange(requests_, {});
  }
  Ran InstallUrl(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"install", server_.url() + "/repository", "--id", "hello", "--root", RootFile()});
    return Piship(std::move(options));
  }
  // Hardly compresses.
  static std::string Noise(std::size_t size, std::uint32_t seed) {
    std::string text;
    for (std::uint32_t number = seed; text.size() < size; number = number * 1664525 + 1013904223) {
      text += static_cast<char>(number >> 24);
    }
    return text;
  }
  void ExpectActive(const std::string& version) {
    EXPECT_EQ(Start().out, version + "\n");
    const Ran verified = Piship({"verify", "hello"});
    EXPECT_EQ(verified.status, 0) << verified.err;
    EXPECT_TRUE(Downloads().empty());
  }
  Ran ExpectUpdate(const std::string& way) {
    const Ran update = Piship({"update", "hello", "--json"});
    EXPECT_EQ(update.status, 0) << update.err;
    EXPECT_EQ(Text(Json(update), "way"), way) << update.out;
    return update;
  }
  std::vector<std::string> Downloads() const { return Names(install_home() + "/downloads"); }

  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::string substitute_;
  std::string missing_;  // what names of files that are not served hold
  bool ranges_ = true;
  std::function<void(std::size_t offset, std::string& bytes)> spoil_;  // what is answered to a request for a part
  std::size_t cut_at_ = 0;
  std::map<std::string, std::string> archives_;
  HttpServer server_;
};

}  // namespace piship
