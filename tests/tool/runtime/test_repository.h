// SPDX-License-Identifier: MIT
// A repository that piship-publish keeps, below a test's directory, with releases that are made for it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "model/release.h"
#include "publish/publish.h"
#include "support/http_server.h"
#include "support/release_builder.h"
#include "support/result_matchers.h"

namespace piship {

class TestRepository {
 protected:
  // Keeps keys, releases and repository in `directory`.
  explicit TestRepository(std::string directory) : directory_(std::move(directory)) {
    publish::Options options = WithKeys({});
    options.keys_directory = In("keys");
    options.channels = {"stable", "beta"};
    EXPECT_TRUE(publish::Run("init", options));
  }

  publish::Options WithKeys(const std::vector<std::string>& names) const {
    publish::Options options;
    options.repository = In("repository");
    for (const std::string& name : names) options.signing.keys.push_back(In("keys/" + name + ".pem"));
    return options;
  }
  std::string RootFile() const { return In("repository/metadata/1.root.json"); }

  void AddRelease(const TestRelease& payload, const std::string& channel, std::int64_t deltas) {
    const std::string version = payload.version;
    const std::string directory = In("release-" + payload.id + version + channel);
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

  struct FilePart {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // Whether the request is for a part of the file, and then which.
  static bool IsForPart(const ServerRequest& request, const std::string& file, FilePart& part) {
    const std::string range = request.Header("Range");
    if (!range.starts_with("bytes=")) return false;
    part = {std::min(file.size(), std::stoul(range.substr(6))), file.size()};
    if (!range.ends_with('-')) part.end = std::min(part.end, std::stoul(range.substr(range.find('-') + 1)) + 1);
    return true;
  }
  static std::string RangeHeader(const FilePart& part, const std::string& file) {
    return "Content-Range: bytes " + std::to_string(part.begin) + "-" + std::to_string(part.end - 1) + "/" +
           std::to_string(file.size()) + "\r\n";
  }
  // Hardly compresses.
  static std::string Noise(std::size_t size, std::uint32_t seed) {
    std::string text;
    for (std::uint32_t number = seed; text.size() < size; number = number * 1664525 + 1013904223) {
      text += static_cast<char>(number >> 24);
    }
    return text;
  }

  std::string In(const std::string& path) const { return JoinPath(directory_, path); }

  std::string directory_;
  std::map<std::string, std::string> archives_;  // by version
};

}  // namespace piship
