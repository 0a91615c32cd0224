// SPDX-License-Identifier: MIT
// A repository, a directory of trust that begins with its first root, and a client for each run.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"
#include "support/tuf_repository.h"
#include "tuf/client.h"

namespace piship {

inline constexpr std::int64_t kNow = 1'800'000'000;  // 2027-01-15
inline constexpr std::int64_t kDay = 86'400;

class TufClient : public testing::Test {
 protected:
  TufClient() { Trust(); }

  // Begins anew with the repository's first root.
  void Trust() {
    directory_ = temp_ / ("trust" + std::to_string(++directories_));
    const Status begun = tuf::TrustedDirectory(directory_).Begin(repository_.metadata.at("1.root.json"));
    if (!begun) ADD_FAILURE() << FormatError("test", begun.error());
    repository_.requests.clear();
  }
  // One run of a client, with requests counted from zero.
  Status Refresh(std::int64_t now = kNow) {
    repository_.requests.clear();
    auto client = tuf::Client::Open(directory_, repository_, now, limits_);
    if (!client) return Fail(client.error());
    return client->Refresh();
  }
  Result<tuf::FoundTarget> Find(const std::string& path, std::int64_t now = kNow) {
    repository_.requests.clear();
    auto client = tuf::Client::Open(directory_, repository_, now, limits_);
    if (!client) return Fail(client.error());
    return client->Find(path);
  }
  Status Download(const std::string& path) {
    repository_.requests.clear();
    auto client = tuf::Client::Open(directory_, repository_, kNow, limits_);
    if (!client) return Fail(client.error());
    PISHIP_TRY(const tuf::FoundTarget target, client->Find(path));
    return client->Download(target, temp_ / "artifact");
  }
  std::string Stored(const std::string& role) {
    auto text = tuf::TrustedDirectory(directory_).Load(role);
    return text && *text ? **text : std::string();
  }
  // Zero where the role is not stored.
  std::int64_t StoredVersion(const std::string& role) {
    const auto document = json::Parse(Stored(role), role);
    return document ? document->Find("signed")->Find("version")->integer() : 0;
  }
  // The requests but those for root, timestamp, snapshot and targets.
  std::vector<std::string> DelegatedRequests() const {
    std::vector<std::string> names;
    for (const std::string& name : repository_.requests) {
      const std::size_t dot = name.find('.');
      const std::string role = name == "timestamp.json" ? "timestamp" : name.substr(dot + 1, name.size() - dot - 6);
      if (!tuf::IsTopLevel(role)) names.push_back(name);
    }
    return names;
  }
  std::string FlipOneByte(std::string text) {
    text[text.find("\"expires\"") + 14] ^= 1;  // a digit of the year
    return text;
  }

  TempDir temp_;
  TufRepository repository_;
  tuf::ClientLimits limits_;
  std::string directory_;
  int directories_ = 0;
};

}  // namespace piship
