// SPDX-License-Identifier: MIT
// The single-file installer: the runtime under test with a release behind it, executed.
#include <algorithm>

#include "format/installer_file.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class SelfInstall : public RuntimeTest {
 protected:
  static TestRelease Release(const std::string& version = "1.0.0") {
    TestRelease release;
    release.version = version;
    release.payload_engine = "#!/bin/sh\nshift\necho \"$@\"\n";
    return release;
  }
  std::string InstallerOf(const TestRelease& release) {
    program_ = *ReadFile(RuntimePath());
    archive_ = release.Archive();
    return program_ + archive_ +
           InstallerTrailerBytes({program_.size(), archive_.size(), Digest::Of(program_), Digest::Of(archive_)});
  }
  std::string Write(const std::string& bytes, const std::string& name = "hello.run") {
    const std::string path = temp_ / name;
    EXPECT_TRUE(MakeDirectories(ParentPath(path)).has_value());
    EXPECT_TRUE(WriteFileAtomically(path, bytes, 0755).has_value());
    return path;
  }
  Ran Execute(const std::string& path, std::vector<std::string> words = {}) const {
    words.insert(words.begin(), path);
    return RunProgram({.argv = std::move(words), .environment = environment_});
  }

  std::string program_;
  std::string archive_;
};

TEST_F(SelfInstall, InstallsWhatItCarries) {
  const std::string path = Write(InstallerOf(Release()));
  const Ran ran = Execute(path, {"--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const json::Value out = Json(ran);
  EXPECT_EQ(Text(out, "action"), "installed");
  EXPECT_EQ(Text(out, "origin"), "unproven");
  EXPECT_EQ(Text(out, "archive"), Digest::Of(archive_).Hex());
  EXPECT_THAT(ran.err, HasSubstr("installed hello 1.0.0"));
  EXPECT_THAT(ran.err, HasSubstr("compare this file's SHA-256"));
  EXPECT_EQ(Start({"one"}).out, "one\n");
  // What is installed is the plain runtime, and it installs nothing.
  for (const std::string& installed :
       {AppDirectory(install_home(), "hello") + "/launch", version_directory() + "/bin/piship"}) {
    EXPECT_TRUE(*ReadFile(installed) == program_) << installed;
  }
  const Ran again = Execute(path);
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("already installed and intact"));
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

TEST_F(SelfInstall, ItsNamesDecideNothing) {
  const std::string bytes = InstallerOf(Release());
  for (const std::string name : {"piship", "launch", "apps/hello/install", "with space.txt"}) {
    const std::string path = Write(bytes, name);
    const Ran ran =
        RunProgram({.argv = {"piship", "--verify", "--json"}, .executable = path, .environment = environment_});
    EXPECT_EQ(ran.status, 0) << name << ran.err;
    EXPECT_EQ(Text(Json(ran), "id"), "hello") << name;
  }
  // A verb is no argument of an installer, whatever it is called.
  const Ran verb = Execute(temp_ / "piship", {"list"});
  EXPECT_EQ(verb.status, 2);
  EXPECT_THAT(verb.err, HasSubstr("[USAGE]"));
}

TEST_F(SelfInstall, HelpAndUsage) {
  const std::string path = Write(InstallerOf(Release()));
  const Ran help = Execute(path, {"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* option : {"--verify", "--extract", "--dry-run", "--quiet", "--json", "hello.run"}) {
    EXPECT_THAT(help.out, HasSubstr(option));
  }
  EXPECT_EQ(Execute(path, {"--verify", "--extract", temp_ / "x"}).status, 2);
  EXPECT_EQ(Execute(path, {"--verify", "--dry-run"}).status, 2);
  EXPECT_EQ(Execute(path, {"--verfiy"}).status, 2);
  EXPECT_FALSE(Exists(install_home()));
}

TEST_F(SelfInstall, DryRunVerifyAndQuietChangeNothing) {
  const std::string path = Write(InstallerOf(Release()));
  const Ran dry = Execute(path, {"--dry-run"});
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_THAT(dry.err, HasSubstr("would install hello 1.0.0"));
  const Ran verify = Execute(path, {"--verify"});
  EXPECT_EQ(verify.status, 0) << verify.err;
  EXPECT_THAT(verify.err, HasSubstr("hello 1.0.0: intact, origin not proven"));
  EXPECT_EQ(verify.out, Digest::Of(archive_).Hex() + "\n");
  const Ran quiet = Execute(path, {"--verify", "--quiet"});
  EXPECT_EQ(quiet.status, 0);
  EXPECT_THAT(quiet.out + quiet.err, IsEmpty());
  EXPECT_FALSE(Exists(install_home()));
  const Ran installed = Execute(path, {"--quiet"});
  EXPECT_EQ(installed.status, 0);
  EXPECT_THAT(installed.out + installed.err, IsEmpty());
  EXPECT_EQ(Start({"one"}).out, "one\n");
}

TEST_F(SelfInstall, ExtractsFilesThatAreARelease) {
  TestRelease release = Release();
  release.extra.push_back({"app/large.bin", std::string(9'000'000, 'x')});  // comes in parts
  const std::string path = Write(InstallerOf(release));
  const std::string directory = temp_ / "deep/down";
  const Ran ran = Execute(path, {"--extract", directory + "/", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Text(Json(ran), "directory"), directory);
  EXPECT_EQ(Text(Json(ran), "action"), "extracted");
  EXPECT_FALSE(Exists(install_home()));
  EXPECT_EQ(Piship({"verify", directory}).status, 0);
  EXPECT_EQ(Piship({"install", directory}).status, 0);
  EXPECT_EQ(Start({"one"}).out, "one\n");
  // Not over anything.
  const Ran again = Execute(path, {"--extract", directory});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.err, HasSubstr("[FILE_INVALID]"));
  EXPECT_EQ(Piship({"verify", directory}).status, 0);
  // An empty one will do.
  const std::string empty = temp_ / "empty";
  ASSERT_TRUE(MakeDirectories(empty).has_value());
  EXPECT_EQ(Execute(path, {"--extract", empty, "--quiet"}).status, 0);
  EXPECT_EQ(Piship({"verify", empty}).status, 0);
}

TEST_F(SelfInstall, AFailedExtractionLeavesNothing) {
  std::string bytes = InstallerOf(Release());
  bytes[program_.size() + archive_.size() - 1] ^= 1;  // the archive's last byte: every file has been written by then
  const std::string path = Write(bytes);
  EXPECT_EQ(Execute(path, {"--extract", temp_ / "new"}).status, 3);
  EXPECT_FALSE(Exists(temp_ / "new"));
  ASSERT_TRUE(MakeDirectories(temp_ / "empty").has_value());
  EXPECT_EQ(Execute(path, {"--extract", temp_ / "empty"}).status, 3);
  EXPECT_THAT(Names(temp_ / "empty"), IsEmpty());
}

// Status 3 and a code of integrity, whatever is damaged, and nothing installed.
TEST_F(SelfInstall, DamageIsFoundAnywhere) {
  const std::string whole = InstallerOf(Release());
  const std::size_t archive = program_.size();
  const std::size_t trailer = archive + archive_.size();
  // A place of the program that nothing executes or reads: the name of a section, just before their table.
  const std::size_t name = program_.rfind(".comment");
  ASSERT_NE(name, std::string::npos);
  for (const std::size_t at : {name, archive, archive + 4, archive + archive_.size() / 2, trailer - 1, trailer,
                               trailer + 9, trailer + 20, trailer + 60, trailer + 80, whole.size() - 2}) {
    std::string damaged = whole;
    damaged[at] ^= 4;
    const std::string path = Write(damaged);
    for (const std::string option : {"--verify", "--quiet"}) {
      const Ran ran = Execute(path, {option});
      EXPECT_EQ(ran.status, 3) << at << ": " << ran.err;
    }
    EXPECT_FALSE(Exists(command())) << at;
    EXPECT_THAT(ReceiptText(), IsEmpty()) << at;
  }
}

TEST_F(SelfInstall, TruncationIsNamed) {
  const std::string whole = InstallerOf(Release());
  for (const std::size_t size : {program_.size() + 1, program_.size() + 5, program_.size() + archive_.size() / 2,
                                 program_.size() + archive_.size(), whole.size() - 1}) {
    const Ran ran = Execute(Write(whole.substr(0, size)));
    EXPECT_EQ(ran.status, 3) << size;
    EXPECT_THAT(ran.err, HasSubstr("[ARCHIVE_TRUNCATED]")) << size;
    EXPECT_FALSE(Exists(command()));
  }
  // Without a byte of the archive it is the runtime, and with something else behind it as well.
  EXPECT_THAT(Execute(Write(program_), {"--version"}).out, HasSubstr("piship "));
  EXPECT_THAT(Execute(Write(program_ + '\0'), {"--version"}).out, HasSubstr("piship "));
}

TEST_F(SelfInstall, TheRuntimeTakesItAsAnArchive) {
  const std::string path = Write(InstallerOf(Release()));
  EXPECT_EQ(Text(Json(Piship({"inspect", path, "--json"})), "id"), "hello");
  EXPECT_EQ(Piship({"install", path, "--sha256", std::string(64, '0')}).status, 3);
  const Ran ran = Piship({"install", path, "--sha256", Digest::Of(archive_).Hex(), "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Text(Json(ran), "origin"), "sha256");
  Append(version_directory() + "/app/main.js", " ");
  EXPECT_EQ(Piship({"repair", "hello", "--from", path}).status, 0);
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
}

}  // namespace
}  // namespace piship
