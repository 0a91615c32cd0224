// SPDX-License-Identifier: MIT
#include "model/release.h"

#include <gmock/gmock.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::HasSubstr;

Release Example() {
  Release release;
  release.id = "hello";
  release.version = "1.0.0-rc.1";
  release.command = "hi";
  release.platform = *Platform::Parse("linux-x64-musl");
  release.archive_name = "hello-1.0.0-rc.1-linux-x64-musl.tar.zst";
  release.archive_bytes = 1234;
  release.archive = Digest::Of("archive");
  release.inventory = Digest::Of("inventory");
  release.lock = Digest::Of("lock");
  return release;
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Release, HasTheDocumentedText) {
  EXPECT_EQ(Example().Text(),
            "{\n"
            "  \"archive\": {\n"
            "    \"bytes\": 1234,\n"
            "    \"name\": \"hello-1.0.0-rc.1-linux-x64-musl.tar.zst\",\n"
            "    \"sha256\": \"" +
                Digest::Of("archive").Hex() +
                "\"\n"
                "  },\n"
                "  \"command\": \"hi\",\n"
                "  \"format\": 1,\n"
                "  \"id\": \"hello\",\n"
                "  \"inventory\": \"" +
                Digest::Of("inventory").Hex() +
                "\",\n"
                "  \"lock\": \"" +
                Digest::Of("lock").Hex() +
                "\",\n"
                "  \"platform\": \"linux-x64-musl\",\n"
                "  \"qualification\": \"unqualified\",\n"
                "  \"version\": \"1.0.0-rc.1\"\n"
                "}\n");
}

TEST(Release, ComesBack) {
  for (const Qualification qualification : {Qualification::kUnqualified, Qualification::kQualified}) {
    Release release = Example();
    release.qualification = qualification;
    const auto parsed = Release::Parse(release.Text(), "release.json");
    PISHIP_ASSERT_OK(parsed);
    EXPECT_EQ(parsed->Text(), release.Text());
  }
}

TEST(Release, IgnoresKeysThatItDoesNotKnow) {
  PISHIP_ASSERT_OK(
      Release::Parse(Replaced(Example().Text(), "\"command\"", "\"later\": [1],\n  \"command\""), "release.json"));
}

TEST(Release, RefusesANewerFormatInThoseWords) {
  const auto result = Release::Parse(Replaced(Example().Text(), "\"format\": 1", "\"format\": 2"), "release.json");
  PISHIP_EXPECT_ERROR(result, ErrorCode::kFormatNewer);
  PISHIP_EXPECT_ERROR(Release::Parse(Replaced(Example().Text(), "\"format\": 1", "\"format\": 0"), "release.json"),
                      ErrorCode::kReleaseInvalid);
}

TEST(Release, RefusesEachMalformedMember) {
  const std::pair<std::string, std::string> cases[] = {
      {"\"id\": \"hello\"", "\"id\": \"../x\""},
      {"\"command\": \"hi\"", "\"command\": \"Hi There\""},
      {"\"version\": \"1.0.0-rc.1\"", "\"version\": \"one\""},
      {"\"platform\": \"linux-x64-musl\"", "\"platform\": \"plan9-x64\""},
      {"\"bytes\": 1234", "\"bytes\": -1"},
      {"\"bytes\": 1234", "\"bytes\": 1.5"},
      {"\"name\": \"hello-", "\"name\": \"../hello-"},
      {"\"name\": \"hello-", "\"name\": \"a/hello-"},
      {"\"lock\": \"", "\"lock\": \"0"},
      {"\"qualification\": \"unqualified\"", "\"qualification\": \"fine\""},
      {"\"inventory\": \"", "\"inventories\": \""},
  };
  for (const auto& [from, to] : cases) {
    PISHIP_EXPECT_ERROR(Release::Parse(Replaced(Example().Text(), from, to), "release.json"),
                        ErrorCode::kReleaseInvalid);
  }
  for (const char* text : {"", "[]", "{}", "{", "null"}) {
    PISHIP_EXPECT_ERROR(Release::Parse(text, "release.json"), ErrorCode::kReleaseInvalid);
  }
}

TEST(Release, ReportsAllProblemsWithTheirPlaces) {
  const auto result = Release::Parse(
      Replaced(Replaced(Example().Text(), "\"hi\"", "\"H\""), "\"bytes\": 1234", "\"bytes\": \"x\""), "release.json");
  PISHIP_EXPECT_ERROR(result, ErrorCode::kReleaseInvalid);
  const std::string shown = FormatError("test", result.error());
  EXPECT_THAT(shown, HasSubstr("release.json:3:"));
  EXPECT_THAT(shown, HasSubstr("release.json:7:"));
}

}  // namespace
}  // namespace piship
