// SPDX-License-Identifier: MIT
// An installation whose receipt names a package manager: it starts and is checked, and nothing of it is changed.
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;
using testing::Not;

class Managed : public RuntimeTest {
 protected:
  // 1.0.0 active and 0.9.0 kept, both the package's, and a command that the package made.
  void MakeInstallation(const std::string& manager) {
    ASSERT_EQ(Install(TinyRelease("0.9.0")).status, 0);
    ASSERT_EQ(Install(TinyRelease("1.0.0")).status, 0);
    Receipt receipt = InstalledReceipt();
    receipt.unsynced_boot.reset();
    receipt.managed_by = ManagedBy{manager, "hello-friend"};
    ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), receipt.Text()).has_value());
    std::filesystem::rename(temp_ / "bin", temp_ / "usr-bin");
    environment_["PATH"] = (temp_ / "usr-bin") + ":" + environment_["PATH"];
  }
  std::string State() const {
    std::string state = ReceiptText();
    for (const std::string& name : AppNames()) state += name + "\n";
    return state;
  }
};

TEST_F(Managed, WhatWouldChangeItIsRefusedWithThePackageManagersCommand) {
  MakeInstallation("dpkg");
  const std::string before = State();
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"update", "hello"}, "sudo apt-get install --only-upgrade hello-friend"},
      {{"update", "hello", "--check"}, "sudo apt-get install --only-upgrade hello-friend"},
      {{"repair", "hello"}, "sudo apt-get install --reinstall hello-friend"},
      {{"rollback", "hello"}, "sudo apt-get install ./"},
      {{"rollback", "hello", "--dry-run"}, "sudo apt-get install ./"},
      {{"keep", "hello", "0"}, "sudo apt-get install ./"},
      {{"uninstall", "hello"}, "sudo apt-get remove hello-friend"},
      {{"uninstall", "hello", "--purge"}, "sudo apt-get remove hello-friend"},
      {{"install", TinyRelease("2.0.0").WriteArchive(temp_.path())}, "sudo apt-get install ./"},
      {{"install", TinyRelease("1.0.0").WriteArchive(temp_.path())}, "sudo apt-get install ./"},
  };
  for (const auto& [words, hint] : cases) {
    SCOPED_TRACE(words[0] + " " + words[1]);
    const Ran ran = Piship(words);
    EXPECT_EQ(ran.status, 1);
    EXPECT_THAT(ran.err, HasSubstr("'hello' belongs to the package 'hello-friend' of dpkg"));
    EXPECT_THAT(ran.err, HasSubstr("[PACKAGE_MANAGED]"));
    EXPECT_THAT(ran.err, HasSubstr(hint));
    EXPECT_EQ(State(), before);
  }
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_EQ(Piship({"keep", "hello"}).status, 0);
  EXPECT_EQ(Piship({"launch", "hello"}).out, "1.0.0\n");
  EXPECT_EQ(State(), before);
}

TEST_F(Managed, DoctorFindsThePackagesCommandAndAdvisesToReinstall) {
  MakeInstallation("dpkg");
  const Ran well = Piship({"doctor", "hello"});
  EXPECT_THAT(well.out, HasSubstr(", of the package hello-friend of dpkg\n"));
  EXPECT_THAT(well.out, HasSubstr("'" + (temp_ / "usr-bin/hello") + "' leads to the launcher"));
  EXPECT_THAT(well.out, Not(HasSubstr("fail ")));
  Append(version_directory() + "/engine/node", "damage");
  std::filesystem::remove(temp_ / "usr-bin/hello");
  const Ran ill = Piship({"doctor", "hello"});
  EXPECT_EQ(ill.status, 1);
  EXPECT_THAT(ill.out, HasSubstr("-> sudo apt-get install --reinstall hello-friend\n"));
  EXPECT_THAT(ill.out, HasSubstr("no directory of PATH has a command 'hello' that leads to the launcher"));
  EXPECT_THAT(ill.out, Not(HasSubstr("piship repair")));
  const Ran fix = Piship({"doctor", "hello", "--fix"});
  EXPECT_EQ(fix.status, 1);
  EXPECT_THAT(fix.out, HasSubstr("belongs to the package 'hello-friend' of dpkg"));
}

TEST_F(Managed, AManagerThatIsNotKnownIsNamed) {
  MakeInstallation("some-manager");
  EXPECT_THAT(Piship({"update", "hello"}).err, HasSubstr("use some-manager for that"));
}

}  // namespace
}  // namespace piship
