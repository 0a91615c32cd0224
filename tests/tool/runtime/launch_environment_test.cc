// SPDX-License-Identifier: MIT
// docs/adr/0025: the application and what it starts see the user's environment; the engine that runs it does not see
// what the user has set for an engine of their own.
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;
using testing::Not;

// Says what the engine has become of, and what the application and a shell that it starts find.
constexpr const char* kShow =
    "const names = ['NODE_COMPILE_CACHE', 'NODE_ICU_DATA', 'NODE_OPTIONS', 'NODE_PATH', 'NODE_PRESERVE_SYMLINKS',\n"
    "  'NODE_PENDING_DEPRECATION', 'NODE_ENV', 'NODE_NO_WARNINGS'];\n"
    "console.log('own ' + globalThis.own, 'limit ' + Error.stackTraceLimit);\n"
    "let stray = 'none';\n"
    "try { stray = require('stray'); } catch (error) { }\n"
    "console.log('stray ' + stray);\n"
    "for (const name of names) if (name in process.env) console.log('application ' + name + '=' + process.env[name]);\n"
    "const shell = require('child_process').execFileSync('/bin/sh', ['-c', 'env'], { encoding: 'utf8' "
    "}).split('\\n');\n"
    "for (const line of shell.sort()) {\n"
    "  if (names.includes(line.split('=')[0]) || /^PISHIP_(RESTORE|USER_|COMPILE)/.test(line)) console.log('shell ' + "
    "line);\n"
    "}\n"
    "console.log('flags ' + process.execArgv.join(' '));\n";

class LaunchEnvironment : public RuntimeTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(MakeDirectories(temp_ / "modules/stray").has_value());
    Append(temp_ / "modules/stray/index.js", "module.exports = 'found';\n");
    Append(temp_ / "own.js", "globalThis.own = 1;\n");
  }
  // An engine of either kind; that of the payload is a script that leads to the one of PATH.
  static std::vector<TestRelease> Releases() {
    TestRelease system;
    system.script = kShow;
    TestRelease payload = system;
    payload.version = "2.0.0";
    payload.payload_engine = "#!/bin/sh\nexec node \"$@\"\n";
    return {system, payload};
  }
  // Paths with blanks must be quoted in NODE_OPTIONS.
  std::string Requiring(const std::string& file) const { return "--require \"" + (temp_ / file) + "\""; }
  std::string Output() const {
    const Ran ran = Start();
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
};

TEST_F(LaunchEnvironment, WhatIsForTheUsersOwnEngineReachesTheApplicationAndItsProgramsOnly) {
  environment_["NODE_COMPILE_CACHE"] = temp_ / "users-cache";
  environment_["NODE_PENDING_DEPRECATION"] = "1";
  environment_["NODE_ENV"] = "test";
  environment_["NODE_NO_WARNINGS"] = "1";
  environment_["NODE_OPTIONS"] = Requiring("own.js");
  environment_["NODE_PATH"] = temp_ / "modules";
  environment_["NODE_PRESERVE_SYMLINKS"] = "1";
  std::string lines;
  for (const std::string who : {"application", "shell"}) {
    std::vector<std::string> names = {
        "NODE_COMPILE_CACHE",       "NODE_OPTIONS", "NODE_PATH",       "NODE_PRESERVE_SYMLINKS",
        "NODE_PENDING_DEPRECATION", "NODE_ENV",     "NODE_NO_WARNINGS"};
    if (who == "shell") std::sort(names.begin(), names.end());
    for (const std::string& name : names) lines += who + " " + name + "=" + environment_[name] + "\n";
  }
  for (const TestRelease& release : Releases()) {
    ASSERT_EQ(Install(release).status, 0);
    EXPECT_EQ(Output(), "own undefined limit 10\nstray none\n" + lines + "flags \n");
  }
  EXPECT_FALSE(Exists(temp_ / "users-cache"));
}

TEST_F(LaunchEnvironment, OptionsOfAnotherEngineDoNotKeepItFromStarting) {
  environment_["NODE_OPTIONS"] = "--an-option-of-the-year-2100";
  environment_["NODE_ICU_DATA"] = temp_ / "no-such-directory";
  for (const TestRelease& release : Releases()) {
    ASSERT_EQ(Install(release).status, 0);
    EXPECT_THAT(Output(), HasSubstr("shell NODE_OPTIONS=--an-option-of-the-year-2100\n"));
  }
}

TEST_F(LaunchEnvironment, AUserCanGiveOptionsToTheEnginesOfDistributions) {
  environment_["PISHIP_NODE_OPTIONS"] = Requiring("own.js") + " --stack-trace-limit=7";
  for (TestRelease release : Releases()) {
    release.environment = {{"NODE_OPTIONS", "--stack-trace-limit=3"}};
    ASSERT_EQ(Install(release).status, 0);
    EXPECT_THAT(Output(), HasSubstr("own 1 limit 7\n"));
    EXPECT_THAT(Output(), Not(HasSubstr("NODE_OPTIONS=")));
  }
}

TEST_F(LaunchEnvironment, WhatTheOwnerPinsIsForTheEngine) {
  for (TestRelease release : Releases()) {
    release.environment = {
        {"NODE_ENV", "production"}, {"NODE_OPTIONS", "--stack-trace-limit=3"}, {"NODE_PATH", "{resources}/modules"}};
    release.resources = {{"modules/stray/index.js", "module.exports = 'the owner\\'s';\n"}};
    ASSERT_EQ(Install(release).status, 0);
    environment_.erase("NODE_PATH");
    EXPECT_EQ(Output(),
              "own undefined limit 3\nstray the owner's\napplication NODE_ENV=production\nshell NODE_ENV=production\n"
              "flags \n");
    environment_["NODE_PATH"] = temp_ / "modules";
    EXPECT_THAT(Output(), HasSubstr("stray the owner's\n"));
    EXPECT_THAT(Output(), HasSubstr("shell NODE_PATH=" + (temp_ / "modules") + "\n"));
  }
}

TEST_F(LaunchEnvironment, TheOwnersFlagsComeBeforeTheEntry) {
  for (TestRelease release : Releases()) {
    release.engine_flags = {"--stack-trace-limit=5", "--require={payload}/app/flag.js", "--title={state}/{{x"};
    release.extra.push_back({"app/flag.js", "globalThis.own = 'flag';\n"});
    ASSERT_EQ(Install(release).status, 0);
    EXPECT_EQ(Output(), "own flag limit 5\nstray none\nflags --stack-trace-limit=5 --require=" +
                            version_directory(release.version) + "/app/flag.js --title=" + (temp_ / "state/hello") +
                            "/{x\n");
  }
}

// What has installed before there was such a script goes on as it was.
TEST_F(LaunchEnvironment, WithoutTheScriptNothingIsKeptBack) {
  environment_["NODE_OPTIONS"] = Requiring("own.js");
  for (TestRelease release : Releases()) {
    release.prepares = false;
    ASSERT_EQ(Install(release).status, 0);
    EXPECT_THAT(Output(), HasSubstr("own 1 limit 10\n"));
  }
}

// A command that is started inside another one, by the application or in its shell.
TEST_F(LaunchEnvironment, StartsInsideAStartSeeTheSame) {
  TestRelease outer;
  outer.id = outer.command = "outer";
  outer.script = "process.stdout.write(require('child_process').execFileSync(process.argv[2]));\n";
  ASSERT_EQ(Install(outer).status, 0);
  ASSERT_EQ(Install(Releases()[1]).status, 0);
  environment_["NODE_OPTIONS"] = Requiring("own.js");
  environment_["NODE_PATH"] = temp_ / "modules";
  const Ran ran = RunProgram(Command({command()}, "outer"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, Output());
  EXPECT_THAT(ran.out, HasSubstr("own undefined limit 10\nstray none\n"));
}

class CompileCacheBounds : public RuntimeTest {
 protected:
  std::string cache(const std::string& version) const {
    return CompileCacheDirectory(temp_ / "state", "hello", version);
  }
  void Fill(const std::string& version, std::size_t bytes = 1) {
    ASSERT_TRUE(MakeDirectories(cache(version) + "/v24").has_value());
    ASSERT_TRUE(WriteFileAtomically(cache(version) + "/v24/x.cache", std::string(bytes, 'x')).has_value());
  }
  bool IsFilled(const std::string& version) const { return Exists(cache(version) + "/v24/x.cache"); }
};

TEST_F(CompileCacheBounds, ACacheGoesWithItsVersion) {
  for (const std::string version : {"1.0.0", "1.1.0", "1.2.0"}) {
    ASSERT_EQ(Install(SmallRelease(version)).status, 0);
    Fill(version);
  }
  EXPECT_FALSE(Exists(cache("1.0.0")));
  Fill("1.0.0");  // by a start that is still running
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  EXPECT_FALSE(Exists(cache("1.0.0")));
  EXPECT_TRUE(IsFilled("1.1.0"));
  EXPECT_TRUE(IsFilled("1.2.0"));
  ASSERT_EQ(Piship({"keep", "hello", "0"}).status, 0);
  EXPECT_FALSE(Exists(cache("1.2.0")));
  EXPECT_TRUE(IsFilled("1.1.0"));
  ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  EXPECT_FALSE(Exists(temp_ / "state/hello"));
}

TEST_F(CompileCacheBounds, ATooLargeOneGoesAndNothingElseOfTheState) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  Fill("1.0.0", std::size_t{64} << 20);
  Append(temp_ / "state/hello/notes", "mine");
  ASSERT_EQ(Piship({"doctor", "hello", "--fix", "--json"}).out.empty(), false);
  EXPECT_TRUE(IsFilled("1.0.0"));
  Append(cache("1.0.0") + "/more", "x");
  EXPECT_EQ(Start().out, "1.0.0\n");  // a start removes nothing
  EXPECT_TRUE(IsFilled("1.0.0"));
  ASSERT_EQ(Piship({"doctor", "hello", "--fix", "--json"}).out.empty(), false);
  EXPECT_FALSE(Exists(cache("1.0.0")));
  ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  EXPECT_EQ(*ReadFile(temp_ / "state/hello/notes"), "mine");
}

TEST_F(CompileCacheBounds, NoLinkIsFollowed) {
  ASSERT_EQ(Install(SmallRelease("1.0.0")).status, 0);
  ASSERT_TRUE(MakeDirectories(temp_ / "mine/9.9.9").has_value());
  ASSERT_TRUE(MakeDirectories(temp_ / "state/hello/.piship").has_value());
  std::filesystem::create_directory_symlink(temp_ / "mine", temp_ / "state/hello/.piship/compile-cache");
  ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  EXPECT_TRUE(Exists(temp_ / "mine/9.9.9"));
}

}  // namespace
}  // namespace piship
