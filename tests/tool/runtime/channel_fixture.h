// SPDX-License-Identifier: MIT
// A repository, served over loopback by a server that can be told to cut, to substitute, to lack ranges or files and to
// be gone.
#pragma once

#include <algorithm>
#include <ctime>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "publish/entries.h"
#include "publish/repository.h"
#include "publish/signers.h"
#include "support/http_server.h"
#include "tool/runtime/runtime_fixture.h"
#include "tool/runtime/test_repository.h"

namespace piship {

class ChannelVerbs : public RuntimeTest, protected TestRepository {
 protected:
  ChannelVerbs()
      : TestRepository(temp_.path()),
        server_([this](const ServerRequest& request, ServerStream& stream) { return Answer(request, stream); }) {}

  void Add(const std::string& version, const std::string& channel = "stable", std::size_t bytes = 64) {
    AddRelease(TinyRelease(version, bytes), channel, 0);
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
    if (instead_ && instead_(request, stream)) return AfterAnswer::kClose;
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
    FilePart part{0, body.size()};
    const bool asked = ranges_ && IsForPart(request, body, part);
    std::string answer = body.substr(part.begin, part.end - part.begin);
    if (asked && spoil_) spoil_(part.begin, answer);
    const std::string header = asked ? RangeHeader(part, body) : std::string();
    if (cut_at_ != 0 && cut_at_ < part.end) {
      stream.Send("HTTP/1.1 " + std::string(asked ? "206 Partial Content" : "200 OK") + "\r\n" + header +
                  "Content-Length: " + std::to_string(answer.size()) + "\r\n\r\n" +
                  answer.substr(0, std::max(cut_at_, part.begin) - part.begin));
      return AfterAnswer::kClose;
    }
    stream.Respond(asked ? 206 : 200, answer, header);
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
  // Answers in the place of the repository where it gives true; then the connection is closed.
  std::function<bool(const ServerRequest& request, ServerStream& stream)> instead_;
  std::vector<std::string> requests_;
  std::string substitute_;
  std::string missing_;  // what names of files that are not served hold
  bool ranges_ = true;
  std::function<void(std::size_t offset, std::string& bytes)> spoil_;  // what is answered to a request for a part
  std::size_t cut_at_ = 0;
  HttpServer server_;
};

}  // namespace piship
