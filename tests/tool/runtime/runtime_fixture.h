// SPDX-License-Identifier: MIT
// Runs the built runtime with all homes in a fresh directory.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "home/homes.h"
#include "model/receipt.h"
#include "support/release_builder.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace piship {

class RuntimeTest : public testing::Test {
 protected:
  RuntimeTest() {
    const char* path = std::getenv("PATH");
    environment_ = {{"HOME", temp_ / "home"},
                    {"PISHIP_INSTALL_HOME", install_home()},
                    {"PISHIP_STATE_HOME", temp_ / "state"},
                    {"PISHIP_BIN_HOME", temp_ / "bin"},
                    {"PISHIP_CACHE_HOME", temp_ / "cache"},
                    {"PISHIP_RECLAIM_BUDGET_MS", "600000"},  // what a test expects to be gone must not depend on time
                    {"PATH", path != nullptr ? path : "/usr/bin:/bin"}};
  }

  std::string install_home() const { return temp_ / "install"; }
  std::string command(const std::string& name = "hello") const { return temp_ / ("bin/" + name); }
  std::string version_directory(const std::string& version = "1.0.0", const std::string& id = "hello") const {
    return VersionDirectory(install_home(), id, version);
  }

  Program Verb(std::vector<std::string> words) const {
    words.insert(words.begin(), RuntimePath());
    return Program{.argv = std::move(words), .environment = environment_};
  }
  Ran Piship(std::vector<std::string> words) const { return RunProgram(Verb(std::move(words))); }
  Program Command(std::vector<std::string> words, const std::string& name = "hello") const {
    words.insert(words.begin(), command(name));
    return Program{.argv = std::move(words), .environment = environment_};
  }
  Ran Start(std::vector<std::string> words = {}) const { return RunProgram(Command(std::move(words))); }

  Ran Install(const TestRelease& payload, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"install", payload.WriteArchive(temp_.path())});
    return Piship(std::move(options));
  }

  // A release whose engine is a script that prints the version: it starts at once, so that many starts are cheap.
  // `bytes` more, in `files` files, make its install last.
  static TestRelease QuickRelease(const std::string& version, std::size_t files = 40, std::size_t bytes = 4 << 20) {
    TestRelease payload;
    payload.version = version;
    payload.payload_engine = "#!/bin/sh\necho " + version + "\n";
    std::minstd_rand random(static_cast<unsigned>(files) + static_cast<unsigned char>(version[0]));
    for (std::size_t index = 0; index < files; ++index) {
      std::string noise(bytes / files, '\0');
      for (char& c : noise) c = static_cast<char>(random() >> 8);
      payload.extra.push_back({"app/lib/" + std::to_string(index % 7) + "/" + std::to_string(index), noise});
    }
    return payload;
  }

  // The same with almost nothing to pack: the launcher is a script that starts the runtime under test.
  static TestRelease TinyRelease(const std::string& version, std::size_t bytes = 64) {
    TestRelease payload = QuickRelease(version, 2, bytes);
    payload.runtime = "#!/bin/sh\nexec \"" + RuntimePath() + "\" launch hello -- \"$@\"\n";
    return payload;
  }

  // A small release whose runtime and engine are scripts: made, packed and installed in no time.
  static TestRelease SmallRelease(const std::string& version) {
    TestRelease release;
    release.version = version;
    release.runtime = "#!/bin/sh\necho runtime\n";
    release.payload_engine = "#!/bin/sh\necho " + version + "\n";
    return release;
  }

  std::string ReceiptText(const std::string& id = "hello") const {
    auto text = ReadFile(ReceiptPath(install_home(), id));
    return text ? *text : std::string();
  }
  Receipt InstalledReceipt(const std::string& id = "hello") const {
    auto receipt = Receipt::Parse(ReceiptText(id), "receipt");
    EXPECT_TRUE(receipt.has_value());
    return receipt ? *receipt : Receipt();
  }
  // The names in a directory, sorted.
  static std::vector<std::string> Names(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(directory, missing)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::vector<std::string> AppNames(const std::string& id = "hello") const {
    return Names(AppDirectory(install_home(), id));
  }

  // What --json printed; the parser refuses a member that is named twice.
  static json::Value Json(const Ran& ran) {
    auto value = json::Parse(ran.out, "output");
    EXPECT_TRUE(value.has_value()) << ran.out << ran.err;
    return value ? *value : json::Value();
  }
  static std::string Text(const json::Value& value, std::string_view name) {
    const json::Value* member = value.Find(name);
    return member != nullptr && member->is(json::Kind::kString) ? member->string() : "(none)";
  }
  static std::vector<std::string> Texts(const json::Value& value, std::string_view name) {
    std::vector<std::string> texts;
    const json::Value* member = value.Find(name);
    EXPECT_TRUE(member != nullptr && member->is(json::Kind::kArray)) << name;
    if (member == nullptr) return texts;
    for (const json::Value& item : member->array()) texts.push_back(item.string());
    return texts;
  }
  static bool Is(const json::Value& value, std::string_view name) {
    const json::Value* member = value.Find(name);
    EXPECT_TRUE(member != nullptr && member->is(json::Kind::kBoolean)) << name;
    return member != nullptr && member->boolean();
  }

  static bool Exists(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0;
  }
  static void Append(const std::string& path, const std::string& text) {
    auto fd = OpenFile(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
    ASSERT_TRUE(fd.has_value());
    ASSERT_TRUE(WriteAll(fd->get(), text, path).has_value());
  }

  TempDir temp_;
  std::map<std::string, std::string> environment_;
};

}  // namespace piship
