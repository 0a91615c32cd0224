// SPDX-License-Identifier: MIT
#include "publish/deltas.h"

#include <algorithm>

#include "format/delta.h"
#include "support/archive_builder.h"
#include "unit/publish/publish_fixture.h"

namespace piship::publish {
namespace {

class DeltaPublishing : public Publishing {
 protected:
  void SetUp() override {
    PISHIP_ASSERT_OK(Init());
    PISHIP_ASSERT_OK(Trust());
  }
  static std::string Noise(std::size_t size) {
    std::string text;
    for (std::uint32_t number = 7; text.size() < size; number = number * 1664525 + 1013904223) {
      text += static_cast<char>(number >> 24);
    }
    return text;
  }
  // A real archive whose large file differs from version to version in its end.
  static TestArchive ArchiveOf(const std::string& version) {
    return TestArchive({{"a/large", Noise(200'000) + version}, {"a/same", "same"}});
  }
  Status AddVersion(const std::string& version, std::int64_t deltas, const std::string& channel = "stable") {
    Options options = OptionsWith(online_);
    if (channel == "beta") options = OptionsWith({"beta", "snapshot", "timestamp"});
    options.channel = channel;
    options.deltas = deltas;
    options.releases = {MakeRelease(version, ArchiveOf(version))};
    return publish::Run("add", options);
  }
  static std::string PathOf(const std::string& from, const std::string& to, const std::string& channel = "stable") {
    return channel + "/hello-" + to + "-linux-x64.from-" + from + ".delta";
  }
  void ExpectDelta(const std::string& from, const std::string& to, const std::string& channel = "stable") {
    const auto got = Get(PathOf(from, to, channel));
    PISHIP_ASSERT_OK(got);
    EXPECT_LT(got->size(), 1000U);
    const auto delta = ParseDelta(*got, "delta");
    PISHIP_ASSERT_OK(delta);
    const TestArchive base = ArchiveOf(from);
    EXPECT_EQ(delta->base, Digest::Of(base.inventory_text));
    const auto text = InventoryOf(*delta, base.inventory_text, "delta");
    PISHIP_ASSERT_OK(text);
    EXPECT_EQ(*text, ArchiveOf(to).inventory_text);
  }
};

TEST_F(DeltaPublishing, LeadFromTheReleasesBeforeToTheNewest) {
  for (const char* version : {"1.0.0", "1.1.0", "1.10.0", "1.9.0"}) PISHIP_ASSERT_OK(AddVersion(version, 2));
  ExpectDelta("1.9.0", "1.10.0");
  ExpectDelta("1.1.0", "1.10.0");
  // It was made when 1.9.0 had not come between.
  ExpectDelta("1.0.0", "1.10.0");
  PISHIP_EXPECT_ERROR(Get(PathOf("1.0.0", "1.1.0")), ErrorCode::kTargetUnknown);
  PISHIP_EXPECT_ERROR(Get(PathOf("1.1.0", "1.9.0")), ErrorCode::kTargetUnknown);
}

TEST_F(DeltaPublishing, AreOnlyMadeWhereTheyAreAskedFor) {
  PISHIP_ASSERT_OK(AddVersion("1.0.0", 0));
  PISHIP_ASSERT_OK(AddVersion("1.1.0", 0));
  PISHIP_EXPECT_ERROR(Get(PathOf("1.0.0", "1.1.0")), ErrorCode::kTargetUnknown);
  PISHIP_ASSERT_OK(AddVersion("1.1.0", 5));
  ExpectDelta("1.0.0", "1.1.0");
  PISHIP_EXPECT_ERROR(AddVersion("1.1.0", -1), ErrorCode::kUsage);
  PISHIP_EXPECT_ERROR(AddVersion("1.1.0", 51), ErrorCode::kUsage);
}

TEST_F(DeltaPublishing, GoWithTheirRelease) {
  PISHIP_ASSERT_OK(AddVersion("1.0.0", 5, "beta"));
  PISHIP_ASSERT_OK(AddVersion("1.1.0", 5, "beta"));
  Options options = OptionsWith(online_);
  options.from = "beta";
  options.channel = "stable";
  options.id = "hello";
  options.version = "1.1.0";
  PISHIP_ASSERT_OK(publish::Run("promote", options));
  ExpectDelta("1.0.0", "1.1.0");
  PISHIP_ASSERT_OK(publish::Run("withdraw", options));
  PISHIP_EXPECT_ERROR(Get(PathOf("1.0.0", "1.1.0")), ErrorCode::kTargetUnknown);
  ExpectDelta("1.0.0", "1.1.0", "beta");
}

TEST_F(DeltaPublishing, ThatAreHardlySmallerAreLeftOut) {
  PISHIP_ASSERT_OK(AddVersion("1.0.0", 5));
  Options options = OptionsWith(online_);
  options.channel = "stable";
  options.deltas = 5;
  std::string unlike = Noise(200'000);
  std::reverse(unlike.begin(), unlike.end());
  const std::vector<TestFile> files = {{"b", unlike}};
  const TestArchive other(files);
  options.releases = {MakeRelease("2.0.0", other)};
  PISHIP_ASSERT_OK(publish::Run("add", options));
  PISHIP_ASSERT_OK(Get("stable/hello-2.0.0-linux-x64.tar.zst"));
  PISHIP_EXPECT_ERROR(Get(PathOf("1.0.0", "2.0.0")), ErrorCode::kTargetUnknown);
}

}  // namespace
}  // namespace piship::publish
