// SPDX-License-Identifier: MIT
#include "model/receipt.h"

#include <gmock/gmock.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::HasSubstr;

InstalledRelease ReleaseOf(const std::string& version) {
  InstalledRelease release;
  release.version = version;
  release.platform = *Platform::Parse("linux-x64");
  release.inventory = Digest::Of("inventory " + version);
  release.lock = Digest::Of("lock " + version);
  return release;
}

Receipt Example() {
  Receipt receipt;
  receipt.id = "hello";
  receipt.command = "hi";
  receipt.active = ReleaseOf("2.0.0");
  receipt.active.origin = Origin::kSha256;
  receipt.active.qualification = Qualification::kQualified;
  receipt.active.archive = Digest::Of("archive");
  receipt.kept.push_back(ReleaseOf("1.0.0-rc.1+build"));
  receipt.unsynced_boot = "0b1c";
  receipt.keep_versions = 3;
  receipt.rolled_back = "9.0.0-rc.1";
  receipt.channel = ChannelPlace{"https://example.test/repository", "stable"};
  receipt.managed_by = ManagedBy{"dpkg", "hello-friend"};
  return receipt;
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Receipt, HasTheDocumentedText) {
  Receipt receipt;
  receipt.id = receipt.command = "hello";
  receipt.active = ReleaseOf("1.0.0");
  EXPECT_EQ(receipt.Text(),
            "{\n"
            "  \"active\": {\n"
            "    \"inventory\": \"" +
                Digest::Of("inventory 1.0.0").Hex() +
                "\",\n"
                "    \"lock\": \"" +
                Digest::Of("lock 1.0.0").Hex() +
                "\",\n"
                "    \"origin\": \"unproven\",\n"
                "    \"platform\": \"linux-x64\",\n"
                "    \"qualification\": \"unqualified\",\n"
                "    \"version\": \"1.0.0\"\n"
                "  },\n"
                "  \"command\": \"hello\",\n"
                "  \"format\": 1,\n"
                "  \"id\": \"hello\",\n"
                "  \"kept\": []\n"
                "}\n");
}

TEST(Receipt, ComesBack) {
  const auto parsed = Receipt::Parse(Example().Text(), "hello.json");
  PISHIP_ASSERT_OK(parsed);
  EXPECT_EQ(parsed->Text(), Example().Text());
  EXPECT_EQ(parsed->id, "hello");
  EXPECT_EQ(parsed->command, "hi");
  EXPECT_EQ(parsed->active.origin, Origin::kSha256);
  EXPECT_EQ(parsed->active.qualification, Qualification::kQualified);
  EXPECT_EQ(parsed->active.archive, Digest::Of("archive"));
  EXPECT_EQ(parsed->unsynced_boot, "0b1c");
  EXPECT_EQ(parsed->rolled_back, "9.0.0-rc.1");
  ASSERT_TRUE(parsed->channel.has_value());
  EXPECT_EQ(parsed->channel->url + " " + parsed->channel->name, "https://example.test/repository stable");
  ASSERT_TRUE(parsed->managed_by.has_value());
  EXPECT_EQ(parsed->managed_by->manager + " " + parsed->managed_by->package, "dpkg hello-friend");
  ASSERT_EQ(parsed->kept.size(), 1U);
  EXPECT_FALSE(parsed->kept[0].archive.has_value());
}

TEST(Receipt, FindsActiveAndKeptVersions) {
  const Receipt receipt = Example();
  EXPECT_EQ(receipt.Find("2.0.0"), &receipt.active);
  EXPECT_EQ(receipt.Find("1.0.0-rc.1+build"), &receipt.kept[0]);
  EXPECT_EQ(receipt.Find("3.0.0"), nullptr);
}

TEST(Receipt, KeepsMembersThatItDoesNotKnow) {
  std::string text = Replaced(Example().Text(), "\"command\"", "\"later\": {\"a\": [1, null, true]},\n  \"command\"");
  text = Replaced(text, "\"lock\"", "\"inner\": \"kept\",\n    \"lock\"");
  const auto parsed = Receipt::Parse(text, "hello.json");
  PISHIP_ASSERT_OK(parsed);
  const auto again = Receipt::Parse(parsed->Text(), "hello.json");
  PISHIP_ASSERT_OK(again);
  EXPECT_EQ(again->Text(), parsed->Text());
  ASSERT_EQ(again->unknown.size(), 1U);
  EXPECT_EQ(again->unknown[0].name, "later");
  EXPECT_EQ(again->unknown[0].value.Find("a")->array().size(), 3U);
  ASSERT_EQ(again->active.unknown.size(), 1U);
  EXPECT_EQ(again->active.unknown[0].value.string(), "kept");
}

TEST(Receipt, RefusesUnknownMembersThatItCouldNotWriteAgain) {
  for (const char* value : {"1.5", "[1, [2.5]]", "{\"a\": {\"b\": 1e99}}"}) {
    const std::string member = "\"later\": " + std::string(value) + ",\n";
    PISHIP_EXPECT_ERROR(Receipt::Parse(Replaced(Example().Text(), "\"command\"", member + "\"command\""), "r"),
                        ErrorCode::kReceiptInvalid);
    PISHIP_EXPECT_ERROR(Receipt::Parse(Replaced(Example().Text(), "\"lock\"", member + "\"lock\""), "r"),
                        ErrorCode::kReceiptInvalid);
  }
}

TEST(Receipt, RefusesANewerFormatInThoseWords) {
  const auto result = Receipt::Parse("{\"format\": 2, \"anything\": 1.5}", "hello.json");
  PISHIP_EXPECT_ERROR(result, ErrorCode::kFormatNewer);
  EXPECT_THAT(result.error().message, HasSubstr("hello.json: format 2 is newer"));
  for (const char* format : {"0", "-1"}) {
    PISHIP_EXPECT_ERROR(
        Receipt::Parse(Replaced(Example().Text(), "\"format\": 1", "\"format\": " + std::string(format)), "r"),
        ErrorCode::kReceiptInvalid);
  }
}

TEST(Receipt, RefusesEachMalformedMember) {
  const std::pair<std::string, std::string> cases[] = {
      {"\"id\": \"hello\"", "\"id\": \"../x\""},
      {"\"id\": \"hello\"", "\"id\": \"\""},
      {"\"id\": \"hello\"", "\"id\": 1"},
      {"\"id\": \"hello\"", "\"ID\": \"hello\""},
      {"\"command\": \"hi\"", "\"command\": \"a/b\""},
      {"\"command\": \"hi\"", "\"commands\": \"hi\""},
      {"\"format\": 1", "\"format\": \"1\""},
      {"\"format\": 1", "\"format\": 1.5"},
      {"\"format\": 1", "\"formats\": 1"},
      {"\"version\": \"2.0.0\"", "\"version\": \"..\""},
      {"\"version\": \"2.0.0\"", "\"version\": \"2.0\""},
      {"\"version\": \"2.0.0\"", "\"version\": \"1.0.0-rc.1+build\""},  // kept, too
      {"\"version\": \"1.0.0-rc.1+build\"", "\"version\": \"1/../..\""},
      {"\"platform\": \"linux-x64\"", "\"platform\": \"plan9-x64\""},
      {"\"inventory\": \"", "\"inventory\": \"0"},
      {"\"lock\": \"", "\"lock\": \"g"},
      {"\"lock\": \"", "\"locks\": \""},
      {"\"archive\": \"", "\"archive\": \"A"},
      {"\"origin\": \"sha256\"", "\"origin\": \"trusted\""},
      {"\"qualification\": \"qualified\"", "\"qualification\": \"\""},
      {"\"name\": \"stable\"", "\"name\": 1"},
      {"\"name\": \"stable\"", "\"name\": \"" + std::string(2049, 'n') + "\""},
      {"\"manager\": \"dpkg\"", "\"manager\": \"a b; c\""},
      {"\"manager\": \"dpkg\"", "\"managers\": \"dpkg\""},
      {"\"package\": \"hello-friend\"", "\"package\": \"x; reboot\""},
      {"\"package\": \"hello-friend\"", "\"package\": \"-y\""},
      {"\"package\": \"hello-friend\"", "\"package\": \"" + std::string(129, 'p') + "\""},
      {"\"package\": \"hello-friend\"", "\"package\": []"},
      {"\"managed_by\": {", "\"managed_by\": 1, \"more\": {"},
      {"\"keep_versions\": 3", "\"keep_versions\": \"3\""},
      {"\"keep_versions\": 3", "\"keep_versions\": -1"},
      {"\"keep_versions\": 3", "\"keep_versions\": 100"},
      {"\"rolled_back\": \"9.0.0-rc.1\"", "\"rolled_back\": \"latest\""},
      {"\"unsynced_boot\": \"0b1c\"", "\"unsynced_boot\": 1"},
      {"\"unsynced_boot\": \"0b1c\"", "\"unsynced_boot\": \"" + std::string(65, 'b') + "\""},
      {"\"kept\": [", "\"kept\": [1,"},
      {"\"active\": {", "\"active\": [], \"more\": {"},
  };
  for (const auto& [from, to] : cases) {
    SCOPED_TRACE(to);
    PISHIP_EXPECT_ERROR(Receipt::Parse(Replaced(Example().Text(), from, to), "hello.json"), ErrorCode::kReceiptInvalid);
  }
}

TEST(Receipt, RefusesTextsThatAreNoReceipt) {
  for (const char* text : {"[]", "{}", "null", "\"hello\""}) {
    SCOPED_TRACE(text);
    PISHIP_EXPECT_ERROR(Receipt::Parse(text, "hello.json"), ErrorCode::kReceiptInvalid);
  }
  for (const char* text : {"", "{", "{} {}", "{\"id\": 1, \"id\": 2}"}) {
    SCOPED_TRACE(text);
    PISHIP_EXPECT_ERROR(Receipt::Parse(text, "hello.json"), ErrorCode::kJsonInvalid);
  }
}

TEST(Receipt, ReportsAllProblemsWithTheirPlaces) {
  std::string text = Replaced(Example().Text(), "\"hi\"", "\"a/b\"");
  text = Replaced(text, "\"sha256\"", "\"x\"");
  const auto result = Receipt::Parse(text, "hello.json");
  PISHIP_EXPECT_ERROR(result, ErrorCode::kReceiptInvalid);
  const std::string shown = FormatError("test", result.error());
  EXPECT_THAT(shown, HasSubstr("hello.json:6:"));   // origin
  EXPECT_THAT(shown, HasSubstr("hello.json:15:"));  // command
}

}  // namespace
}  // namespace piship
