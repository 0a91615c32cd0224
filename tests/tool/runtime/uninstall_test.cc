// SPDX-License-Identifier: MIT
// piship uninstall: what it removes, what it leaves alone, what it says.
#include <unistd.h>

#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class UninstallVerb : public RuntimeTest {
 protected:
  void InstallWithState() {
    TestRelease payload;
    payload.environment = {{"HELLO_HOME", "{state}"}};
    const Ran ran = Install(payload);
    ASSERT_EQ(ran.status, 0) << ran.err;
    ASSERT_EQ(Start().status, 0);
    Append(temp_ / "state/hello/data", "precious");
  }
  std::string app_directory() const { return AppDirectory(install_home(), "hello"); }
};

// Waits for its standard input to end, after one line.
TestRelease Waiting() {
  TestRelease payload;
  payload.script = "console.log('ready'); process.stdin.resume();\n";
  return payload;
}

TEST_F(UninstallVerb, RemovesCommandLauncherVersionsAndReceiptAndKeepsTheState) {
  InstallWithState();
  TestRelease second;
  second.version = "2.0.0";
  ASSERT_EQ(Install(second).status, 0);
  const Ran ran = Piship({"uninstall", "hello", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(Exists(command()));
  EXPECT_FALSE(Exists(app_directory()));
  EXPECT_FALSE(Exists(ReceiptPath(install_home(), "hello")));
  EXPECT_EQ(*ReadFile(temp_ / "state/hello/data"), "precious");
  const json::Value out = Json(ran);
  EXPECT_EQ(out.Find("format")->integer(), 1);
  EXPECT_EQ(Text(out, "id"), "hello");
  EXPECT_THAT(Texts(out, "versions"), ElementsAre("1.0.0", "2.0.0"));
  EXPECT_THAT(Texts(out, "commands"), ElementsAre("hello"));
  EXPECT_THAT(Texts(out, "commands_left"), IsEmpty());
  EXPECT_EQ(Text(out, "state_directory"), temp_ / "state/hello");
  EXPECT_FALSE(Is(out, "state_removed"));
  EXPECT_FALSE(Is(out, "dry_run"));
}

TEST_F(UninstallVerb, SaysWhatItRemovedAndWhereTheStateIs) {
  InstallWithState();
  const Ran ran = Piship({"uninstall", "hello"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("removed hello 1.0.0"));
  EXPECT_THAT(ran.err, HasSubstr("removed the command 'hello'"));
  EXPECT_THAT(ran.err, HasSubstr("its data stays in '" + (temp_ / "state/hello") + "'; --purge removes it"));
}

TEST_F(UninstallVerb, QuietSaysNothing) {
  InstallWithState();
  const Ran ran = Piship({"uninstall", "hello", "--quiet"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out + ran.err, "");
  EXPECT_FALSE(Exists(app_directory()));
}

TEST_F(UninstallVerb, PurgeRemovesTheStateOfThisDistributionAlone) {
  InstallWithState();
  ASSERT_TRUE(MakeDirectories(temp_ / "state/other").has_value());
  Append(temp_ / "state/other/data", "canary");
  const Ran ran = Piship({"uninstall", "hello", "--purge", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(Is(Json(ran), "state_removed"));
  EXPECT_THAT(Names(temp_ / "state"), ElementsAre("other"));
  EXPECT_EQ(*ReadFile(temp_ / "state/other/data"), "canary");
}

TEST_F(UninstallVerb, PurgeWorksAfterTheDistributionHasGone) {
  InstallWithState();
  ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  ASSERT_EQ(Piship({"uninstall", "hello", "--purge"}).status, 0);
  EXPECT_FALSE(Exists(temp_ / "state/hello"));
  EXPECT_FALSE(Exists(app_directory()));
}

TEST_F(UninstallVerb, PurgeRemovesALinkAndNotWhatItLeadsTo) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  ASSERT_TRUE(MakeDirectories(temp_ / "state").has_value());
  ASSERT_TRUE(MakeDirectories(temp_ / "elsewhere").has_value());
  Append(temp_ / "elsewhere/data", "canary");
  std::filesystem::create_directory_symlink(temp_ / "elsewhere", temp_ / "state/hello");
  ASSERT_EQ(Piship({"uninstall", "hello", "--purge"}).status, 0);
  EXPECT_FALSE(Exists(temp_ / "state/hello"));
  EXPECT_EQ(*ReadFile(temp_ / "elsewhere/data"), "canary");
}

TEST_F(UninstallVerb, TouchesNothingBesideWhatIsItsOwn) {
  InstallWithState();
  TestRelease other;
  other.id = other.command = "other";
  ASSERT_EQ(Install(other).status, 0);
  const std::string canaries[] = {temp_ / "canary",
                                  temp_ / "state/canary",
                                  install_home() + "/canary",
                                  install_home() + "/apps/canary",
                                  install_home() + "/receipts/canary",
                                  temp_ / "bin/canary"};
  for (const std::string& canary : canaries) Append(canary, "alive");
  ASSERT_EQ(Piship({"uninstall", "hello", "--purge"}).status, 0);
  for (const std::string& canary : canaries) EXPECT_EQ(ReadFile(canary).value_or("gone"), "alive") << canary;
  EXPECT_EQ(RunProgram(Command({}, "other")).out, "hello\n");
  EXPECT_EQ(Piship({"verify", "other"}).status, 0);
}

TEST_F(UninstallVerb, ACommandThatBelongsToSomethingElseIsLeftAloneAndSaid) {
  for (const bool link : {false, true}) {
    ASSERT_EQ(Install(TestRelease()).status, 0);
    std::filesystem::remove(command());
    if (link) {
      std::filesystem::create_symlink("/bin/true", command());
    } else {
      Append(command(), "mine");
    }
    const Ran ran = Piship({"uninstall", "hello", "--json"});
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(Exists(command()));
    EXPECT_THAT(ran.err, HasSubstr("'" + command() + "' belongs to something else"));
    EXPECT_THAT(Texts(Json(ran), "commands_left"), ElementsAre(command()));
    EXPECT_THAT(Texts(Json(ran), "commands"), IsEmpty());
    EXPECT_FALSE(Exists(app_directory()));
    std::filesystem::remove(command());
  }
}

TEST_F(UninstallVerb, DryRunChangesNothing) {
  InstallWithState();
  const std::string receipt = ReceiptText();
  const Ran ran = Piship({"uninstall", "hello", "--purge", "--dry-run", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("would remove hello 1.0.0"));
  EXPECT_TRUE(Is(Json(ran), "dry_run"));
  EXPECT_EQ(ReceiptText(), receipt);
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
  EXPECT_EQ(*ReadFile(temp_ / "state/hello/data"), "precious");
  EXPECT_EQ(Start().out, "hello\n");
}

TEST_F(UninstallVerb, RefusesWhileAProgramRunsAndWorksAfterIt) {
  ASSERT_EQ(Install(Waiting()).status, 0);
  Background program(Command({}));
  ASSERT_EQ(program.ReadLine(), "ready");
  const std::string receipt = ReceiptText();
  const Ran refused = Piship({"uninstall", "hello", "--purge"});
  EXPECT_EQ(refused.status, 4);
  EXPECT_THAT(refused.err, HasSubstr("[IN_USE]"));
  EXPECT_THAT(refused.err, HasSubstr("process " + std::to_string(program.pid())));
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_TRUE(Exists(command()));
  EXPECT_NE(ReceiptText(), "");
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_EQ(Piship({"uninstall", "hello"}).status, 0);
  EXPECT_FALSE(Exists(app_directory()));
}

TEST_F(UninstallVerb, RefusesWhileAKeptVersionRuns) {
  ASSERT_EQ(Install(Waiting()).status, 0);
  Background program(Command({}));
  ASSERT_EQ(program.ReadLine(), "ready");
  TestRelease second;
  second.version = "2.0.0";
  ASSERT_EQ(Install(second).status, 0);
  EXPECT_THAT(Piship({"uninstall", "hello"}).err, HasSubstr("[IN_USE]"));
  EXPECT_EQ(Start().out, "hello\n");
  program.Wait();
  EXPECT_EQ(Piship({"uninstall", "hello"}).status, 0);
}

TEST_F(UninstallVerb, AnUnknownIdIsNotInstalledAndLeavesNothing) {
  const Ran ran = Piship({"uninstall", "hello", "--json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(Text(*Json(ran).Find("error"), "code"), "NOT_INSTALLED");
  EXPECT_FALSE(Exists(install_home()));
}

TEST_F(UninstallVerb, AnIdThatIsAPathIsRefused) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  for (const char* id : {"../hello", "/", ".", "..", "", "Hello", "hello/1.0.0"}) {
    const Ran ran = Piship({"uninstall", id, "--purge"});
    EXPECT_NE(ran.status, 0) << id;
    EXPECT_THAT(ran.err, Not(HasSubstr("removed"))) << id;
  }
  EXPECT_EQ(Start().out, "hello\n");
}

TEST_F(UninstallVerb, ADamagedReceiptIsNoObstacle) {
  for (const char* text : {"", "{", "{\"format\": 1}", "[]"}) {
    ASSERT_EQ(Install(TestRelease()).status, 0);
    ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), text).has_value());
    const Ran ran = Piship({"uninstall", "hello"});
    EXPECT_EQ(ran.status, 0) << text << ran.err;
    EXPECT_FALSE(Exists(app_directory())) << text;
    EXPECT_FALSE(Exists(ReceiptPath(install_home(), "hello"))) << text;
    EXPECT_FALSE(Exists(command())) << text;
  }
}

TEST_F(UninstallVerb, RemovesWhatAnInterruptedOperationHasLeft) {
  ASSERT_TRUE(MakeDirectories(version_directory() + "/app").has_value());
  Append(app_directory() + "/.tmp-0011223344556677", "half a receipt");
  ASSERT_TRUE(MakeDirectories(app_directory() + "/.removed-0011").has_value());
  const Ran ran = Piship({"uninstall", "hello"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(Exists(app_directory()));
  EXPECT_EQ(Piship({"uninstall", "hello"}).status, 1);
}

TEST_F(UninstallVerb, RemovesALinkThatAMovedInstallHomeHasBroken) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  std::filesystem::rename(install_home(), temp_ / "moved");
  environment_["PISHIP_INSTALL_HOME"] = temp_ / "moved";
  ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  EXPECT_FALSE(Exists(command()));
  EXPECT_FALSE(Exists(temp_ / "moved/apps/hello"));
}

TEST_F(UninstallVerb, CanBeInstalledAgain) {
  InstallWithState();
  ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  const Ran ran = Install(TestRelease(), {"--json"});
  EXPECT_EQ(Text(Json(ran), "action"), "installed") << ran.err;
  EXPECT_EQ(Start().out, "hello\n");
}

}  // namespace
}  // namespace piship
