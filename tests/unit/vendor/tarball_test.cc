// SPDX-License-Identifier: MIT
#include "vendor/tarball.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/result_matchers.h"
#include "support/tarball_builder.h"

namespace piship {
namespace {

std::map<std::string, std::string> FilesOf(const Tarball& tarball) {
  std::map<std::string, std::string> files;
  for (const TarballFile& file : tarball.files) {
    files[file.path.str()] = (file.mode == FileMode::kExecutable ? "x " : "- ") + std::string(file.bytes);
  }
  return files;
}
using Files = std::map<std::string, std::string>;

void ExpectFiles(const std::string& bytes, const Files& expected) {
  const auto tarball = ReadTarball(bytes, "a@1.0.0");
  PISHIP_ASSERT_OK(tarball);
  EXPECT_EQ(FilesOf(*tarball), expected);
}

void ExpectRefused(const std::string& bytes, ErrorCode code, std::string_view subject = "a@1.0.0") {
  const auto tarball = ReadTarball(bytes, "a@1.0.0");
  PISHIP_EXPECT_ERROR(tarball, code);
  EXPECT_NE(tarball.error().message.find(subject), std::string::npos) << tarball.error().message;
}

TEST(Tarball, DropsTheFirstDirectoryWhateverItsName) {
  TarballBuilder builder;
  builder.File("package/package.json", "{}")
      .File("other/lib/a.js", "a")
      .File("package/./b//c.js", "c")
      .File("./d/e.js", "e");
  const Files expected = {{"package.json", "- {}"}, {"lib/a.js", "- a"}, {"b/c.js", "- c"}, {"d/e.js", "- e"}};
  ExpectFiles(builder.Gzip(), expected);
  ExpectFiles(builder.Tar(), expected);
  ExpectFiles(builder.TarWithoutEnd(), expected);
}

TEST(Tarball, KeepsTheOwnersExecutableBit) {
  TarballBuilder builder;
  builder.File("p/a", "1", 0755).File("p/b", "2", 0100).File("p/c", "3", 0011).File("p/d", "4", 0);
  ExpectFiles(builder.Gzip(), {{"a", "x 1"}, {"b", "x 2"}, {"c", "- 3"}, {"d", "- 4"}});
}

TEST(Tarball, SkipsAndReportsWhatNpmDoesNotUnpack) {
  TarballBuilder builder;
  builder.File("p/a", "1")
      .Entry({"p/link", '2', 0777, {}, {}, "/etc/passwd"})
      .Entry({"p/hard", '1', 0644, {}, {}, "p/a"});
  builder.Entry({"p/fifo", '6'})
      .Entry({"p/tty", '3'})
      .Entry({"p/sparse", 'S'}, "data")
      .Entry({"p/dir/", '5', 0755})
      .File("top", "2");
  const auto tarball = ReadTarball(builder.Gzip(), "a@1.0.0");
  PISHIP_ASSERT_OK(tarball);
  EXPECT_EQ(FilesOf(*tarball), (Files{{"a", "- 1"}}));
  const std::vector<SkippedEntry> expected = {{"p/link", "symbolic link"},
                                              {"p/hard", "hard link"},
                                              {"p/fifo", "pipe"},
                                              {"p/tty", "device"},
                                              {"p/sparse", "entry of an unknown type"},
                                              {"top", "file outside the tarball's first directory"}};
  EXPECT_EQ(tarball->skipped, expected);
}

TEST(Tarball, RefusesNamesThatLeadOut) {
  for (const char* name :
       {"../a", "p/../../a", "p/../a", "/etc/passwd", "/p/a", "p/a/..", "p/..\\a", "p/a\\..", ".."}) {
    ExpectRefused(TarballBuilder().File("p/ok", "1").File(name, "2").Gzip(), ErrorCode::kTarballInvalid, "leads out");
    ExpectRefused(TarballBuilder().File("p/ok", "1").Entry({name, '2', 0777, {}, {}, "x"}).Gzip(),
                  ErrorCode::kTarballInvalid, "leads out");
  }
}

TEST(Tarball, RefusesNamesThatNoPlatformHolds) {
  for (const char* name : {"p/a\\b", "p/c:x", "p/con", "p/aux.js", "p/a.", "p/a ", "p/\x01", "p/a\nb", "p/\xff",
                           "p/e\xe2\x80\xae.js", "p/a?b", "p/LPT1"}) {
    ExpectRefused(TarballBuilder().File(name, "1").Gzip(), ErrorCode::kTarballInvalid, "whose name");
  }
}

TEST(Tarball, RefusesNamesThatFoldTogether) {
  ExpectRefused(TarballBuilder().File("p/README", "1").File("p/readme", "2").Gzip(), ErrorCode::kPathConflict);
  ExpectRefused(TarballBuilder().File("p/\xc3\xa9", "1").File("p/e\xcc\x81", "2").Gzip(), ErrorCode::kPathConflict);
  ExpectRefused(TarballBuilder()
                    .File("p/stra\xc3\x9f"
                          "e",
                          "1")
                    .File("p/strasse", "2")
                    .Gzip(),
                ErrorCode::kPathConflict);
  ExpectRefused(TarballBuilder().File("p/a", "1").File("p/a/b", "2").Gzip(), ErrorCode::kPathConflict);
  ExpectRefused(TarballBuilder().File("p/A/x", "1").File("p/a/y", "2").Gzip(), ErrorCode::kPathConflict);
}

TEST(Tarball, LaterOfTwoEntriesGivesTheBytesAndTheEarlierTheMode) {
  ExpectFiles(TarballBuilder().File("p/a", "1", 0755).File("p/a", "22", 0644).Gzip(), {{"a", "x 22"}});
  ExpectFiles(TarballBuilder().File("p/a", "1", 0644).File("q/a", "22", 0755).Gzip(), {{"a", "- 22"}});
}

TEST(Tarball, MakesAGitignoreAnNpmignore) {
  ExpectFiles(TarballBuilder().File("p/.gitignore", "g").Gzip(), {{".npmignore", "- g"}});
  ExpectFiles(TarballBuilder().File("p/.npmignore", "n").File("p/.gitignore", "g").Gzip(), {{".npmignore", "- n"}});
  ExpectFiles(TarballBuilder().File("p/.gitignore", "g").File("p/.npmignore", "n").Gzip(), {{".npmignore", "- n"}});
  ExpectFiles(TarballBuilder().File("p/.npmignore", "n").File("p/a/.gitignore", "g").Gzip(),
              {{".npmignore", "- n"}, {"a/.npmignore", "- g"}});
}

TEST(Tarball, ReadsLongNames) {
  const std::string directory(120, 'd');
  const std::string deep = "p/" + directory + "/" + std::string(150, 'f');
  TarballBuilder builder;
  builder.Pax(TarballBuilder::PaxRecord("path", deep) + TarballBuilder::PaxRecord("mtime", "1.5")).File("short", "1");
  builder.Entry({"././@LongLink", 'L'}, deep + "g" + std::string(1, '\0')).File("short", "2");
  builder.Entry({"file", '0', 0644, {}, "p/" + directory}, "3");
  builder.File("p/after", "4");
  ExpectFiles(builder.Gzip(),
              {{deep.substr(2), "- 1"}, {deep.substr(2) + "g", "- 2"}, {directory + "/file", "- 3"}, {"after", "- 4"}});
}

TEST(Tarball, AppliesAPaxSizeToDataAndNextHeaderAlike) {
  // The header says 0 bytes, the record 600: a reader that believes the one for the data and the other for the next
  // header finds a smuggled entry.
  const std::string hidden = TarballBuilder().File("p/hidden", "h").TarWithoutEnd();
  TarballBuilder builder;
  builder.Pax(TarballBuilder::PaxRecord("size", std::to_string(hidden.size())));
  builder.Entry({"p/a", '0', 0644, std::string("00000000000")}, hidden).File("p/b", "2");
  ExpectFiles(builder.Gzip(), {{"a", "- " + hidden}, {"b", "- 2"}});
}

TEST(Tarball, AppliesExtensionsToTheEntryAndNotToHeadersBetween) {
  TarballBuilder builder;
  builder.Pax(TarballBuilder::PaxRecord("size", "3")).Entry({"././@LongLink", 'L'}, std::string("p/long\0", 7));
  builder.Entry({"p/a", '0', 0644, std::string("00000000003")}, "abc").File("p/b", "2");
  ExpectFiles(builder.Gzip(), {{"long", "- abc"}, {"b", "- 2"}});
}

TEST(Tarball, RefusesWhatReadersTakeDifferently) {
  const auto with_pax = [](std::string_view records, char type = 'x') {
    return TarballBuilder().Pax(records, type).File("p/a", "1").Gzip();
  };
  for (const char* records :
       {"4 a=\n", "11 path=p/b\n", "x path=p/b\n", "99 path=p/b\n", "7 =xyz\n", "8 novalu\n", "00000000 a=b\n"}) {
    ExpectRefused(with_pax(records), ErrorCode::kTarballInvalid, "pax");
  }
  for (const char* size : {"-1", "1e3", "", "99999999999999999999999", "0x10"}) {
    ExpectRefused(with_pax(TarballBuilder::PaxRecord("size", size)), ErrorCode::kTarballInvalid, "pax size");
  }
  ExpectRefused(with_pax(TarballBuilder::PaxRecord("path", std::string_view("p/a\0b", 5))), ErrorCode::kTarballInvalid,
                "NUL");
  ExpectRefused(with_pax(TarballBuilder::PaxRecord("size", "0"), 'g'), ErrorCode::kTarballInvalid, "global");
  ExpectRefused(with_pax(TarballBuilder::PaxRecord("path", "p/b") + std::string(3, '\0')), ErrorCode::kTarballInvalid,
                "filled up with zeros");
  ExpectFiles(with_pax(TarballBuilder::PaxRecord("mtime", "1") + std::string(3, '\0')), {{"a", "- 1"}});
  ExpectRefused(TarballBuilder().Entry({"p/a", '0', 0644, {}, {}, {}, false}).Gzip(), ErrorCode::kTarballInvalid,
                "checksum");
  ExpectRefused(TarballBuilder().Entry({"p/a", '0', 0644, "00000000x01"}, "1").Gzip(), ErrorCode::kTarballInvalid,
                "size");
  ExpectRefused(TarballBuilder().Entry({"p/a", '0', 0644, std::string(12, '\xff')}, "1").Gzip(),
                ErrorCode::kTarballInvalid, "size");
  ExpectRefused(TarballBuilder().File("p/a", "1").Pax(TarballBuilder::PaxRecord("path", "p/b")).Gzip(),
                ErrorCode::kTarballInvalid, "extension");
  ExpectRefused(TarballBuilder().File("p/a", "1").Raw("rest").TarWithoutEnd(), ErrorCode::kTarballInvalid,
                "ends inside");
  ExpectRefused(TarballBuilder().Gzip(), ErrorCode::kTarballInvalid, "no files");
  ExpectRefused("", ErrorCode::kTarballInvalid, "no files");
}

TEST(Tarball, IgnoresTheCommentOfGitArchives) {
  ExpectFiles(TarballBuilder().Pax(TarballBuilder::PaxRecord("comment", "0123"), 'g').File("p/a", "1").Gzip(),
              {{"a", "- 1"}});
}

TEST(Tarball, EveryCutIsRefusedOrHoldsWholeFiles) {
  const std::string tar = TarballBuilder().File("p/a", std::string(700, 'a')).File("p/b", "2").TarWithoutEnd();
  for (std::size_t size = 0; size < tar.size(); ++size) {
    const auto tarball = ReadTarball(std::string_view(tar).substr(0, size), "a@1.0.0");
    if (!tarball) continue;
    ASSERT_EQ(FilesOf(*tarball), (Files{{"a", "- " + std::string(700, 'a')}})) << size;
  }
  const std::string gzip = TarballBuilder::GzipOf(tar);
  for (std::size_t size = 0; size < gzip.size(); ++size) {
    EXPECT_FALSE(ReadTarball(std::string_view(gzip).substr(0, size), "a@1.0.0").has_value()) << size;
  }
}

TEST(Tarball, ReadsSeveralGzipMembersAndIgnoresWhatFollows) {
  const std::string tar = TarballBuilder().File("p/a", "1").Tar();
  const std::string members = TarballBuilder::GzipOf(tar.substr(0, 700)) + TarballBuilder::GzipOf(tar.substr(700));
  ExpectFiles(members, {{"a", "- 1"}});
  ExpectFiles(members + "trailing", {{"a", "- 1"}});
  ExpectFiles(members + std::string(100, '\0'), {{"a", "- 1"}});
}

TEST(Tarball, BoundsWhatItUnpacks) {
  TarballLimits limits;
  limits.gunzip.ratio = 100;
  const std::string bomb = TarballBuilder().File("p/a", std::string(std::size_t{4} << 20, '\0')).Gzip();
  PISHIP_EXPECT_ERROR(ReadTarball(bomb, "a@1.0.0", limits), ErrorCode::kLimitExceeded);
  limits = {};
  limits.gunzip.bytes = 4096;
  PISHIP_EXPECT_ERROR(ReadTarball(TarballBuilder().File("p/a", std::string(5000, 'a')).Gzip(), "a@1.0.0", limits),
                      ErrorCode::kLimitExceeded);
  limits = {};
  limits.entries = 2;
  PISHIP_EXPECT_ERROR(
      ReadTarball(TarballBuilder().File("p/a", "").File("p/b", "").File("p/c", "").Gzip(), "a@1.0.0", limits),
      ErrorCode::kLimitExceeded);
  // The length at a member's end is a hint and no more.
  std::string lying = TarballBuilder().File("p/a", "1").Gzip();
  lying.replace(lying.size() - 4, 4, "\xff\xff\xff\x7f");
  ExpectRefused(lying, ErrorCode::kTarballInvalid);
}

// What both libarchive and npm accept means the same to us.
TEST(Tarball, AgreesWithLibarchive) {
  TarballBuilder builder;
  builder.File("p/a", std::string(1000, 'a')).File("p/empty", "").File("p/x/run", "#!/bin/sh\n", 0755);
  builder.Pax(TarballBuilder::PaxRecord("path", "p/" + std::string(200, 'n'))).File("short", "1");
  builder.Entry({"././@LongLink", 'L'}, "p/" + std::string(201, 'm') + std::string(1, '\0')).File("short", "2");
  builder.Pax(TarballBuilder::PaxRecord("size", "5"))
      .Entry({"p/s", '0', 0644, std::string("00000000000")}, "12345")
      .File("p/z", "z");
  const std::string bytes = builder.Gzip();
  Files expected;
  archive* reader = archive_read_new();
  archive_read_support_filter_gzip(reader);
  archive_read_support_format_tar(reader);
  ASSERT_EQ(archive_read_open_memory(reader, bytes.data(), bytes.size()), ARCHIVE_OK);
  archive_entry* entry = nullptr;
  while (archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
    std::string content(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
    ASSERT_EQ(archive_read_data(reader, content.data(), content.size()), static_cast<la_ssize_t>(content.size()));
    const bool executable = (archive_entry_perm(entry) & 0100U) != 0;
    expected[std::string(archive_entry_pathname(entry)).substr(2)] = (executable ? "x " : "- ") + content;
  }
  archive_read_free(reader);
  ASSERT_EQ(expected.size(), 7U);
  ExpectFiles(bytes, expected);
}

}  // namespace
}  // namespace piship
