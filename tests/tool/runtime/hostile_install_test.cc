// SPDX-License-Identifier: MIT
// Every hostile archive of support/hostile_archives.h, given to the program: it is refused as a whole, with its
// documented status and an error in JSON that names entry and rule and can't write to a terminal what it should not;
// whatever was there before, inside and outside of the homes, is there unchanged.
#include <map>

#include "base/error.h"
#include "format/archive_layout.h"
#include "support/hostile_archives.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

class HostileInstall : public RuntimeTest {
 protected:
  HostileInstall() {
    // The canary: what an escaping entry would touch.
    fs::create_directories(outside() + "/directory");
    Append(outside() + "/secret", "secret");
    Append(outside() + "/directory/file", "file");
    fs::create_symlink("secret", outside() + "/link");
  }

  std::string outside() const { return temp_ / "outside"; }

  static std::vector<TestFile> Around() { return SmallRelease("1.0.0").Files(); }

  void InstallOldVersion() {
    ASSERT_EQ(Install(SmallRelease("0.9.0")).status, 0);
    ASSERT_EQ(Piship({"list"}).status, 0);  // settles what the first install leaves to the next verb
  }

  // Everything below the test's directory but the archive: kind, mode, inode and content of each name.
  std::map<std::string, std::string> Snapshot() const {
    std::map<std::string, std::string> seen;
    for (const auto& entry : fs::recursive_directory_iterator(temp_.path())) {
      const std::string path = entry.path();
      if (path == archive()) continue;
      struct stat status {};
      EXPECT_EQ(lstat(path.c_str(), &status), 0);
      std::string& text = seen[path.substr(temp_.path().size())];
      text = std::to_string(status.st_mode) + " " + std::to_string(status.st_ino) + " ";
      if (S_ISREG(status.st_mode)) text += Digest::Of(*ReadFile(path)).Hex();
      if (S_ISLNK(status.st_mode)) text += fs::read_symlink(path);
    }
    return seen;
  }

  std::string archive() const { return temp_ / "hostile.tar.zst"; }

  static void ExpectPrintable(const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      EXPECT_EQ(Printable(line), line);
      begin = end + 1;
    }
  }

  void ExpectRefused(const std::string& name, const std::string& bytes, ErrorCode code, const std::string& rule,
                     const std::map<std::string, std::string>& before) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(WriteFileAtomically(archive(), bytes).has_value());
    const Ran ran = Piship({"install", archive(), "--json"});
    EXPECT_EQ(ran.status, ExitStatus(code)) << ran.err << ran.out;
    const json::Value out = Json(ran);
    ASSERT_NE(out.Find("error"), nullptr) << ran.out;
    EXPECT_EQ(Text(*out.Find("error"), "code"), ErrorCodeName(code)) << ran.out;
    message_ = Text(*out.Find("error"), "message");
    EXPECT_THAT(message_, HasSubstr(rule));
    ExpectPrintable(ran.out);
    ExpectPrintable(ran.err);
    EXPECT_EQ(Snapshot(), before);
  }

  void ExpectRefused(const std::vector<HostileEntry>& entries) {
    InstallOldVersion();
    const auto before = Snapshot();
    for (const HostileEntry& entry : entries) {
      const std::string bytes = ArchiveWith(entry, Around());
      ExpectRefused(entry.name, bytes, ErrorCode::kArchiveInvalid, entry.rule, before);
      EXPECT_THAT(message_, HasSubstr("entry ")) << entry.name;
    }
    EXPECT_EQ(Piship({"launch", "hello"}).out, "0.9.0\n");
  }

  std::string message_;  // of the last refusal
};

TEST_F(HostileInstall, NamesAreRefused) { ExpectRefused(HostileNames(outside())); }
TEST_F(HostileInstall, TypesAreRefused) { ExpectRefused(HostileTypes(outside())); }
TEST_F(HostileInstall, MetadataIsRefused) { ExpectRefused(HostileMetadata()); }
TEST_F(HostileInstall, FramingIsRefused) { ExpectRefused(HostileFraming()); }

TEST_F(HostileInstall, StreamsAreRefused) {
  InstallOldVersion();
  const auto before = Snapshot();
  for (const HostileStream& stream : HostileStreams()) {
    ExpectRefused(stream.name, stream.make(Around()), stream.code, stream.rule, before);
  }
}

TEST_F(HostileInstall, ListsAreRefused) {
  InstallOldVersion();
  const auto before = Snapshot();
  for (const HostileList& list : HostileLists(outside())) {
    ExpectRefused(list.name, ArchiveOfList(list), list.code, "", before);
  }
}

// Where nothing was installed, nothing is there afterwards but empty homes.
TEST_F(HostileInstall, AFirstInstallLeavesNothing) {
  std::vector<HostileEntry> entries = HostileTypes(outside());
  for (HostileEntry& entry : HostileFraming()) entries.push_back(std::move(entry));
  for (const HostileEntry& entry : entries) {
    SCOPED_TRACE(entry.name);
    Program program = Verb({"install", "-"});
    program.input = ArchiveWith(entry, Around());
    const Ran ran = RunProgram(program);
    EXPECT_EQ(ran.status, 3) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[ARCHIVE_INVALID]"));
    ExpectPrintable(ran.err);
    EXPECT_THAT(AppNames(), IsEmpty());
    EXPECT_EQ(ReceiptText(), "");
    EXPECT_FALSE(Exists(command()));
    EXPECT_THAT(Names(outside()), ElementsAre("directory", "link", "secret"));
  }
}

TEST_F(HostileInstall, VerifyAndInspectRefuseToo) {
  InstallOldVersion();
  const auto before = Snapshot();
  const auto entries = HostileTypes(outside());
  for (std::size_t index = 0; index < entries.size(); index += 5) {
    SCOPED_TRACE(entries[index].name);
    ASSERT_TRUE(WriteFileAtomically(archive(), ArchiveWith(entries[index], Around())).has_value());
    const Ran ran = Piship({"verify", archive(), "--json"});
    EXPECT_EQ(ran.status, 3) << ran.err;
    EXPECT_THAT(Text(*Json(ran).Find("error"), "message"), HasSubstr(entries[index].rule));
    EXPECT_EQ(Snapshot(), before);
  }
  const auto lists = HostileLists(outside());
  for (const HostileList& list : lists) {
    SCOPED_TRACE(list.name);
    ASSERT_TRUE(WriteFileAtomically(archive(), ArchiveOfList(list)).has_value());
    const Ran ran = Piship({"inspect", archive(), "--json"});
    EXPECT_EQ(ran.status, ExitStatus(list.code)) << ran.err;
    ExpectPrintable(ran.out);
    EXPECT_NE(Json(ran).Find("error"), nullptr);
  }
}

// A84, of the file itself; each byte of it is unit.format.ArchiveReader.RefusesEveryTruncation.
TEST_F(HostileInstall, EveryTruncationAt512BytesIsRefused) {
  InstallOldVersion();
  TestRelease release = SmallRelease("1.0.0");
  std::minstd_rand random(7);
  std::string noise(20'000, '\0');
  for (char& c : noise) c = static_cast<char>(random() >> 8);
  release.extra.push_back({"resources/noise", noise});
  const std::string whole = release.Archive();
  const auto before = Snapshot();
  for (std::size_t size = 0; size < whole.size(); size += 512) {
    ExpectRefused(std::to_string(size), whole.substr(0, size), ErrorCode::kArchiveTruncated, "ends after", before);
  }
  ASSERT_TRUE(WriteFileAtomically(archive(), whole).has_value());
  EXPECT_EQ(Piship({"install", archive()}).status, 0);
}

// A92, and its limits from the command line.
TEST_F(HostileInstall, LimitsAreThoseOfTheCommandLine) {
  TestRelease release = SmallRelease("1.0.0");
  for (int index = 0; index < 20; ++index) release.extra.push_back({"app/" + std::to_string(index), "x"});
  const auto before = Snapshot();
  const std::string path = release.WriteArchive(temp_.path());
  const auto files = std::to_string(release.Files().size());
  const auto one_less = std::to_string(release.Files().size() - 1);
  for (const char* verb : {"install", "verify", "inspect"}) {
    const Ran refused = Piship({verb, path, "--max-files", one_less});
    EXPECT_EQ(refused.status, 3) << verb;
    EXPECT_THAT(refused.err, HasSubstr("[LIMIT_EXCEEDED]"));
    EXPECT_THAT(refused.err, HasSubstr("--max-files"));
    EXPECT_EQ(Piship({verb, path, "--max-files", "0"}).status, 2);
    EXPECT_EQ(Piship({verb, path, "--max-ratio", "-1"}).status, 2);
    EXPECT_EQ(Piship({verb, path, "--max-ratio", "99999999999"}).status, 2);
  }
  EXPECT_EQ(AppNames().size(), 0U);
  EXPECT_EQ(Piship({"verify", path, "--max-files", files}).status, 0);
  EXPECT_EQ(Piship({"inspect", path, "--max-files", files}).status, 0);
  EXPECT_EQ(Piship({"install", path, "--max-files", files}).status, 0);
}

TEST_F(HostileInstall, ABombIsRefusedUnlessItsRatioIsAllowed) {
  // 264 MiB of zeros in files of 8 MiB: the frames are equal and so are compressed once.
  TestRelease release = SmallRelease("1.0.0");
  const std::string zeros(std::size_t{8} << 20, '\0');
  for (int index = 10; index < 43; ++index) release.extra.push_back({"app/" + std::to_string(index), zeros});
  const std::string path = release.WriteArchive(temp_.path());
  const Ran refused = Piship({"install", path});
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("[LIMIT_EXCEEDED]"));
  EXPECT_THAT(refused.err, HasSubstr("--max-ratio"));
  EXPECT_THAT(AppNames(), IsEmpty());
  EXPECT_EQ(ReceiptText(), "");
  const Ran allowed = Piship({"verify", path, "--max-ratio", "100000"});
  EXPECT_EQ(allowed.status, 0) << allowed.err;
}

// A95 to A97: no files is no release; empty ones and those at each threshold are files like any other.
TEST_F(HostileInstall, EmptyFilesAndEveryThresholdAreInstalled) {
  ASSERT_TRUE(WriteFileAtomically(archive(), TestArchive(std::vector<TestFile>{}).Pack()).has_value());
  EXPECT_THAT(Piship({"install", archive()}).err, HasSubstr("[PAYLOAD_INVALID]"));
  TestRelease release = SmallRelease("1.0.0");
  release.extra.push_back({"app/empty", ""});
  // A block, the size from which space is reserved, a part of its own.
  for (const std::uint64_t edge : {std::uint64_t{512}, std::uint64_t{1} << 20, kPartBytes}) {
    for (const std::uint64_t size : {edge - 1, edge, edge + 1}) {
      std::string content(static_cast<std::size_t>(size), 'c');
      for (std::size_t index = 0; index < content.size(); index += 1021) content[index] = static_cast<char>(index >> 5);
      release.extra.push_back({"app/" + std::to_string(size), content});
    }
  }
  const Ran ran = Install(release);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(fs::file_size(version_directory() + "/app/empty"), 0U);
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

}  // namespace
}  // namespace piship
