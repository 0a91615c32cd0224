// SPDX-License-Identifier: MIT
// piship rollback: back and forth among what is kept, without a network, and what it refuses.
#include "os/lock.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;

class RollbackVerb : public RuntimeTest {
 protected:
  void InstallBoth() {
    ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
    ASSERT_EQ(Install(TinyRelease("2.0.0")).status, 0);
    ASSERT_EQ(Start().out, "2.0.0\n");
  }
  std::vector<std::string> KeptVersions() const {
    std::vector<std::string> versions;
    for (const InstalledRelease& release : InstalledReceipt().kept) versions.push_back(release.version);
    return versions;
  }
};

TEST_F(RollbackVerb, GoesBackAndForthAgainAndAgain) {
  InstallBoth();
  const InstalledRelease second = InstalledReceipt().active;
  for (int round = 0; round < 3; ++round) {
    const Ran back = Piship({"rollback", "hello", "--json", "--quiet"});
    ASSERT_EQ(back.status, 0) << back.err;
    EXPECT_EQ(back.err, "");
    const json::Value out = Json(back);
    EXPECT_EQ(Text(out, "action"), "rolled-back");
    EXPECT_EQ(Text(out, "version"), "1.0.0");
    EXPECT_EQ(Text(out, "previous_version"), "2.0.0");
    EXPECT_EQ(Start().out, "1.0.0\n");
    EXPECT_EQ(InstalledReceipt().rolled_back, "2.0.0");
    const Ran forth = Piship({"rollback", "hello"});
    ASSERT_EQ(forth.status, 0) << forth.err;
    EXPECT_EQ(forth.out, "");
    EXPECT_THAT(forth.err, HasSubstr("rolled hello back from 1.0.0 to 2.0.0"));
    EXPECT_EQ(Start().out, "2.0.0\n");
    EXPECT_FALSE(InstalledReceipt().rolled_back);
  }
  // All that is known of a version stays.
  EXPECT_EQ(InstalledReceipt().active.archive, second.archive);
  EXPECT_THAT(KeptVersions(), testing::ElementsAre("1.0.0"));
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

TEST_F(RollbackVerb, AcrossAChangeOfTheStateSchemaNeedsAcceptState) {
  TestRelease older = TinyRelease("1.0.0");
  TestRelease newer = TinyRelease("2.0.0");
  older.state_schema = 1;
  newer.state_schema = 2;
  ASSERT_EQ(Install(older).status, 0);
  ASSERT_EQ(Install(newer).status, 0);
  const std::string data = temp_ / "state/hello/data";
  ASSERT_TRUE(MakeDirectories(ParentPath(data)));
  ASSERT_TRUE(WriteFileAtomically(data, "of form 2"));
  const std::string receipt = ReceiptText();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"rollback", "hello"},
                                                {"rollback", "hello", "--dry-run"},
                                                {"install", "--quiet", older.WriteArchive(temp_.path())}}) {
    const Ran refused = Piship(words);
    EXPECT_EQ(refused.status, 1) << refused.err;
    EXPECT_THAT(refused.err, testing::AllOf(HasSubstr("[STATE_NEWER]"), HasSubstr("in form 1"),
                                            HasSubstr("stores form 2"), HasSubstr("--accept-state")));
    EXPECT_EQ(ReceiptText(), receipt);
  }
  ASSERT_EQ(Piship({"rollback", "hello", "--accept-state"}).status, 0);
  EXPECT_EQ(Start().out, "1.0.0\n");
  EXPECT_EQ(*ReadFile(data), "of form 2");
  // Forth is no question, and back by installing is the same one.
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  ASSERT_EQ(Install(older, {"--accept-state"}).status, 0);
  EXPECT_EQ(Start().out, "1.0.0\n");
  EXPECT_EQ(*ReadFile(data), "of form 2");
}

TEST_F(RollbackVerb, ADamagedLockOfTheActiveVersionHoldsNothingUp) {
  TestRelease newer = TinyRelease("2.0.0");
  newer.state_schema = 2;
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  ASSERT_EQ(Install(newer).status, 0);
  ASSERT_TRUE(WriteFileAtomically(version_directory("2.0.0") + "/piship.lock", "{}"));
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "1.0.0\n");
}

TEST_F(RollbackVerb, TakesTheNamedVersion) {
  InstallBoth();
  ASSERT_EQ(Piship({"rollback", "hello", "--to", "1.0.0"}).status, 0);
  EXPECT_EQ(Start().out, "1.0.0\n");
  const std::string receipt = ReceiptText();
  const Ran again = Piship({"rollback", "hello", "--to", "1.0.0", "--json"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(Text(Json(again), "action"), "already-active");
  EXPECT_EQ(ReceiptText(), receipt);
  const Ran missing = Piship({"rollback", "hello", "--to", "3.0.0"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("NOT_INSTALLED"));
  EXPECT_THAT(missing.err, HasSubstr("kept: 2.0.0"));
  EXPECT_EQ(ReceiptText(), receipt);
}

TEST_F(RollbackVerb, RefusesWhatIsNotThereAndLeavesNothing) {
  const Ran unknown = Piship({"rollback", "hello"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("NOT_INSTALLED"));
  EXPECT_FALSE(Exists(install_home()));
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  const Ran alone = Piship({"rollback", "hello"});
  EXPECT_EQ(alone.status, 1);
  EXPECT_THAT(alone.err, HasSubstr("no version of hello before 1.0.0 is kept"));
  EXPECT_EQ(Start().out, "1.0.0\n");
}

TEST_F(RollbackVerb, ADryRunChangesNothing) {
  InstallBoth();
  const std::string receipt = ReceiptText();
  const Ran ran = Piship({"rollback", "hello", "--dry-run"});
  ASSERT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("would roll hello back from 2.0.0 to 1.0.0"));
  EXPECT_EQ(ReceiptText(), receipt);
}

TEST_F(RollbackVerb, ADamagedKeptVersionIsNotActivated) {
  InstallBoth();
  const std::string receipt = ReceiptText();
  for (const bool missing : {false, true}) {
    const std::string lock = version_directory("1.0.0") + "/piship.lock";
    std::filesystem::permissions(lock, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
    if (missing) {
      std::filesystem::remove(lock);
    } else {
      Append(lock, " ");
    }
    const Ran ran = Piship({"rollback", "hello"});
    EXPECT_EQ(ran.status, 3) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("INTEGRITY_FAILED"));
    EXPECT_EQ(ReceiptText(), receipt);
  }
  EXPECT_EQ(Start().out, "2.0.0\n");
}

// A power cut may have taken a part of the payload: nothing may lead to it any more.
TEST_F(RollbackVerb, AVersionThatMayBeLostInPartIsNotKept) {
  InstallBoth();
  Receipt noted = InstalledReceipt();
  noted.unsynced_boot = "another";
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), noted.Text()).has_value());
  const Ran ran = Piship({"rollback", "hello"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("is not kept"));
  EXPECT_EQ(Start().out, "1.0.0\n");
  EXPECT_TRUE(KeptVersions().empty());
  ASSERT_EQ(Install(TinyRelease("2.0.0")).status, 0);
  EXPECT_EQ(Start().out, "2.0.0\n");
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

TEST_F(RollbackVerb, TheCommandGetsItsOldNameAndANewerLauncherStays) {
  ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
  TestRelease renamed = TinyRelease("2.0.0");
  renamed.command = "hello-two";
  ASSERT_EQ(Install(renamed).status, 0);
  const std::string launcher = LauncherPath(install_home(), "hello");
  const auto written = std::filesystem::last_write_time(launcher);
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  EXPECT_FALSE(Exists(command("hello-two")));
  EXPECT_EQ(Start().out, "1.0.0\n");
  EXPECT_EQ(std::filesystem::last_write_time(launcher), written);
  // A name that somebody else has taken meanwhile is not taken back.
  Append(command("hello-two"), "mine");
  const Ran taken = Piship({"rollback", "hello"});
  EXPECT_THAT(taken.err, HasSubstr("COMMAND_TAKEN"));
  EXPECT_EQ(Start().out, "1.0.0\n");
}

TEST_F(RollbackVerb, ARunningVersionGoesOn) {
  InstallBoth();
  const auto held = OpenFile(version_directory("2.0.0"), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(held.has_value());
  ASSERT_TRUE(TryLock(held->get(), LockMode::kShared, "version").has_value());
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "1.0.0\n");
  EXPECT_TRUE(Exists(version_directory("2.0.0") + "/piship.lock"));
}

}  // namespace
}  // namespace piship
