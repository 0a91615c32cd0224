// SPDX-License-Identifier: MIT
#include "sources/sources.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "model/inventory.h"
#include "store/store.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship::sources {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class Sources : public testing::Test {
 protected:
  void Make(const std::string& path, std::string_view bytes = "x", unsigned mode = 0644) {
    fs::create_directories(ParentPath(Base() + "/" + path));
    PISHIP_ASSERT_OK(WriteFileAtomically(Base() + "/" + path, bytes));
    ASSERT_EQ(chmod((Base() + "/" + path).c_str(), mode), 0);
  }
  std::string Base() const { return directory_ / "base"; }

  Status RunOn(std::string_view list, const std::string& prefix = "") {
    EXPECT_TRUE(WriteFileAtomically(directory_ / "list", list));
    return sources::Run(
        {Base(), directory_ / "list", prefix, directory_ / "store", directory_ / "out", directory_ / "out.d"});
  }

  // "x path" or "- path" for each entry.
  std::vector<std::string> Entries() const {
    std::vector<std::string> lines;
    const auto inventory = ReadInventory(directory_ / "out");
    EXPECT_TRUE(inventory.has_value());
    for (const InventoryEntry& entry : inventory->entries()) {
      lines.push_back((entry.mode == FileMode::kExecutable ? "x " : "- ") + entry.path.str());
    }
    return lines;
  }
  std::string Depfile() const { return ReadFile(directory_ / "out.d").value_or(""); }

  TempDir directory_;
};

TEST_F(Sources, TakesFilesAndWalksDirectories) {
  Make("main.js", "main", 0600);
  Make("run", "#!/bin/sh", 0744);
  Make("group", "x", 0654);  // executable for the group only
  Make("lib/a.js", "a");
  Make("lib/deep/er/b.js", "b");
  Make("lib/notes~", "an editor's backup is taken like any file");
  Make("other/c.js");
  PISHIP_ASSERT_OK(RunOn("main.js\nrun\ngroup\nlib/\n\nlib/a.js\n"));
  EXPECT_THAT(Entries(),
              ElementsAre("- group", "- lib/a.js", "- lib/deep/er/b.js", "- lib/notes~", "- main.js", "x run"));
  const auto store = Store::Open(directory_ / "store");
  PISHIP_ASSERT_OK(store);
  EXPECT_EQ(*store->Read(Digest::Of("main"), 4), "main");
}

TEST_F(Sources, PutsThemBelowThePrefix) {
  Make("src/main.js");
  PISHIP_ASSERT_OK(RunOn("src", "app/js"));
  EXPECT_THAT(Entries(), ElementsAre("- app/js/src/main.js"));
  PISHIP_EXPECT_ERROR(RunOn("src", "../up"), ErrorCode::kPathInvalid);
}

TEST_F(Sources, TakesTheWholeBaseButNotWhatIsNobodysSource) {
  Make("main.js");
  Make(".hidden");
  Make(".DS_Store");
  Make(".git/config");
  Make("sub/.git", "gitdir: elsewhere");
  PISHIP_ASSERT_OK(RunOn(".\n"));
  EXPECT_THAT(Entries(), ElementsAre("- .hidden", "- main.js"));
}

TEST_F(Sources, DependsOnWhatWasReadAndOnTheEpoch) {
  Make("main.js");
  Make("lib/deep/b.js");
  fs::create_directories(Base() + "/lib/empty");
  PISHIP_ASSERT_OK(RunOn("main.js\nlib"));
  std::string base = Base();
  for (std::size_t at = 0; (at = base.find(' ', at)) != std::string::npos; at += 2) base.insert(at, "\\");
  std::string lines = Depfile();
  lines.insert(lines.size() - 1, " \\");
  for (const char* path : {"/main.js", "/lib", "/lib/deep", "/lib/deep/b.js", "/lib/empty"}) {
    EXPECT_THAT(lines, HasSubstr("  " + base + path + " \\\n"));
  }
  EXPECT_THAT(Depfile(), HasSubstr("/store/epoch"));
}

TEST_F(Sources, SaysAllProblemsAtOnce) {
  Make("good.js");
  Make("lib/trailing.");
  Make("lib/good.js");
  fs::create_symlink("good.js", Base() + "/lib/link");
  ASSERT_EQ(mkfifo((Base() + "/pipe").c_str(), 0600), 0);
  fs::create_directory_symlink("lib", Base() + "/linked");
  const Status status = RunOn("missing.js\n../up\nlib\npipe\nlinked\nlinked/good.js\ngood.js/x\n/absolute\n");
  PISHIP_EXPECT_ERROR(status, ErrorCode::kFileNotFound);
  const std::vector<std::string>& problems = status.error().problems;
  EXPECT_EQ(problems.size(), 9U);
  for (const char* line : {"list:1:1: 'missing.js' does not exist", "list:2:1: '../up' ", "list:3:1: 'lib/trailing.' ",
                           "list:3:1: 'lib/link' is a symbolic link", "list:4:1: 'pipe' is a pipe",
                           "list:5:1: 'linked' is a symbolic link", "list:6:1: 'linked/good.js' lies behind",
                           "list:7:1: 'good.js/x' lies behind", "list:8:1: '/absolute' "}) {
    EXPECT_THAT(problems, Contains(HasSubstr(line)));
  }
  EXPECT_FALSE(fs::exists(directory_ / "out"));
}

TEST_F(Sources, RefusesNamesThatFoldTogether) {
  Make("Readme");
  Make("README");
  PISHIP_EXPECT_ERROR(RunOn("."), ErrorCode::kPathConflict);
}

TEST_F(Sources, RefusesMoreThanNinjaCanTrackAndSaysWhatToDo) {
  fs::create_directories(Base() + "/many");
  for (int index = 0; index < 2000; ++index) {
    const auto fd = OpenFile(Base() + "/many/" + std::to_string(index), O_WRONLY | O_CREAT);
    ASSERT_TRUE(fd.has_value());
  }
  const Status status = RunOn("many");
  PISHIP_EXPECT_ERROR(status, ErrorCode::kLimitExceeded);
  EXPECT_THAT(status.error().hint, HasSubstr("split"));
}

TEST_F(Sources, LeavesAnEqualInventoryAlone) {
  Make("main.js", "one");
  PISHIP_ASSERT_OK(RunOn("main.js"));
  struct stat before {};
  ASSERT_EQ(stat((directory_ / "out").c_str(), &before), 0);
  Make("main.js", "one");
  PISHIP_ASSERT_OK(RunOn("main.js"));
  struct stat after {};
  ASSERT_EQ(stat((directory_ / "out").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  Make("main.js", "two");
  PISHIP_ASSERT_OK(RunOn("main.js"));
  ASSERT_EQ(stat((directory_ / "out").c_str(), &after), 0);
  EXPECT_NE(before.st_ino, after.st_ino);
}

TEST_F(Sources, PutsAgainWhatTheStoreHasLost) {
  Make("main.js", "one");
  PISHIP_ASSERT_OK(RunOn("main.js"));
  fs::remove_all(directory_ / "store");
  PISHIP_ASSERT_OK(RunOn("main.js"));
  PISHIP_ASSERT_OK(Store::Open(directory_ / "store")->Read(Digest::Of("one"), 3));
}

TEST_F(Sources, AnEmptyListIsAnEmptyInventory) {
  fs::create_directories(Base());
  PISHIP_ASSERT_OK(RunOn(""));
  EXPECT_THAT(Entries(), ElementsAre());
}

}  // namespace
}  // namespace piship::sources
