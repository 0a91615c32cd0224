// SPDX-License-Identifier: MIT
// The verbs that only report: list, inspect, verify.
#include <unistd.h>

#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Reports : public RuntimeTest {
 protected:
  static std::string OtherPlatform() {
    return Platform::OfThisProgram().str() == "linux-arm64" ? "linux-x64" : "linux-arm64";
  }
  static void ExpectRelease(const json::Value& out, const TestRelease& payload, bool archive = true) {
    EXPECT_EQ(Text(out, "id"), payload.id);
    EXPECT_EQ(Text(out, "version"), payload.version);
    EXPECT_EQ(Text(out, "platform"), payload.platform);
    EXPECT_EQ(Text(out, "inventory"), Digest::Of(payload.Build().inventory_text).Hex());
    EXPECT_EQ(Text(out, "lock"), Digest::Of(payload.Lock().Text()).Hex());
    EXPECT_EQ(Text(out, "origin"), "unproven");
    EXPECT_EQ(Text(out, "qualification"), "unqualified");
    EXPECT_EQ(Text(out, "archive"), archive ? Digest::Of(payload.Archive()).Hex() : "(none)");
  }
  void ExpectPlatformMismatch(const Ran& ran) {
    EXPECT_EQ(ran.status, 1) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[PLATFORM_MISMATCH]"));
    EXPECT_THAT(ran.err, HasSubstr(OtherPlatform()));
    EXPECT_THAT(ran.err, HasSubstr(Platform::OfThisProgram().str()));
  }
};

TEST_F(Reports, ListOfNothingIsEmptyAndMakesNoHome) {
  const Ran text = Piship({"list"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.out, "");
  EXPECT_THAT(text.err, HasSubstr("nothing is installed in '" + install_home() + "'"));
  const Ran ran = Piship({"list", "--json"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "{\n  \"distributions\": [],\n  \"format\": 1\n}\n");
  EXPECT_FALSE(Exists(install_home()));
}

TEST_F(Reports, ListNamesEachDistributionAndWhatIsKept) {
  TestRelease payload;
  ASSERT_EQ(Install(payload).status, 0);
  payload.version = "1.1.0";
  ASSERT_EQ(Install(payload).status, 0);
  TestRelease other;
  other.id = other.command = "another";
  ASSERT_EQ(Install(other).status, 0);
  EXPECT_EQ(Piship({"list"}).out, "another 1.0.0\nhello 1.1.0 (kept: 1.0.0)\n");
  const json::Value out = Json(Piship({"list", "--json"}));
  const std::vector<json::Value>& list = out.Find("distributions")->array();
  ASSERT_EQ(list.size(), 2U);
  ExpectRelease(list[0], other);
  ExpectRelease(list[1], payload);
  EXPECT_EQ(Text(list[1], "command"), command());
  EXPECT_THAT(Texts(list[1], "kept"), ElementsAre("1.0.0"));
}

TEST_F(Reports, ADamagedReceiptDoesNotHideTheOthers) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  Append(ReceiptPath(install_home(), "broken"), "{");
  Append(ReceiptPath(install_home(), "newer"), "{\"format\": 2}");
  Append(install_home() + "/receipts/Not An Id.json", "{");
  const Ran text = Piship({"list"});
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.out, "hello 1.0.0\n");
  EXPECT_THAT(text.err, HasSubstr("broken.json"));
  EXPECT_THAT(text.err, HasSubstr("newer.json"));
  const json::Value out = Json(Piship({"list", "--json"}));
  const std::vector<json::Value>& list = out.Find("distributions")->array();
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(Text(list[0], "id"), "broken");
  EXPECT_THAT(Text(list[0], "error"), HasSubstr("broken.json"));
  EXPECT_EQ(Text(list[1], "id"), "hello");
  EXPECT_THAT(Text(list[2], "error"), HasSubstr("newer"));
}

TEST_F(Reports, InspectOfAnIdSaysWhatIsInstalledWhere) {
  TestRelease payload;
  payload.resources = {{"skills/one.md", "one"}};
  ASSERT_EQ(Install(payload).status, 0);
  const json::Value out = Json(Piship({"inspect", "hello", "--json"}));
  ExpectRelease(out, payload);
  EXPECT_EQ(Text(out, "kind"), "installed");
  EXPECT_EQ(Text(out, "name"), "Hello World");
  EXPECT_EQ(Text(out, "command"), command());
  EXPECT_EQ(Text(out, "directory"), version_directory());
  EXPECT_EQ(Text(out, "state_directory"), temp_ / "state/hello");
  EXPECT_EQ(Text(out, "entry"), "app/main.js");
  EXPECT_EQ(Text(*out.Find("engine"), "kind"), "system");
  EXPECT_EQ(Text(*out.Find("engine"), "range"), ">=18");
  EXPECT_EQ(out.Find("resources")->integer(), 1);
  EXPECT_FALSE(Is(out, "verify_at_launch"));
  EXPECT_THAT(Texts(out, "kept"), IsEmpty());
  const Ran text = Piship({"inspect", "hello"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("version       1.0.0\n"));
  EXPECT_THAT(text.out, HasSubstr(version_directory()));
  EXPECT_THAT(text.out, HasSubstr("unproven"));
}

TEST_F(Reports, InspectOfAnArchiveAndOfADirectoryReadsTheirBeginning) {
  TestRelease payload;
  payload.platform = OtherPlatform();  // describing is not running
  const std::string archive = payload.WriteArchive(temp_.path());
  json::Value out = Json(Piship({"inspect", archive, "--json"}));
  ExpectRelease(out, payload, false);
  EXPECT_EQ(Text(out, "kind"), "archive");
  EXPECT_EQ(Text(out, "command"), "hello");
  EXPECT_EQ(out.Find("files")->integer(), static_cast<std::int64_t>(payload.Files().size()));
  payload.WriteDirectory(temp_ / "extracted");
  out = Json(Piship({"inspect", temp_ / "extracted", "--json"}));
  ExpectRelease(out, payload, false);
  EXPECT_EQ(Text(out, "kind"), "directory");
  const Ran text = Piship({"inspect", archive});
  EXPECT_THAT(text.out, HasSubstr(OtherPlatform()));
  EXPECT_THAT(text.err, HasSubstr("only the beginning was read"));
  EXPECT_FALSE(Exists(install_home()));
}

TEST_F(Reports, InspectReadsStandardInput) {
  Program program = Verb({"inspect", "-", "--json"});
  program.input = TestRelease().Archive();
  const Ran ran = RunProgram(program);
  EXPECT_EQ(ran.status, 0) << ran.err;
  ExpectRelease(Json(ran), TestRelease(), false);
}

TEST_F(Reports, InspectOfAChangedLockFails) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  Append(version_directory() + "/piship.lock", " ");
  const Ran ran = Piship({"inspect", "hello", "--json"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(Text(*Json(ran).Find("error"), "code"), "INTEGRITY_FAILED");
}

TEST_F(Reports, WhatIsNeitherAnIdNorAFileIsSaid) {
  for (const char* verb : {"inspect", "verify"}) {
    const Ran id = Piship({verb, "unknown"});
    EXPECT_EQ(id.status, 1);
    EXPECT_THAT(id.err, HasSubstr("[NOT_INSTALLED]"));
    const Ran file = Piship({verb, temp_ / "missing.tar.zst", "--json"});
    EXPECT_EQ(file.status, 1);
    EXPECT_EQ(Text(*Json(file).Find("error"), "code"), "FILE_NOT_FOUND");
  }
}

TEST_F(Reports, VerifyOfAnIntactPayload) {
  const TestRelease payload;
  ASSERT_EQ(Install(payload).status, 0);
  const Ran ran = Piship({"verify", "hello", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const json::Value out = Json(ran);
  ExpectRelease(out, payload);
  EXPECT_EQ(Text(out, "kind"), "installed");
  EXPECT_TRUE(Is(out, "intact"));
  EXPECT_EQ(out.Find("files")->integer(), static_cast<std::int64_t>(payload.Files().size()));
  const Ran text = Piship({"verify", "hello"});
  EXPECT_EQ(text.out, "");
  EXPECT_THAT(text.err, HasSubstr("hello 1.0.0: intact"));
}

TEST_F(Reports, VerifyListsWhatIsChangedMissingAndExtra) {
  TestRelease payload;
  payload.extra = {{"app/gone.js", "1"}, {"app/mode.js", "2"}};
  ASSERT_EQ(Install(payload).status, 0);
  Append(version_directory() + "/app/main.js", " ");
  std::filesystem::remove(version_directory() + "/app/gone.js");
  Append(version_directory() + "/app/more.js", "3");
  chmod((version_directory() + "/app/mode.js").c_str(), 0755);
  const Ran text = Piship({"verify", "hello"});
  EXPECT_EQ(text.status, 3);
  EXPECT_THAT(text.err, HasSubstr("[INTEGRITY_FAILED]"));
  EXPECT_THAT(text.err, HasSubstr("4 differences"));
  const Ran ran = Piship({"verify", "hello", "--json"});
  EXPECT_EQ(ran.status, 3);
  const json::Value out = Json(ran);
  EXPECT_EQ(out.Find("intact"), nullptr);
  const std::vector<std::string> problems = Texts(*out.Find("error"), "problems");
  ASSERT_EQ(problems.size(), 4U);
  for (const char* name : {"app/main.js", "app/gone.js", "app/more.js", "app/mode.js"}) {
    EXPECT_THAT(problems, testing::Contains(HasSubstr(name))) << name;
    EXPECT_THAT(text.err, HasSubstr(name));
  }
}

TEST_F(Reports, VerifySeesAChangedInventoryAndAMissingPayload) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  Append(version_directory() + "/metadata/inventory", "\n");
  EXPECT_EQ(Piship({"verify", "hello"}).status, 3);
  std::filesystem::remove_all(version_directory());
  const Ran ran = Piship({"verify", "hello"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("'piship repair hello' writes that anew"));
}

TEST_F(Reports, VerifyOfAnArchiveAndOfADirectory) {
  const TestRelease payload;
  const std::string archive = payload.WriteArchive(temp_.path());
  const Ran ran = Piship({"verify", archive, "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  ExpectRelease(Json(ran), payload);
  EXPECT_EQ(Text(Json(ran), "kind"), "archive");
  const Ran text = Piship({"verify", archive});
  EXPECT_EQ(text.out, Digest::Of(payload.Archive()).Hex() + "\n");
  EXPECT_THAT(text.err, HasSubstr("intact, origin not proven"));
  payload.WriteDirectory(temp_ / "extracted");
  const Ran directory = Piship({"verify", temp_ / "extracted", "--json"});
  EXPECT_EQ(directory.status, 0) << directory.err;
  ExpectRelease(Json(directory), payload, false);
  EXPECT_EQ(Text(Json(directory), "kind"), "directory");
  EXPECT_FALSE(Exists(install_home()));
}

TEST_F(Reports, VerifyRefusesADamagedArchiveWhereverTheDamageIs) {
  TestRelease payload;
  payload.extra.push_back({"app/data", std::string(50'000, 'd')});
  const std::string archive = payload.Archive();
  for (std::size_t part = 0; part <= 20; ++part) {
    std::string damaged = archive;
    damaged[part * (damaged.size() - 1) / 20] ^= 0x10;
    Program program = Verb({"verify", "-"});
    program.input = damaged;
    const Ran ran = RunProgram(program);
    EXPECT_EQ(ran.status, 3) << part << ran.err;
    EXPECT_THAT(ran.err, Not(HasSubstr("intact"))) << part;
  }
}

TEST_F(Reports, VerifyOfADamagedDirectoryNamesTheFile) {
  TestRelease().WriteDirectory(temp_ / "extracted");
  Append(temp_ / "extracted/app/main.js", " ");
  const Ran ran = Piship({"verify", temp_ / "extracted"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("app/main.js"));
}

TEST_F(Reports, VerifyRefusesAnotherPlatformNamingBoth) {
  TestRelease payload;
  payload.platform = OtherPlatform();
  ExpectPlatformMismatch(Piship({"verify", payload.WriteArchive(temp_.path())}));
  payload.WriteDirectory(temp_ / "extracted");
  ExpectPlatformMismatch(Piship({"verify", temp_ / "extracted"}));
  ASSERT_EQ(Install(TestRelease()).status, 0);
  Receipt receipt = InstalledReceipt();
  receipt.active.platform = *Platform::Parse(OtherPlatform());
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), receipt.Text()).has_value());
  ExpectPlatformMismatch(Piship({"verify", "hello"}));
}

TEST_F(Reports, ADamagedReceiptIsAnErrorWithItsPlace) {
  ASSERT_EQ(Install(TestRelease()).status, 0);
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), "{\"format\": 1}").has_value());
  for (const char* verb : {"inspect", "verify"}) {
    const Ran ran = Piship({verb, "hello"});
    EXPECT_EQ(ran.status, 3) << verb;
    EXPECT_THAT(ran.err, HasSubstr("[RECEIPT_INVALID]")) << verb;
    EXPECT_THAT(ran.err, HasSubstr("hello.json:1:")) << verb;
  }
}

}  // namespace
}  // namespace piship
