// SPDX-License-Identifier: MIT
// piship install: what it leaves on disk, what it says, what it refuses.
#include <unistd.h>

#include "os/boot.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class InstallVerb : public RuntimeTest {};

TEST_F(InstallVerb, FromAFileMakesTheCommandThatRuns) {
  const Ran ran = Install(TestRelease());
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
  const Ran started = Start({"one", "two words"});
  EXPECT_EQ(started.status, 0) << started.err;
  EXPECT_EQ(started.out, "hello\none\ntwo words\n");
}

TEST_F(InstallVerb, FromStandardInput) {
  Program program = Verb({"install", "-"});
  program.input = TestRelease().Archive();
  const Ran ran = RunProgram(program);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Start().out, "hello\n");
}

TEST_F(InstallVerb, FromAnExtractedDirectory) {
  TestRelease payload;
  payload.extra.push_back({"app/large.bin", std::string(9 << 20, 'x')});
  payload.WriteDirectory(temp_ / "extracted");
  const Ran ran = Piship({"install", temp_ / "extracted"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Start().out, "hello\n");
  EXPECT_FALSE(InstalledReceipt().active.archive.has_value());
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

TEST_F(InstallVerb, ADirectoryWithAnExtraFileIsRefused) {
  TestRelease payload;
  payload.WriteDirectory(temp_ / "extracted");
  Append(temp_ / "extracted/app/extra.js", "1");
  const Ran ran = Piship({"install", temp_ / "extracted"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("[INTEGRITY_FAILED]"));
  EXPECT_THAT(ran.err, HasSubstr("app/extra.js"));
  EXPECT_EQ(ReceiptText(), "");
}

TEST_F(InstallVerb, ADirectoryWithAChangedFileIsRefusedAndLeavesNothing) {
  TestRelease payload;
  payload.WriteDirectory(temp_ / "extracted");
  Append(temp_ / "extracted/app/main.js", " ");
  const Ran ran = Piship({"install", temp_ / "extracted"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("app/main.js"));
  EXPECT_THAT(AppNames(), ElementsAre());
}

TEST_F(InstallVerb, ADirectoryWithALinkInPlaceOfAFileIsRefused) {
  TestRelease payload;
  payload.WriteDirectory(temp_ / "extracted");
  std::filesystem::rename(temp_ / "extracted/app/main.js", temp_ / "main.js");
  std::filesystem::create_symlink(temp_ / "main.js", temp_ / "extracted/app/main.js");
  EXPECT_EQ(Piship({"install", temp_ / "extracted"}).status, 3);
}

TEST_F(InstallVerb, SaysThatTheOriginIsNotProvenAndHowToProveIt) {
  const Ran ran = Install(TestRelease());
  EXPECT_THAT(ran.err, HasSubstr("intact, origin not proven"));
  EXPECT_THAT(ran.err, HasSubstr("--sha256"));
  EXPECT_THAT(ran.err, HasSubstr("unqualified"));
  EXPECT_EQ(InstalledReceipt().active.origin, Origin::kUnproven);
  EXPECT_EQ(InstalledReceipt().active.qualification, Qualification::kUnqualified);
}

TEST_F(InstallVerb, TheRightDigestProvesTheOrigin) {
  const TestRelease payload;
  const Ran ran = Install(payload, {"--sha256", Digest::Of(payload.Archive()).Hex(), "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("not proven")));
  const json::Value out = Json(ran);
  EXPECT_EQ(Text(out, "origin"), "sha256");
  EXPECT_EQ(Text(out, "action"), "installed");
  EXPECT_EQ(Text(out, "qualification"), "unqualified");
  EXPECT_EQ(Text(out, "archive"), Digest::Of(payload.Archive()).Hex());
  EXPECT_EQ(InstalledReceipt().active.origin, Origin::kSha256);
}

TEST_F(InstallVerb, AWrongDigestIsRefusedAndLeavesNothing) {
  const Ran ran = Install(TestRelease(), {"--sha256", std::string(64, '0')});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("[INTEGRITY_FAILED]"));
  EXPECT_THAT(AppNames(), ElementsAre());
  EXPECT_EQ(ReceiptText(), "");
  EXPECT_FALSE(Exists(command()));
}

TEST_F(InstallVerb, AMalformedDigestIsUsage) { EXPECT_EQ(Install(TestRelease(), {"--sha256", "12"}).status, 2); }

TEST_F(InstallVerb, ADigestForADirectoryIsUsage) {
  TestRelease().WriteDirectory(temp_ / "extracted");
  EXPECT_EQ(Piship({"install", temp_ / "extracted", "--sha256", std::string(64, '0')}).status, 2);
}

TEST_F(InstallVerb, TwiceIsANoOpThatSaysSo) {
  const TestRelease payload;
  ASSERT_EQ(Install(payload).status, 0);
  // The second one syncs and clears the note; from then on nothing changes.
  ASSERT_EQ(Install(payload).status, 0);
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(stat(ReceiptPath(install_home(), "hello").c_str(), &before), 0);
  const Ran ran = Install(payload, {"--json"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(Text(Json(ran), "action"), "already-installed");
  EXPECT_THAT(ran.err, HasSubstr("already installed"));
  ASSERT_EQ(stat(ReceiptPath(install_home(), "hello").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(InstallVerb, TheDigestCanBeProvenLater) {
  const TestRelease payload;
  ASSERT_EQ(Install(payload).status, 0);
  ASSERT_EQ(Install(payload, {"--sha256", Digest::Of(payload.Archive()).Hex()}).status, 0);
  EXPECT_EQ(InstalledReceipt().active.origin, Origin::kSha256);
  // And an install that proves nothing does not take it back.
  ASSERT_EQ(Install(payload).status, 0);
  EXPECT_EQ(InstalledReceipt().active.origin, Origin::kSha256);
}

TEST_F(InstallVerb, AWrongDigestIsRefusedAlsoWhereTheVersionIsInstalled) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  EXPECT_EQ(Install(TestRelease(), {"--sha256", std::string(64, '0')}).status, 3);
  EXPECT_EQ(Start().status, 0);
}

TEST_F(InstallVerb, OtherContentUnderTheSameVersionIsRefused) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  TestRelease other;
  other.script = "console.log('other')\n";
  const Ran ran = Install(other);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("[VERSION_CONFLICT]"));
  EXPECT_EQ(Start().out, "hello\n");
}

TEST_F(InstallVerb, AnotherVersionBecomesActiveAndKeepsThePrevious) {
  TestRelease payload;
  ASSERT_EQ(Install(payload).status, 0);
  for (const std::string version : {"1.1.0", "1.2.0"}) {
    payload.version = version;
    payload.script = "console.log('" + version + "')\n";
    const Ran ran = Install(payload);
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(Start().out, version + "\n");
  }
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.1.0", "1.2.0", "launch"));
  const Receipt receipt = InstalledReceipt();
  ASSERT_EQ(receipt.kept.size(), 1U);
  EXPECT_EQ(receipt.kept[0].version, "1.1.0");
  EXPECT_FALSE(receipt.unsynced_boot.has_value());
}

TEST_F(InstallVerb, AKeptVersionIsActivatedWithoutBeingWrittenAgain) {
  TestRelease first;
  TestRelease second;
  second.version = "2.0.0";
  ASSERT_EQ(Install(first).status, 0);
  ASSERT_EQ(Install(second).status, 0);
  struct stat before {};
  struct stat after {};
  ASSERT_EQ(stat(version_directory().c_str(), &before), 0);
  const Ran ran = Install(first, {"--json"});
  EXPECT_EQ(Text(Json(ran), "action"), "activated") << ran.err;
  ASSERT_EQ(stat(version_directory().c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(InstalledReceipt().active.version, "1.0.0");
  EXPECT_EQ(InstalledReceipt().kept.at(0).version, "2.0.0");
}

TEST_F(InstallVerb, ADamagedPayloadIsRepaired) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  Append(version_directory() + "/app/main.js", "damaged");
  const Ran ran = Install(TestRelease(), {"--json"});
  EXPECT_EQ(Text(Json(ran), "action"), "repaired") << ran.err;
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
}

TEST_F(InstallVerb, AMissingPayloadLauncherOrLinkIsMadeAgain) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  std::filesystem::remove_all(version_directory());
  ASSERT_EQ(Install(TestRelease()).status, 0);
  EXPECT_EQ(Start().status, 0);
  std::filesystem::remove(LauncherPath(install_home(), "hello"));
  ASSERT_EQ(Install(TestRelease()).status, 0);
  EXPECT_EQ(Start().status, 0);
  std::filesystem::remove(command());
  ASSERT_EQ(Install(TestRelease()).status, 0);
  EXPECT_EQ(Start().status, 0);
}

TEST_F(InstallVerb, ADamagedReceiptIsReplaced) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), "").has_value());
  EXPECT_EQ(Start().status, 125);
  const Ran ran = Install(TestRelease());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("was damaged"));
  EXPECT_EQ(Start().status, 0);
}

TEST_F(InstallVerb, AReceiptOfANewerPiShipIsLeftAlone) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), "{\n  \"format\": 2\n}\n").has_value());
  const Ran ran = Install(TestRelease());
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("[FORMAT_NEWER]"));
}

TEST_F(InstallVerb, WhatAnInterruptedInstallHasLeftIsRemoved) {
  ASSERT_TRUE(MakeDirectories(version_directory() + "/app").has_value());
  Append(version_directory() + "/app/half", "half");
  Append(AppDirectory(install_home(), "hello") + "/.tmp-0011223344556677", "half a receipt");
  ASSERT_TRUE(MakeDirectories(AppDirectory(install_home(), "hello") + "/.removed-0011").has_value());
  ASSERT_EQ(Install(TestRelease()).status, 0);
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

TEST_F(InstallVerb, ACommandThatBelongsToSomethingElseIsNotTouched) {
  ASSERT_TRUE(MakeDirectories(temp_ / "bin").has_value());
  Append(command(), "mine");
  const Ran ran = Install(TestRelease());
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("[COMMAND_TAKEN]"));
  EXPECT_EQ(*ReadFile(command()), "mine");
  EXPECT_EQ(ReceiptText(), "");
}

TEST_F(InstallVerb, TwoDistributionsCanNotHaveOneCommand) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  TestRelease other;
  other.id = "other";
  EXPECT_THAT(Install(other).err, HasSubstr("[COMMAND_TAKEN]"));
  EXPECT_EQ(Start().out, "hello\n");
}

TEST_F(InstallVerb, ARenamedCommandReplacesTheOldOne) {
  TestRelease payload;
  ASSERT_EQ(Install(payload).status, 0);
  payload.version = "1.1.0";
  payload.command = "hi";
  ASSERT_EQ(Install(payload).status, 0);
  EXPECT_THAT(Names(temp_ / "bin"), ElementsAre("hi"));
}

TEST_F(InstallVerb, AnotherPlatformIsRefusedNamingBoth) {
  TestRelease payload;
  payload.platform = Platform::OfThisProgram().str() == "linux-arm64" ? "linux-x64" : "linux-arm64";
  const Ran ran = Install(payload);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("[PLATFORM_MISMATCH]"));
  EXPECT_THAT(ran.err, HasSubstr(payload.platform));
  EXPECT_THAT(ran.err, HasSubstr(Platform::OfThisProgram().str()));
  EXPECT_THAT(AppNames(), ElementsAre());
}

TEST_F(InstallVerb, ALockThatContradictsItsPayloadIsRefused) {
  TestRelease payload;
  std::vector<TestFile> files = payload.Files();
  std::erase_if(files, [](const TestFile& file) { return file.path == "app/main.js"; });
  ASSERT_TRUE(WriteFileAtomically(temp_ / "bad.tar.zst", TestArchive(files).Pack()).has_value());
  const Ran ran = Piship({"install", temp_ / "bad.tar.zst"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("[LOCK_INVALID]"));
}

TEST_F(InstallVerb, APayloadWithoutALockIsRefused) {
  ASSERT_TRUE(
      WriteFileAtomically(temp_ / "bad.tar.zst", TestArchive(std::vector<TestFile>{{"a", "b"}}).Pack()).has_value());
  EXPECT_THAT(Piship({"install", temp_ / "bad.tar.zst"}).err, HasSubstr("[PAYLOAD_INVALID]"));
}

TEST_F(InstallVerb, ATruncatedArchiveLeavesNothing) {
  TestRelease payload;
  payload.extra.push_back({"resources/noise", std::string(100'000, 'n')});
  std::string archive = payload.Archive();
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, archive.size() / 2, archive.size() - 1}) {
    Program program = Verb({"install", "-"});
    program.input = archive.substr(0, size);
    EXPECT_EQ(RunProgram(program).status, 3) << size;
    EXPECT_THAT(AppNames(), ElementsAre()) << size;
  }
}

TEST_F(InstallVerb, DryRunWritesNothing) {
  const Ran ran = Install(TestRelease(), {"--dry-run"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("would install hello 1.0.0"));
  EXPECT_FALSE(Exists(install_home()));
  EXPECT_FALSE(Exists(command()));
}

TEST_F(InstallVerb, QuietSaysNothing) {
  const Ran ran = Install(TestRelease(), {"--quiet"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err + ran.out, "");
}

TEST_F(InstallVerb, ErrorsAreJsonToo) {
  const Ran ran = Piship({"install", temp_ / "missing", "--json"});
  EXPECT_EQ(ran.status, 1);
  const json::Value out = Json(ran);
  ASSERT_NE(out.Find("error"), nullptr);
  EXPECT_EQ(Text(*out.Find("error"), "code"), "FILE_NOT_FOUND");
}

TEST_F(InstallVerb, HintsAtPath) {
  EXPECT_THAT(Install(TestRelease()).err, HasSubstr("is not on PATH"));
  environment_["PATH"] += ":" + (temp_ / "bin");
  EXPECT_THAT(Install(TestRelease()).err, Not(HasSubstr("is not on PATH")));
}

TEST_F(InstallVerb, ModesAreExactWhateverTheUmask) {
  for (const int mask : {0, 077}) {
    std::filesystem::remove_all(install_home());
    Program program = Verb({"install", "-"});
    program.input = TestRelease().Archive();
    program.umask = mask;
    ASSERT_EQ(RunProgram(program).status, 0);
    const auto mode = [&](const std::string& path) {
      struct stat status {};
      EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
      return status.st_mode & 07777U;
    };
    const std::string app = AppDirectory(install_home(), "hello");
    EXPECT_EQ(mode(install_home()), 0755U) << mask;
    EXPECT_EQ(mode(app), 0755U) << mask;
    EXPECT_EQ(mode(app + "/launch"), 0755U) << mask;
    EXPECT_EQ(mode(version_directory()), 0755U) << mask;
    EXPECT_EQ(mode(version_directory() + "/app"), 0755U) << mask;
    EXPECT_EQ(mode(version_directory() + "/app/main.js"), 0644U) << mask;
    EXPECT_EQ(mode(version_directory() + "/bin/piship"), 0755U) << mask;
    EXPECT_EQ(mode(ReceiptPath(install_home(), "hello")), 0644U) << mask;
  }
}

TEST_F(InstallVerb, TheFirstInstallNotesTheBootAndTheNextVerbClearsIt) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  EXPECT_EQ(InstalledReceipt().unsynced_boot, BootId());
  ASSERT_EQ(Piship({"list"}).status, 0);
  EXPECT_FALSE(InstalledReceipt().unsynced_boot.has_value());
}

TEST_F(InstallVerb, HomesThatContainEachOtherAreRefused) {
  environment_["PISHIP_STATE_HOME"] = install_home() + "/state";
  const Ran ran = Install(TestRelease());
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("[HOME_INVALID]"));
  environment_["PISHIP_STATE_HOME"] = "relative";
  EXPECT_THAT(Install(TestRelease()).err, HasSubstr("[HOME_INVALID]"));
}

TEST_F(InstallVerb, WithoutHomeItSaysWhatToSet) {
  environment_ = {{"PATH", "/usr/bin:/bin"}};
  const Ran ran = Install(TestRelease());
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("set HOME"));
}

TEST_F(InstallVerb, TheDefaultsAreThoseOfXdg) {
  environment_ = {{"HOME", temp_ / "home"}, {"PATH", environment_["PATH"]}};
  ASSERT_EQ(Install(TestRelease()).status, 0);
  EXPECT_TRUE(Exists(temp_ / "home/.local/share/piship/receipts/hello.json"));
  EXPECT_TRUE(Exists(temp_ / "home/.local/bin/hello"));
  environment_["XDG_DATA_HOME"] = temp_ / "data";
  TestRelease other;
  other.id = other.command = "other";
  ASSERT_EQ(Install(other).status, 0);
  EXPECT_TRUE(Exists(temp_ / "data/piship/receipts/other.json"));
}

TEST_F(InstallVerb, AHomeBehindALinkWorks) {
  ASSERT_TRUE(MakeDirectories(temp_ / "real").has_value());
  std::filesystem::create_directory_symlink(temp_ / "real", install_home());
  ASSERT_EQ(Install(TestRelease()).status, 0);
  EXPECT_EQ(Start().out, "hello\n");
  ASSERT_EQ(Install(TestRelease()).status, 0);
  ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  EXPECT_FALSE(Exists(command()));
}

}  // namespace
}  // namespace piship
