// SPDX-License-Identifier: MIT
// A store in a fresh directory, and what tests do to its files behind its back.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "store/store.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {

class StoreTest : public testing::Test {
 protected:
  std::string StoreDirectory() const { return directory_ / "store"; }

  Store OpenStore() const {
    auto store = Store::Open(StoreDirectory());
    EXPECT_TRUE(store.has_value()) << FormatError("test", store.error());
    return *store;
  }

  std::string PathOf(const Digest& digest) const {
    const std::string hex = digest.Hex();
    return StoreDirectory() + "/objects/" + hex.substr(0, 2) + "/" + hex.substr(2);
  }

  std::string Epoch() const { return ReadFile(StoreDirectory() + "/epoch").value_or(""); }

  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(StoreDirectory())) {
      if (!entry.is_directory()) files.push_back(entry.path().string());
    }
    return files;
  }

  static void Overwrite(const std::string& path, std::string_view bytes) {
    std::filesystem::remove_all(path);
    PISHIP_ASSERT_OK(WriteFileAtomically(path, bytes));
  }

  static void SetAge(const std::string& path, std::int64_t seconds) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const timespec times[2] = {{now.tv_sec - seconds, 0}, {now.tv_sec - seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }

  static std::int64_t Age(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0);
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec - status.st_mtim.tv_sec;
  }

  TempDir directory_;
};

}  // namespace piship
