// SPDX-License-Identifier: MIT
// piship repair: what it writes, where it takes it from, and what it refuses.
#include "os/lock.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class RepairVerb : public RuntimeTest {
 protected:
  static TestRelease Sample(const std::string& version = "1.0.0") {
    TestRelease release = TinyRelease(version);
    release.resources = {{"skills/one.md", version}};
    return release;
  }
  void InstallSample(const std::string& version = "1.0.0") {
    archive_ = Sample(version).WriteArchive(temp_.path());
    ASSERT_EQ(Piship({"install", archive_}).status, 0);
  }
  std::string In(const std::string& path) const { return version_directory() + "/" + path; }
  Ran Repair(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"repair", "hello", "--from", archive_});
    return Piship(std::move(options));
  }
  static ino_t Inode(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    return status.st_ino;
  }

  std::string archive_;
};

TEST_F(RepairVerb, WritesOnlyWhatDiffers) {
  InstallSample();
  const ino_t intact = Inode(In("app/lib/0/0"));
  const ino_t damaged = Inode(In("app/main.js"));
  Append(In("app/main.js"), "damaged");
  Append(In("app/extra"), "extra");
  const Ran ran = Repair({"--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json::Value out = Json(ran);
  EXPECT_EQ(Text(out, "action"), "repaired");
  EXPECT_EQ(Text(out, "version"), "1.0.0");
  EXPECT_EQ(out.Find("differences")->integer(), 2);
  EXPECT_EQ(Inode(In("app/lib/0/0")), intact);
  EXPECT_NE(Inode(In("app/main.js")), damaged);
  EXPECT_FALSE(Exists(In("app/extra")));
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
  const Ran again = Repair();
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.err, "hello 1.0.0 is intact\n");
}

TEST_F(RepairVerb, MendsEveryKindOfDamage) {
  InstallSample();
  const auto replace_by_link = [](const std::string& path) {
    fs::remove_all(path);
    fs::create_symlink("/etc", path);
  };
  const auto replace_by_directory = [&](const std::string& path) {
    fs::remove(path);
    fs::create_directories(path + "/in");
    Append(path + "/in/file", "x");
  };
  const std::vector<std::function<void()>> damages = {
      [&] { fs::remove(In("piship.lock")); },
      [&] { Append(In("piship.lock"), " "); },
      [&] { fs::remove(In("metadata/inventory")); },
      [&] { Append(In("metadata/inventory"), "x"); },
      [&] { fs::permissions(In("metadata/inventory"), fs::perms::owner_all); },
      [&] { replace_by_directory(In("metadata/inventory")); },
      [&] { fs::remove_all(In("metadata")); },
      [&] { replace_by_link(In("metadata")); },
      [&] { fs::permissions(In("engine/node"), fs::perms::owner_read); },
      [&] { replace_by_link(In("app/main.js")); },
      [&] { replace_by_link(In("app")); },
      [&] { replace_by_directory(In("app/main.js")); },
      [&] { fs::remove_all(In("resources")); },
      [&] { fs::create_directories(In("app/extra/deep/er")); },
      [&] { fs::remove_all(version_directory()); },
      [&] { replace_by_link(version_directory()); },
      [&] {
        fs::remove_all(version_directory());
        fs::create_directory(version_directory());
      },
  };
  for (std::size_t index = 0; index < damages.size(); ++index) {
    SCOPED_TRACE(index);
    damages[index]();
    EXPECT_NE(Piship({"verify", "hello"}).status, 0);
    const Ran ran = Repair();
    ASSERT_EQ(ran.status, 0) << ran.err;
    const Ran verified = Piship({"verify", "hello"});
    ASSERT_EQ(verified.status, 0) << verified.err;
    EXPECT_EQ(Start().out, "1.0.0\n");
    EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
  }
  EXPECT_TRUE(Exists("/etc"));
}

TEST_F(RepairVerb, NoProgramNeedsToEnd) {
  InstallSample();
  const auto held = OpenFile(version_directory(), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(held.has_value());
  ASSERT_TRUE(TryLock(held->get(), LockMode::kShared, "version").has_value());
  const ino_t directory = Inode(version_directory());
  Append(In("app/main.js"), "damaged");
  ASSERT_EQ(Repair().status, 0);
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_EQ(Inode(version_directory()), directory);
  // So does an install of the same version, which is the same thing.
  Append(In("app/main.js"), "damaged");
  ASSERT_EQ(Piship({"install", archive_}).status, 0);
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_EQ(Inode(version_directory()), directory);
}

TEST_F(RepairVerb, AKeptVersionStaysKept) {
  InstallSample();
  const std::string old_archive = archive_;
  InstallSample("2.0.0");
  fs::remove(In("piship.lock"));
  const std::string receipt = ReceiptText();
  EXPECT_THAT(Repair().err, HasSubstr("hello 2.0.0 is intact"));
  const Ran ran = Piship({"repair", "hello", "--release-version", "1.0.0", "--from", old_archive});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(InstalledReceipt().active.version, "2.0.0");
  EXPECT_EQ(ReceiptText(), receipt);
  EXPECT_EQ(Start().out, "2.0.0\n");
  ASSERT_EQ(Piship({"rollback", "hello"}).status, 0);
  EXPECT_EQ(Start().out, "1.0.0\n");
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

TEST_F(RepairVerb, RefusesEverythingElseAndChangesNothing) {
  const Ran missing = Piship({"repair", "hello"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("[NOT_INSTALLED]"));
  InstallSample();
  Append(In("app/main.js"), "damaged");
  const std::string damaged = *ReadFile(In("app/main.js"));
  const auto expect_refused = [&](const Ran& ran, int status, const std::string& code) {
    EXPECT_EQ(ran.status, status) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(code));
    EXPECT_EQ(*ReadFile(In("app/main.js")), damaged);
    EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
  };
  const Ran no_source = Piship({"repair", "hello"});
  expect_refused(no_source, 3, "its receipt names no channel");
  EXPECT_THAT(no_source.err, HasSubstr("hint: piship repair hello --from <the archive of 1.0.0>"));
  EXPECT_TRUE(Names(install_home() + "/downloads").empty());
  expect_refused(Piship({"repair", "hello", "--release-version", "3.0.0"}), 1, "[NOT_INSTALLED]");

  TestRelease other = Sample();
  other.extra.push_back({"app/more", "more"});
  ASSERT_TRUE(MakeDirectories(temp_ / "other").has_value());
  expect_refused(Piship({"repair", "hello", "--from", other.WriteArchive(temp_ / "other")}), 3, "[VERSION_CONFLICT]");
  expect_refused(Piship({"repair", "hello", "--from", Sample("2.0.0").WriteArchive(temp_ / "other")}), 3,
                 "[VERSION_CONFLICT]");
  const std::string content = *ReadFile(archive_);
  ASSERT_TRUE(WriteFileAtomically(archive_, content.substr(0, content.size() / 2)).has_value());
  const Ran cut = Repair();
  EXPECT_EQ(cut.status, 3) << cut.err;
  expect_refused(cut, 3, "ARCHIVE_");
  ASSERT_TRUE(WriteFileAtomically(archive_, content).has_value());
  EXPECT_EQ(Repair().status, 0);
}

// What an interrupted run has downloaded is enough.
TEST_F(RepairVerb, TakesTheArchiveThatIsThere) {
  InstallSample();
  fs::remove(In("app/main.js"));
  const std::string downloads = DownloadsDirectory(install_home());
  ASSERT_TRUE(MakeDirectories(downloads).has_value());
  const std::string content = *ReadFile(archive_);
  ASSERT_TRUE(WriteFileAtomically(downloads + "/" + Digest::Of(content).Hex() + ".part", content).has_value());
  const Ran ran = Piship({"repair", "hello"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_TRUE(Names(downloads).empty());
}

TEST_F(RepairVerb, ClearsTheNoteOfAnotherBoot) {
  InstallSample();
  Receipt noted = InstalledReceipt();
  noted.unsynced_boot = "another";
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), noted.Text()).has_value());
  ASSERT_EQ(Repair().status, 0);
  EXPECT_FALSE(InstalledReceipt().unsynced_boot);
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), noted.Text()).has_value());
  ASSERT_TRUE(WriteFileAtomically(In("app/main.js"), "").has_value());
  EXPECT_EQ(Start().status, 125);
  ASSERT_EQ(Repair().status, 0);
  EXPECT_FALSE(InstalledReceipt().unsynced_boot);
  EXPECT_EQ(Start().out, "1.0.0\n");
}

}  // namespace
}  // namespace piship
