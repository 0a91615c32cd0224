// SPDX-License-Identifier: MIT
#include "tuf/metadata.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"
#include "support/tuf_repository.h"

namespace piship::tuf {
namespace {

class MetadataText : public testing::Test {
 protected:
  std::string Root() { return repository_.metadata.at("1.root.json"); }
  TufRepository repository_;
};

TEST_F(MetadataText, ReadsItsOwnForm) {
  PISHIP_ASSERT_OK(ParseRoot(Root(), "root.json"));
  const auto snapshot = ParseSnapshot(repository_.FileOf("snapshot"), "snapshot.json");
  PISHIP_ASSERT_OK(snapshot);
  EXPECT_EQ(snapshot->body.roles.at("targets").version, 1);
  EXPECT_EQ(snapshot->expires, 2'208'988'800);
}

TEST_F(MetadataText, T32HostileTextsAreRefused) {
  const std::string root = Root();
  std::string deep(100'000, '[');
  std::string wide = "{\"signed\":{";
  for (int index = 0; index < 600'000; ++index) wide += "\"" + std::to_string(index) + "\":0,";
  wide += "\"x\":0},\"signatures\":[]}";
  const std::vector<std::string> texts = {
      deep,
      wide,
      "",
      "null",
      "[]",
      "{}",
      root + "x",
      "\xef\xbb\xbf" + root,
      Replaced(root, "{", "{\"signed\": {}, "),
      Replaced(root, "\"version\": 1", "\"version\": NaN"),
      Replaced(root, "\"version\": 1", "\"version\": 1e400"),
      Replaced(root, "\"version\": 1", "\"version\": 1.0"),
      Replaced(root, "\"version\": 1", "\"version\": 0"),
      Replaced(root, "\"version\": 1", "\"version\": \"1\""),
      Replaced(root, "\"version\": 1", "\"version\": 99999999999999999999"),
      Replaced(root, "\"version\": 1", "\"version\": 1, \"a\": 0.5"),
      Replaced(root, "\"version\": 1", "\"version\": 1, \"a\": \"\\ud800\""),
      Replaced(root, "\"version\": 1", "\"version\": 1, \"a\": \"\xff\""),
      Replaced(root, "\"version\": 1", "\"Version\": 1"),
      Replaced(root, "1.0.31", "2.0.0"),
      Replaced(root, "2040-01-01T00:00:00Z", "2040-01-01"),
      Replaced(root, "\"threshold\": 1", "\"threshold\": 0"),
      Replaced(root, "\"snapshot\": {", "\"Snapshot\": {"),
  };
  for (const std::string& text : texts) EXPECT_FALSE(ParseRoot(text, "root.json")) << text.substr(0, 200);
}

TEST_F(MetadataText, AKeyIdStandsOnceAmongSignaturesAndInARole) {
  const SigningKey key = repository_.role("timestamp").keys[0];
  repository_.role("timestamp").signers = {key, key};
  repository_.Publish({"timestamp"});
  PISHIP_EXPECT_ERROR(ParseTimestamp(repository_.FileOf("timestamp"), "t"), ErrorCode::kMetadataInvalid);
  repository_.role("timestamp").keys = {key, key};
  repository_.Publish({"root"});
  PISHIP_EXPECT_ERROR(ParseRoot(repository_.FileOf("root"), "r"), ErrorCode::kMetadataInvalid);
}

TEST(MetadataTime, IsReadStrictly) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(ParseTime("2038-01-19T03:14:08Z"), 2'147'483'648);
  EXPECT_EQ(ParseTime("2000-02-29T12:00:00.250Z"), 951'825'600);
  for (const std::string_view text :
       {"2001-02-29T00:00:00Z", "2001-01-01T24:00:00Z", "2001-01-01T00:00:00", "Z", "2001-01-01t00:00:00Z",
        "2001-1-01T00:00:00Z", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00+00:00", "+001-01-01T00:00:00Z", ""}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
  for (const std::int64_t seconds : {std::int64_t{0}, std::int64_t{2'147'483'648}, std::int64_t{4'000'000'000}}) {
    EXPECT_EQ(ParseTime(FormatTime(seconds)), seconds);
  }
}

}  // namespace
}  // namespace piship::tuf
