// SPDX-License-Identifier: MIT
// What a launch refuses to start, with its code and status, and that nothing has run then.
#include <sys/file.h>

#include <thread>

#include "os/boot.h"
#include "tool/runtime/probe_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;

class LaunchRefuses : public ProbeTest {
 protected:
  // Puts another lock in the place of the installed one, and its digest into the receipt.
  void ReplaceLock(const DistributionLock& lock) {
    const std::string text = lock.Text();
    ASSERT_TRUE(WriteFileAtomically(version_directory() + "/piship.lock", text).has_value());
    Receipt receipt = InstalledReceipt();
    receipt.active.lock = Digest::Of(text);
    receipt.active.platform = lock.platform;
    WriteReceipt(receipt);
  }
  static std::string OtherPlatform() {
    return Platform::OfThisProgram().str() == "linux-arm64" ? "linux-x64" : "linux-arm64";
  }
  void NoteOtherBoot() {
    Receipt receipt = InstalledReceipt();
    receipt.unsynced_boot = "00000000-0000-0000-0000-000000000000";
    WriteReceipt(receipt);
  }
};

TEST_F(LaunchRefuses, WhatIsNotInstalled) {
  const Ran ran = Piship({"launch", "hello"});
  EXPECT_EQ(ran.status, 125);
  EXPECT_THAT(ran.err, HasSubstr("[NOT_INSTALLED]"));
  const Ran bad = Piship({"launch", "../hello"});
  EXPECT_EQ(bad.status, 125);
  EXPECT_THAT(bad.err, HasSubstr("[NAME_INVALID]"));
}

TEST_F(LaunchRefuses, AMissingReceipt) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  std::filesystem::remove(ReceiptPath(install_home(), "hello"));
  EXPECT_THAT(ExpectRefused(125, "NOT_INSTALLED"), HasSubstr("hello"));
}

TEST_F(LaunchRefuses, ADamagedReceipt) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  const std::string good = ReceiptText();
  const std::string path = ReceiptPath(install_home(), "hello");
  ASSERT_TRUE(WriteFileAtomically(path, good.substr(0, good.size() / 2)).has_value());
  ExpectRefused(125, "JSON_INVALID");
  for (const std::string text : {R"({"format": 1})", R"({"format": 1, "id": "../x"})", "[]"}) {
    ASSERT_TRUE(WriteFileAtomically(path, text).has_value());
    ExpectRefused(125, "RECEIPT_INVALID");
  }
  std::string climbing = good;
  climbing.replace(climbing.find("\"1.0.0\""), 7, "\"../..\"");
  ASSERT_TRUE(WriteFileAtomically(path, climbing).has_value());
  ExpectRefused(125, "RECEIPT_INVALID");
  std::string other = good;
  other.replace(other.find("\"id\": \"hello\""), 13, "\"id\": \"other\"");
  ASSERT_TRUE(WriteFileAtomically(path, other).has_value());
  ExpectRefused(125, "RECEIPT_INVALID");
  ASSERT_TRUE(WriteFileAtomically(path, good).has_value());
  ExpectStarts();
}

TEST_F(LaunchRefuses, AReceiptThatIsALinkOrADirectory) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  const std::string path = ReceiptPath(install_home(), "hello");
  std::filesystem::rename(path, temp_ / "receipt");
  std::filesystem::create_symlink(temp_ / "receipt", path);
  for (const Program& program : Ways()) EXPECT_EQ(RunProgram(program).status, 125);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  for (const Program& program : Ways()) EXPECT_EQ(RunProgram(program).status, 125);
}

TEST_F(LaunchRefuses, AReceiptOfANewerPiShip) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), "{\"format\": 2}").has_value());
  ExpectRefused(125, "FORMAT_NEWER");
}

TEST_F(LaunchRefuses, AChangedLock) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  const std::string path = version_directory() + "/piship.lock";
  Append(path, " ");
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("piship.lock"));
  std::filesystem::remove(path);
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("piship.lock"));
  // A link to the right bytes is refused, too.
  Append(temp_ / "lock", TestRelease().Lock().Text());
  std::filesystem::create_symlink(temp_ / "lock", path);
  ExpectRefused(125, "INTEGRITY_FAILED");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  for (const Program& program : Ways()) EXPECT_EQ(RunProgram(program).status, 125);
}

TEST_F(LaunchRefuses, ALockOfAnotherDistributionOrVersion) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  TestRelease other;
  other.version = "1.0.1";
  ReplaceLock(other.Lock());
  EXPECT_THAT(ExpectRefused(125, "LOCK_INVALID"), HasSubstr("1.0.1"));
  other = TestRelease();
  other.id = "other";
  ReplaceLock(other.Lock());
  EXPECT_THAT(ExpectRefused(125, "LOCK_INVALID"), HasSubstr("other"));
}

TEST_F(LaunchRefuses, AMissingVersion) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  std::filesystem::rename(version_directory(), temp_ / "payload");
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("'piship repair hello' writes it anew"));
  std::filesystem::create_directory_symlink(temp_ / "payload", version_directory());
  for (const Program& program : Ways()) EXPECT_EQ(RunProgram(program).status, 125);
}

TEST_F(LaunchRefuses, AResourceThatIsMissingOrNoRegularFile) {
  TestRelease payload;
  payload.resources = {{"skills/a.md", "a"}, {"skills/deep/b.md", "b"}};
  ASSERT_EQ(Install(payload).status, 0);
  ExpectStarts();
  const std::string path = version_directory() + "/resources/skills/deep/b.md";
  std::filesystem::rename(path, temp_ / "b.md");
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("deep/b.md' is missing"));
  std::filesystem::create_symlink(temp_ / "b.md", path);
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("deep/b.md' is not a regular file"));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  ExpectRefused(125, "INTEGRITY_FAILED");
  std::filesystem::remove(path);
  std::filesystem::rename(temp_ / "b.md", path);
  ExpectStarts();
}

TEST_F(LaunchRefuses, AResourceBehindADirectoryThatIsALink) {
  TestRelease payload;
  payload.resources = {{"skills/deep/b.md", "b"}};
  ASSERT_EQ(Install(payload).status, 0);
  const std::string directory = version_directory() + "/resources/skills/deep";
  std::filesystem::rename(directory, temp_ / "deep");
  std::filesystem::create_directory_symlink(temp_ / "deep", directory);
  ExpectRefused(125, "INTEGRITY_FAILED");
}

TEST_F(LaunchRefuses, AnotherPlatformNamingBoth) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  TestRelease other;
  other.platform = OtherPlatform();
  ReplaceLock(other.Lock());
  const std::string said = ExpectRefused(125, "PLATFORM_MISMATCH");
  EXPECT_THAT(said, HasSubstr("is for " + OtherPlatform()));
  EXPECT_THAT(said, HasSubstr("this machine is " + Platform::OfThisProgram().str()));
  const Ran installed = Piship({"verify", "hello"});
  EXPECT_EQ(installed.status, 1);
  EXPECT_THAT(installed.err, HasSubstr("[PLATFORM_MISMATCH]"));
  const Ran archive = Piship({"verify", other.WriteArchive(temp_.path())});
  EXPECT_EQ(archive.status, 1);
  for (const Ran& ran : {installed, archive}) {
    EXPECT_THAT(ran.err, HasSubstr("is for " + OtherPlatform()));
    EXPECT_THAT(ran.err, HasSubstr("this machine is " + Platform::OfThisProgram().str()));
  }
}

TEST_F(LaunchRefuses, EveryDifferenceWhereEachStartVerifies) {
  TestRelease payload;
  payload.verify = VerifyAtLaunch::kOn;
  payload.resources = {{"skills/a.md", "a"}};
  payload.extra.push_back({"app/tool", "#!/bin/sh\n", FileMode::kExecutable});
  ASSERT_EQ(Install(payload).status, 0);
  const std::string directory = version_directory();
  ExpectStarts();

  Append(directory + "/app/main.js", " ");
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("app/main.js"));
  ASSERT_TRUE(WriteFileAtomically(directory + "/app/main.js", payload.script).has_value());
  ExpectStarts();

  std::filesystem::rename(directory + "/app/tool", temp_ / "tool");
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("app/tool"));
  std::filesystem::create_symlink(temp_ / "tool", directory + "/app/tool");
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("app/tool"));
  std::filesystem::remove(directory + "/app/tool");
  std::filesystem::rename(temp_ / "tool", directory + "/app/tool");
  ExpectStarts();

  ASSERT_EQ(chmod((directory + "/app/tool").c_str(), 0644), 0);
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("app/tool"));
  ASSERT_EQ(chmod((directory + "/app/tool").c_str(), 0755), 0);

  for (const std::string extra : {"app/extra.js", "extra.js", "metadata/extra"}) {
    Append(directory + "/" + extra, "");
    EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr(extra));
    std::filesystem::remove(directory + "/" + extra);
  }
  std::filesystem::create_directory(directory + "/app/node_modules");
  EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("app/node_modules"));
  std::filesystem::remove(directory + "/app/node_modules");

  Append(directory + "/metadata/inventory", "\n");
  ExpectRefused(125, "INTEGRITY_FAILED");
}

TEST_F(LaunchRefuses, NothingOfAPayloadThatIsNotToBeVerified) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  Append(version_directory() + "/app/extra.js", " ");
  ExpectStarts();
}

TEST_F(LaunchRefuses, ADamagedPayloadAfterARestartThatNobodySynced) {
  if (!BootId()) GTEST_SKIP() << "this system has no boot id";
  ASSERT_EQ(Install(TestRelease()).status, 0);
  NoteOtherBoot();
  Append(version_directory() + "/app/main.js", " ");
  for (int start = 0; start < 2; ++start) {
    EXPECT_THAT(ExpectRefused(125, "INTEGRITY_FAILED"), HasSubstr("app/main.js"));
    EXPECT_TRUE(InstalledReceipt().unsynced_boot.has_value());
  }
  ASSERT_TRUE(WriteFileAtomically(version_directory() + "/app/main.js", TestRelease().script).has_value());
  EXPECT_EQ(Start().out, "hello\n");
  EXPECT_FALSE(InstalledReceipt().unsynced_boot.has_value());
  // Checked once: from now on what happens to files is not looked for.
  Append(version_directory() + "/app/extra.js", " ");
  ExpectStarts();
}

TEST_F(LaunchRefuses, ToWaitForeverForARunningInstall) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  auto directory = OpenFile(version_directory(), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(directory.has_value());
  ASSERT_EQ(flock(directory->get(), LOCK_EX), 0);
  const Ran ran = Start();
  EXPECT_EQ(ran.status, 125);
  EXPECT_THAT(ran.err, HasSubstr("[LOCK_HELD]"));
  EXPECT_THAT(ran.err, HasSubstr("process " + std::to_string(getpid())));
  std::thread releases([&directory] {
    usleep(200'000);
    flock(directory->get(), LOCK_UN);
  });
  EXPECT_EQ(Start().out, "hello\n");
  releases.join();
}

}  // namespace
}  // namespace piship
