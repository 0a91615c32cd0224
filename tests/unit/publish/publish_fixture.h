// SPDX-License-Identifier: MIT
// An owner with keys and releases, and a user who trusts the first root and fetches from the repository's directory.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "model/release.h"
#include "publish/publish.h"
#include "publish/repository.h"
#include "support/archive_builder.h"
#include "support/directory_fetcher.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"
#include "tuf/client.h"

namespace piship::publish {

class Publishing : public testing::Test {
 protected:
  Publishing() : repository_(temp_ / "repository"), keys_(temp_ / "keys") {}

  Options OptionsWith(const std::vector<std::string>& key_names) {
    Options options;
    options.repository = repository_;
    options.now = now_;
    for (const std::string& name : key_names) options.signing.keys.push_back(keys_ + "/" + name + ".pem");
    return options;
  }
  Status Init() {
    Options options = OptionsWith({});
    options.keys_directory = keys_;
    options.channels = {"stable", "beta"};
    return publish::Run("init", options);
  }
  // The archive of one file.
  static TestArchive ArchiveOf(const std::string& content) {
    return TestArchive(std::vector<TestFile>{{"app/data", content}});
  }
  // A release.json beside its archive.
  std::string MakeRelease(const std::string& version, const TestArchive& archive,
                          const std::string& platform = "linux-x64") {
    const std::string content = archive.Pack();
    Release release;
    release.id = release.command = "hello";
    release.version = version;
    release.platform = *Platform::Parse(platform);
    release.archive_name = "hello-" + version + "-" + platform + ".tar.zst";
    release.archive_bytes = content.size();
    release.archive = Digest::Of(content);
    release.inventory = Digest::Of(archive.inventory_text);
    release.lock = Digest::Of("lock");
    const std::string directory = temp_ / ("release-" + version + platform + release.archive.Hex());
    EXPECT_TRUE(MakeDirectories(directory));
    EXPECT_TRUE(WriteFileAtomically(directory + "/" + release.archive_name, content));
    EXPECT_TRUE(WriteFileAtomically(directory + "/release.json", release.Text()));
    return directory + "/release.json";
  }
  Status Add(const std::string& channel, const std::string& version, const std::vector<std::string>& keys,
             const std::string& content = "content") {
    Options options = OptionsWith(keys);
    options.channel = channel;
    options.releases = {MakeRelease(version, ArchiveOf(content))};
    return publish::Run("add", options);
  }
  Status Do(std::string_view verb, const std::vector<std::string>& keys) {
    return publish::Run(verb, OptionsWith(keys));
  }

  Status Trust() {
    PISHIP_TRY(const std::string root, ReadFile(repository_ + "/metadata/1.root.json"));
    return tuf::TrustedDirectory(temp_ / "trust").Begin(root);
  }
  // What the user's client gets for the target, or its error.
  Result<std::string> Get(const std::string& path) {
    DirectoryFetcher fetcher(repository_);
    PISHIP_TRY(tuf::Client client, tuf::Client::Open(temp_ / "trust", fetcher, *tuf::ParseTime(now_)));
    PISHIP_TRY(const tuf::FoundTarget target, client.Find(path));
    const std::string file = temp_ / "got";
    PISHIP_CHECK(client.Download(target, file));
    return ReadFile(file);
  }
  std::int64_t TimestampVersion() {
    const auto timestamp = tuf::ParseTimestamp(*ReadFile(repository_ + "/metadata/timestamp.json"), "timestamp.json");
    return timestamp ? timestamp->version : 0;
  }
  bool Staged() { return std::filesystem::exists(repository_ + "/staged"); }

  TempDir temp_;
  std::string repository_;
  std::string keys_;
  std::string now_ = "2030-01-01T00:00:00Z";
  const std::vector<std::string> online_ = {"stable", "snapshot", "timestamp"};
};

}  // namespace piship::publish
