// SPDX-License-Identifier: MIT
// What is remembered of a whole run: that it serves, and that it never hides a change.
#include "vendor/vendor.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "base/files.h"
#include "store/store.h"
#include "support/result_matchers.h"
#include "support/tarball_builder.h"
#include "support/temp_dir.h"
#include "vendor/tarball_cache.h"

namespace piship {
namespace {

namespace fs = std::filesystem;

class VendorTest : public testing::Test {
 protected:
  void SetUp() override {
    tarball_ = TarballBuilder().File("package/package.json", "{}").File("package/a.js", "let a\n").Gzip();
    Hasher hasher(HashAlgorithm::kSha512);
    hasher.Update(tarball_);
    integrity_ = FormatIntegrity(HashAlgorithm::kSha512, hasher.Finish());
    PutTarball();
    Write("package.json", R"({"dependencies": {"a": "1"}})");
    WriteLock(R"("integrity": ")" + integrity_ + "\"");
    options_.package_json = directory_ / "package.json";
    options_.lockfile = directory_ / "package-lock.json";
    const auto platform = Platform::Parse("linux-x64");
    PISHIP_ASSERT_OK(platform);
    options_.selection.platform = *platform;
    options_.store = directory_ / "store";
    options_.fetch.tarballs = directory_ / "tarballs";
    options_.fetch.project_directory = directory_.path();
    options_.fetch.network = NetworkUse::kRefused;
    options_.output = directory_ / "out.inventory";
    options_.depfile = directory_ / "out.d";
    options_.report = directory_ / "report.json";
  }

  void Write(std::string_view name, std::string_view text) { std::ofstream(directory_ / name) << text; }
  void WriteLock(const std::string& members) {
    Write("package-lock.json",
          R"({"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1.0.0", )" + members + "}}}");
  }
  void PutTarball() {
    const auto cache = TarballCache::Open(directory_ / "tarballs");
    PISHIP_ASSERT_OK(cache);
    TarballWriter writer(*cache, HashAlgorithm::kSha512);
    PISHIP_ASSERT_OK(writer.Begin({}));
    PISHIP_ASSERT_OK(writer.Take(tarball_));
    PISHIP_ASSERT_OK(writer.Commit(std::nullopt));
  }
  // So that only what is remembered of the whole can serve.
  void ForgetPackages() {
    fs::remove_all(directory_ / "tarballs");
    fs::remove_all(directory_ / "store/memos/package");
  }
  std::string Output(std::string_view name) const { return *ReadFile(directory_ / name); }

  TempDir directory_;
  std::string tarball_;
  std::string integrity_;
  VendorOptions options_;
};

TEST_F(VendorTest, AKnownLockNeedsNothingButItsObjects) {
  PISHIP_ASSERT_OK(Vendor(options_));
  const std::string inventory = Output("out.inventory");
  const std::string report = Output("report.json");
  EXPECT_NE(inventory.find(" node_modules/a/a.js\n"), std::string::npos);
  for (const char* name : {"out.inventory", "out.d", "report.json"}) fs::remove(directory_ / name);
  ForgetPackages();
  PISHIP_ASSERT_OK(Vendor(options_));
  EXPECT_EQ(Output("out.inventory"), inventory);
  EXPECT_EQ(Output("report.json"), report);
  EXPECT_NE(Output("out.d").find("epoch"), std::string::npos);
}

TEST_F(VendorTest, ALostObjectIsPutAgain) {
  PISHIP_ASSERT_OK(Vendor(options_));
  fs::remove_all(directory_ / "store/objects");
  PISHIP_ASSERT_OK(Vendor(options_));
  const auto store = Store::Open(options_.store);
  PISHIP_ASSERT_OK(store);
  EXPECT_EQ(store->Read(Digest::Of("let a\n"), 6), "let a\n");
  fs::remove_all(directory_ / "store/objects");
  ForgetPackages();
  PISHIP_EXPECT_ERROR(Vendor(options_), ErrorCode::kOffline);
}

TEST_F(VendorTest, ADamagedMemoIsNone) {
  PISHIP_ASSERT_OK(Vendor(options_));
  const std::string inventory = Output("out.inventory");
  for (const auto& file : fs::recursive_directory_iterator(directory_ / "store/memos/vendor")) {
    if (!file.is_regular_file()) continue;
    fs::permissions(file.path(), fs::perms::owner_write, fs::perm_options::add);
    std::fstream(file.path(), std::ios::in | std::ios::out | std::ios::ate) << "x";
  }
  PISHIP_ASSERT_OK(Vendor(options_));
  EXPECT_EQ(Output("out.inventory"), inventory);
  ForgetPackages();
  PISHIP_EXPECT_ERROR(
      [&] {
        fs::remove_all(directory_ / "store/memos/vendor");
        return Vendor(options_);
      }(),
      ErrorCode::kOffline);
}

TEST_F(VendorTest, WhateverDecidesTheResultIsAskedAnew) {
  PISHIP_ASSERT_OK(Vendor(options_));
  Write("package.json", R"({"dependencies": {"a": "2"}})");
  PISHIP_EXPECT_ERROR(Vendor(options_), ErrorCode::kLockfileMismatch);
  Write("package.json", R"({"dependencies": {"a": "1"}})");
  WriteLock(R"("cpu": ["x64"], "integrity": ")" + integrity_ + "\"");
  PISHIP_ASSERT_OK(Vendor(options_));
  const auto platform = Platform::Parse("linux-arm64");
  PISHIP_ASSERT_OK(platform);
  options_.selection.platform = *platform;
  PISHIP_EXPECT_ERROR(Vendor(options_), ErrorCode::kLockfileInvalid);
}

TEST_F(VendorTest, WhatTheLockDoesNotPinIsNotRemembered) {
  options_.selection.without_integrity = {"a"};
  WriteLock(R"("resolved": "https://registry.invalid/a.tgz")");
  const auto cache = TarballCache::Open(directory_ / "tarballs");
  PISHIP_ASSERT_OK(cache);
  const auto integrity = Integrity::Parse(integrity_);
  PISHIP_ASSERT_OK(integrity);
  PISHIP_ASSERT_OK(cache->Remember("https://registry.invalid/a.tgz", *integrity));
  PISHIP_ASSERT_OK(Vendor(options_));
  EXPECT_FALSE(fs::exists(directory_ / "store/memos/vendor"));
}

}  // namespace
}  // namespace piship
