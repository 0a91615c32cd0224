// SPDX-License-Identifier: MIT
// Small releases for tests of the runtime: an archive or a directory made from files in memory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/distribution_lock.h"
#include "support/archive_builder.h"

namespace piship {

struct TestRelease {
  // Prints its arguments, one a line, after "hello".
  static constexpr const char* kEchoScript =
      "console.log('hello'); for (const a of process.argv.slice(2)) console.log(a);\n";

  std::string id = "hello";
  std::string command = "hello";
  std::string version = "1.0.0";
  std::string platform = Platform::OfThisProgram().str();
  std::string range = ">=18";
  std::string script = kEchoScript;
  std::string entry = "app/main.js";
  std::map<std::string, std::string> environment = {};
  std::vector<std::string> arguments = {};
  std::vector<std::string> engine_flags = {};
  bool prepares = true;  // locks of before had no such script
  bool compile_cache = false;
  std::optional<ChannelPlace> channel = {};
  std::string root = {};                              // content of metadata/root.json; empty: there is none
  std::map<std::string, std::string> resources = {};  // below resources/, each "<kind>/<path>"
  VerifyAtLaunch verify = VerifyAtLaunch::kOff;
  std::int64_t keep_versions = kDefaultKeepVersions;
  std::int64_t state_schema = 0;
  std::vector<TestFile> extra = {};
  std::string runtime = {};         // content of bin/piship; empty: the runtime under test
  std::string payload_engine = {};  // content of engine/node; empty: the node of PATH

  DistributionLock Lock() const;
  std::vector<TestFile> Files() const;
  TestArchive Build() const { return TestArchive(Files()); }
  std::string Archive() const { return Build().Pack(); }
  // A single-file installer: the runtime under test with the archive behind it.
  std::string Installer() const;
  // As the archive would be extracted.
  void WriteDirectory(const std::string& directory) const;
  // The archive as a file in `directory`; gives its path.
  std::string WriteArchive(const std::string& directory) const;
};

// The runtime that is under test.
std::string RuntimePath();

}  // namespace piship
