// SPDX-License-Identifier: MIT
// How many versions stay installed, who says so, and what becomes of the others.
#include "os/lock.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Keep : public RuntimeTest {
 protected:
  void InstallVersions(const std::vector<std::string>& versions, std::int64_t keep = kDefaultKeepVersions) {
    for (const std::string& version : versions) {
      TestRelease release = TinyRelease(version);
      release.keep_versions = keep;
      const Ran ran = Install(release);
      ASSERT_EQ(ran.status, 0) << ran.err;
    }
  }
  std::vector<std::string> Kept() const {
    std::vector<std::string> versions;
    for (const InstalledRelease& release : InstalledReceipt().kept) versions.push_back(release.version);
    return versions;
  }
  std::vector<std::string> Reclaimable(const json::Value& out) const {
    std::vector<std::string> names;
    for (const json::Value& item : out.Find("reclaimable")->array()) names.push_back(Text(item, "name"));
    return names;
  }
};

TEST_F(Keep, TheOwnersNumberCounts) {
  InstallVersions({"1.0.0", "1.1.0", "1.2.0", "1.3.0"}, 2);
  EXPECT_THAT(Kept(), ElementsAre("1.2.0", "1.1.0"));
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.1.0", "1.2.0", "1.3.0", "launch"));
  ASSERT_EQ(Piship({"rollback", "hello", "--to", "1.1.0"}).status, 0);
  EXPECT_EQ(Start().out, "1.1.0\n");
  EXPECT_THAT(Kept(), ElementsAre("1.3.0", "1.2.0"));
  InstallVersions({"2.0.0"}, 0);
  EXPECT_THAT(Kept(), IsEmpty());
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "2.0.0", "launch"));
}

TEST_F(Keep, TheUsersNumberGoesFirstAndStays) {
  InstallVersions({"1.0.0", "1.1.0"});
  const json::Value owners = Json(Piship({"keep", "hello", "--json", "--quiet"}));
  EXPECT_EQ(Text(owners, "chosen_by"), "owner");
  EXPECT_EQ(owners.Find("keep_versions")->integer(), 1);
  const Ran three = Piship({"keep", "hello", "3"});
  ASSERT_EQ(three.status, 0) << three.err;
  EXPECT_THAT(three.err, HasSubstr("hello keeps 3 versions beside the active one, as you have chosen"));
  InstallVersions({"1.2.0", "1.3.0", "1.4.0"}, 0);
  EXPECT_THAT(Kept(), ElementsAre("1.3.0", "1.2.0", "1.1.0"));
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  EXPECT_EQ(InstalledReceipt().keep_versions, 3);

  // The active version's owner says none; what the number drops goes at once.
  const Ran none = Piship({"keep", "hello", "default", "--json"});
  ASSERT_EQ(none.status, 0) << none.err;
  const json::Value out = Json(none);
  EXPECT_THAT(Texts(out, "dropped"), ElementsAre("1.4.0", "1.2.0", "1.1.0"));
  EXPECT_THAT(Reclaimable(out), IsEmpty());
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.3.0", "launch"));
  EXPECT_EQ(Start().out, "1.3.0\n");
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

TEST_F(Keep, RefusesWhatIsNoNumberAndWhatIsNotInstalled) {
  const Ran missing = Piship({"keep", "hello", "1"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("NOT_INSTALLED"));
  EXPECT_FALSE(Exists(install_home()));
  InstallVersions({"1.0.0"});
  const std::string receipt = ReceiptText();
  for (const char* wrong : {"-1", "100", "1.5", "many", "1 "}) {
    const Ran ran = Piship({"keep", "hello", "--", wrong});
    EXPECT_EQ(ran.status, 2) << wrong << ran.err;
  }
  EXPECT_EQ(ReceiptText(), receipt);
}

TEST_F(Keep, AnUpdateNamesWhatIsKeptAndHowToFreeIt) {
  InstallVersions({"1.0.0"});
  const Ran update = Install(TinyRelease("1.1.0"));
  EXPECT_THAT(update.err, HasSubstr("kept for 'piship rollback': 1.0.0; 'piship keep hello 0' frees that"));
  EXPECT_THAT(update.err, Not(HasSubstr("not needed any more")));
  ASSERT_EQ(Piship({"keep", "hello", "0"}).status, 0);
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.1.0", "launch"));
}

// Without time for it nothing is deleted, all is named, and the next one has it.
TEST_F(Keep, WhatTheTimeIsTooShortForIsNamed) {
  InstallVersions({"1.0.0", "1.1.0"});
  environment_["PISHIP_RECLAIM_BUDGET_MS"] = "0";
  const Ran update = Install(TinyRelease("1.2.0"), {"--json"});
  ASSERT_EQ(update.status, 0) << update.err;
  const json::Value out = Json(update);
  ASSERT_EQ(Reclaimable(out).size(), 1U);
  const json::Value& left = out.Find("reclaimable")->array()[0];
  EXPECT_THAT(Text(left, "name"), HasSubstr(".removed-"));
  EXPECT_GT(left.Find("bytes")->integer(), 0);
  EXPECT_EQ(left.Find("holder"), nullptr);
  EXPECT_THAT(update.err, HasSubstr("'piship doctor hello --fix' frees that\n"));
  EXPECT_EQ(Start().out, "1.2.0\n");
  EXPECT_EQ(AppNames().size(), 5U);
  environment_["PISHIP_RECLAIM_BUDGET_MS"] = "600000";
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.1.0", "1.2.0", "launch"));
}

TEST_F(Keep, AVersionInUseIsNamedWithItsProcessAndStays) {
  InstallVersions({"1.0.0", "1.1.0"});
  const auto held = OpenFile(version_directory("1.0.0"), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(held.has_value());
  ASSERT_TRUE(TryLock(held->get(), LockMode::kShared, "version").has_value());
  const Ran update = Install(TinyRelease("1.2.0"), {"--json"});
  const json::Value out = Json(update);
  EXPECT_THAT(Reclaimable(out), ElementsAre("1.0.0"));
  EXPECT_EQ(Text(out.Find("reclaimable")->array()[0], "holder"), "process " + std::to_string(getpid()));
  EXPECT_THAT(update.err, HasSubstr("once process " + std::to_string(getpid()) + ", which uses it, has ended"));
  EXPECT_TRUE(Exists(version_directory("1.0.0") + "/piship.lock"));
  // A start deletes nothing, whether it is in use or not.
  EXPECT_EQ(Start().out, "1.2.0\n");
  EXPECT_TRUE(Exists(version_directory("1.0.0") + "/piship.lock"));
}

}  // namespace
}  // namespace piship
