// SPDX-License-Identifier: MIT
// piship doctor: each check as it is found well and as it is found wrong, and what --fix mends and leaves alone.
#include "os/lock.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Doctor : public RuntimeTest {
 protected:
  Doctor() { environment_["PATH"] = temp_ / "bin:" + environment_["PATH"]; }

  struct Found {
    int status = 0;
    std::map<std::string, std::string> health;  // by check; of several the worst
    std::map<std::string, std::string> text;    // with the advice
  };
  Found Examine(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"doctor", "hello", "--json"});
    const Ran ran = Piship(options);
    Found found;
    found.status = ran.status;
    const json::Value out = Json(ran);
    const json::Value* distributions = out.Find("distributions");
    EXPECT_NE(distributions, nullptr) << ran.out << ran.err;
    if (distributions == nullptr) return found;
    for (const json::Value& each : distributions->array()) Add(*each.Find("checks"), found);
    Add(*out.Find("home"), found);
    return found;
  }
  static void Add(const json::Value& checks, Found& found) {
    for (const json::Value& check : checks.array()) {
      std::string& health = found.health[Text(check, "name")];
      const std::string now = Text(check, "status");
      if (health.empty() || now == "fail" || (now == "warn" && health == "ok")) health = now;
      found.text[Text(check, "name")] += Text(check, "text") + " -> " + Text(check, "advice") + "\n";
    }
  }
  static std::vector<std::string> NotOk(const Found& found) {
    std::vector<std::string> names;
    for (const auto& [name, health] : found.health) {
      if (health != "ok") names.push_back(health + " " + name);
    }
    return names;
  }
  // Every name in the homes with what would change if it were written.
  std::vector<std::string> Everything() const {
    std::vector<std::string> seen;
    for (const auto& entry : fs::recursive_directory_iterator(temp_.path())) {
      struct stat status {};
      EXPECT_EQ(lstat(entry.path().c_str(), &status), 0);
      seen.push_back(entry.path().string() + " " + std::to_string(status.st_ino) + " " +
                     std::to_string(status.st_ctim.tv_sec) + "." + std::to_string(status.st_ctim.tv_nsec));
    }
    std::sort(seen.begin(), seen.end());
    return seen;
  }
};

TEST_F(Doctor, FindsAnInstallWellAndWritesNothing) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  ASSERT_EQ(Install(TinyRelease("1.1.0")).status, 0);
  const std::vector<std::string> before = Everything();
  const Found found = Examine();
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(NotOk(found), IsEmpty());
  std::vector<std::string> names;
  for (const auto& [name, health] : found.health) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("command", "disk", "downloads", "engine", "kept", "launcher", "leases", "leftovers",
                                 "lock", "path", "payload", "receipt", "trust"));
  EXPECT_THAT(found.text.at("receipt"), HasSubstr("hello 1.1.0"));
  EXPECT_THAT(found.text.at("launcher"), HasSubstr("the runtime of 1."));
  EXPECT_EQ(Everything(), before);

  const Ran text = Piship({"doctor", "hello"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_THAT(text.out, HasSubstr("hello\n  ok    receipt    hello 1.1.0 for "));
  EXPECT_EQ(Everything(), before);
}

TEST_F(Doctor, AFirstInstallThatDidNotWaitForTheDiskIsWell) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  EXPECT_TRUE(InstalledReceipt().unsynced_boot);
  EXPECT_THAT(NotOk(Examine()), IsEmpty());
  ASSERT_EQ(Examine({"--fix"}).status, 0);
  EXPECT_FALSE(InstalledReceipt().unsynced_boot);
}

TEST_F(Doctor, NamesWhatDiffersInThePayloads) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  ASSERT_EQ(Install(TinyRelease("1.1.0")).status, 0);
  fs::remove(version_directory("1.0.0") + "/app/main.js");
  Found found = Examine();
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(NotOk(found), ElementsAre("warn kept"));
  EXPECT_THAT(found.text["kept"], HasSubstr("app/main.js (missing)"));
  Append(version_directory("1.1.0") + "/app/main.js", "damaged");
  found = Examine({"--fix"});
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(NotOk(found), ElementsAre("warn kept", "fail payload"));
  EXPECT_THAT(found.text["payload"], HasSubstr("app/main.js (changed) -> piship repair hello"));
  const Ran text = Piship({"doctor", "hello"});
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.err, HasSubstr("[UNHEALTHY]"));
  EXPECT_THAT(text.out, HasSubstr("  fail  payload"));
  Append(version_directory("1.1.0") + "/piship.lock", " ");
  EXPECT_THAT(NotOk(Examine()), Contains("fail lock"));
  fs::remove_all(version_directory("1.1.0"));
  EXPECT_THAT(NotOk(Examine()), Contains("fail payload"));
}

TEST_F(Doctor, MakesLauncherAndCommandAnew) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  const std::string launcher = LauncherPath(install_home(), "hello");
  const std::vector<std::function<void()>> damages = {
      [&] { fs::remove(command()); },
      [&] { fs::remove(launcher); },
      [&] { fs::permissions(launcher, fs::perms::owner_read); },
      [&] {
        fs::remove(launcher);
        fs::create_symlink("/bin/true", launcher);
      },
      [&] {
        fs::remove(launcher);
        fs::remove(command());
        fs::create_symlink("/nowhere/apps/hello/launch", command());
      },
  };
  for (const auto& damage : damages) {
    damage();
    EXPECT_EQ(Examine().status, 1);
    const Found fixed = Examine({"--fix"});
    EXPECT_EQ(fixed.status, 0);
    EXPECT_THAT(NotOk(fixed), IsEmpty());
    EXPECT_EQ(Start().out, "1.0.0\n");
  }
  // What works is no failure.
  Append(launcher, "# changed\n");
  const Found changed = Examine();
  EXPECT_EQ(changed.status, 0);
  EXPECT_THAT(NotOk(changed), ElementsAre("warn launcher"));
  EXPECT_THAT(NotOk(Examine({"--fix"})), IsEmpty());
}

TEST_F(Doctor, TheLauncherComesFromTheNewestVersion) {
  TestRelease older = TinyRelease("1.0.0");
  older.runtime += "# older\n";
  ASSERT_EQ(Install(older).status, 0);
  ASSERT_EQ(Install(TinyRelease("2.0.0")).status, 0);
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  EXPECT_THAT(NotOk(Examine()), IsEmpty());
  fs::remove(LauncherPath(install_home(), "hello"));
  ASSERT_EQ(Examine({"--fix"}).status, 0);
  EXPECT_EQ(*ReadFile(LauncherPath(install_home(), "hello")), TinyRelease("2.0.0").runtime);
  EXPECT_EQ(Start().out, "1.0.0\n");
}

TEST_F(Doctor, LeavesACommandThatIsSomebodyElses) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  fs::remove(command());
  Append(command(), "mine");
  for (const bool fix : {false, true}) {
    const Found found = Examine(fix ? std::vector<std::string>{"--fix"} : std::vector<std::string>{});
    EXPECT_EQ(found.status, 1);
    EXPECT_THAT(NotOk(found), Contains("fail command"));
    EXPECT_THAT(found.text.at("command"), HasSubstr("move it aside"));
  }
  EXPECT_EQ(*ReadFile(command()), "mine");
}

TEST_F(Doctor, FreesWhatNothingNeeds) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  const std::string app = AppDirectory(install_home(), "hello");
  for (const char* name : {"0.5.0", ".removed-00ff", "0.9.0"}) {
    ASSERT_TRUE(MakeDirectories(JoinPath(app, name) + "/app").has_value());
    Append(JoinPath(app, name) + "/app/half", "12345");
  }
  Append(app + "/.tmp-00ff", "{");
  Found found = Examine();
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(NotOk(found), ElementsAre("warn leftovers"));
  EXPECT_THAT(found.text["leftovers"], HasSubstr("15 bytes"));

  environment_["PISHIP_RECLAIM_BUDGET_MS"] = "0";
  EXPECT_THAT(NotOk(Examine({"--fix"})), ElementsAre("warn leftovers"));
  environment_["PISHIP_RECLAIM_BUDGET_MS"] = "600000";

  // What a program runs from stays, and is named.
  ASSERT_TRUE(MakeDirectories(app + "/0.7.0").has_value());
  auto held = OpenFile(app + "/0.7.0", O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(held.has_value());
  ASSERT_TRUE(TryLock(held->get(), LockMode::kShared, "version").has_value());
  found = Examine({"--fix"});
  EXPECT_THAT(found.text["leftovers"], HasSubstr("process " + std::to_string(getpid()) + " uses 0.7.0"));
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "0.7.0", "1.0.0", "launch"));
  *held = UniqueFd();
  EXPECT_THAT(NotOk(Examine({"--fix"})), IsEmpty());
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
}

TEST_F(Doctor, NamesTheProgramThatRuns) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  const auto held = OpenFile(version_directory(), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(held.has_value());
  ASSERT_TRUE(TryLock(held->get(), LockMode::kShared, "version").has_value());
  const Found found = Examine();
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(found.text.at("leases"), HasSubstr("1.0.0 is used by process " + std::to_string(getpid())));
}

TEST_F(Doctor, RemovesWhatAFirstInstallHasLeft) {
  const std::string app = AppDirectory(install_home(), "hello");
  ASSERT_TRUE(MakeDirectories(app + "/1.0.0/app").has_value());
  Append(app + "/1.0.0/app/half", "half");
  Append(app + "/launch", "#!/bin/sh\n");
  const Found found = Examine();
  EXPECT_EQ(found.status, 0);
  EXPECT_THAT(NotOk(found), ElementsAre("warn leftovers", "warn receipt"));
  const Ran fixed = Piship({"doctor", "--fix"});
  EXPECT_EQ(fixed.status, 0) << fixed.err;
  EXPECT_FALSE(Exists(app));
  EXPECT_THAT(Piship({"doctor", "hello"}).err, HasSubstr("[NOT_INSTALLED]"));
}

// What a receipt that can't be read names is not known, so nothing is a leftover.
TEST_F(Doctor, DeletesNothingBesideADamagedReceipt) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), "{").has_value());
  const Found found = Examine({"--fix"});
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(NotOk(found), Contains("fail receipt"));
  EXPECT_TRUE(Exists(version_directory() + "/piship.lock"));
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  EXPECT_THAT(NotOk(Examine()), IsEmpty());
}

TEST_F(Doctor, RemovesUnfinishedDownloadsThatNobodyHas) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  const std::string downloads = DownloadsDirectory(install_home());
  ASSERT_TRUE(MakeDirectories(downloads).has_value());
  Append(downloads + "/a.part", "123");
  Append(downloads + "/b.part", "123");
  const auto held = OpenFile(downloads + "/b.part", O_RDWR);
  ASSERT_TRUE(TryLock(held->get(), LockMode::kExclusive, "download").has_value());
  const Found found = Examine();
  EXPECT_THAT(NotOk(found), ElementsAre("warn downloads"));
  EXPECT_THAT(found.text.at("downloads"), HasSubstr("1 unfinished"));
  EXPECT_THAT(NotOk(Examine({"--fix"})), IsEmpty());
  EXPECT_THAT(Names(downloads), ElementsAre("b.part"));
}

TEST_F(Doctor, SettlesAnInstallOfAnotherBoot) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  Receipt receipt = InstalledReceipt();
  receipt.unsynced_boot = "another";
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), receipt.Text()).has_value());
  EXPECT_THAT(NotOk(Examine()), ElementsAre("warn disk"));
  EXPECT_THAT(NotOk(Examine({"--fix"})), IsEmpty());
  EXPECT_FALSE(InstalledReceipt().unsynced_boot);
  // Never where something is lost.
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), receipt.Text()).has_value());
  Append(version_directory() + "/app/main.js", "damaged");
  EXPECT_THAT(NotOk(Examine({"--fix"})), ElementsAre("fail disk", "fail payload"));
  EXPECT_TRUE(InstalledReceipt().unsynced_boot);
}

TEST_F(Doctor, AsksTheEngineOfTheUser) {
  TestRelease release = TinyRelease("1.0.0");
  release.payload_engine = {};
  ASSERT_EQ(Install(release).status, 0);
  const std::string node = temp_ / "bin/node";
  const auto say = [&](const std::string& script) {
    ASSERT_TRUE(WriteFileAtomically(node, "#!/bin/sh\n" + script, 0755).has_value());
  };
  say("echo v99.0.0\n");
  Found found = Examine();
  EXPECT_THAT(NotOk(found), IsEmpty());
  EXPECT_THAT(found.text["engine"], HasSubstr("v99.0.0"));
  say("exit 126\n");
  found = Examine();
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(NotOk(found), ElementsAre("fail engine"));
  EXPECT_THAT(found.text["engine"], HasSubstr("install Node.js >=18"));
  fs::remove(node);
  environment_["PATH"] = temp_ / "bin";
  EXPECT_THAT(NotOk(Examine()), ElementsAre("fail engine"));
}

TEST_F(Doctor, SaysThatTrustIsMissing) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  Receipt receipt = InstalledReceipt();
  receipt.channel = ChannelPlace{"https://example.test/repository", "stable"};
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), receipt.Text()).has_value());
  const Found found = Examine();
  EXPECT_THAT(NotOk(found), ElementsAre("fail trust"));
  EXPECT_THAT(found.text.at("trust"), HasSubstr("--root <the owner's root.json>"));
}

TEST_F(Doctor, ExaminesEverythingWithoutAnId) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  TestRelease other = SmallRelease("2.0.0");
  other.id = "other";
  other.command = "other";
  ASSERT_EQ(Install(other).status, 0);
  const Ran ran = Piship({"doctor", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  std::vector<std::string> ids;
  const json::Value out = Json(ran);
  for (const json::Value& each : out.Find("distributions")->array()) ids.push_back(Text(each, "id"));
  EXPECT_THAT(ids, ElementsAre("hello", "other"));
  EXPECT_EQ(out.Find("failed")->integer(), 0);
  environment_["PATH"] = "/usr/bin:/bin";
  EXPECT_EQ(Json(Piship({"doctor", "--json"})).Find("warnings")->integer(), 2);
}

}  // namespace
}  // namespace piship
