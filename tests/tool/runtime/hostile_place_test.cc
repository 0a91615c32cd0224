// SPDX-License-Identifier: MIT
// Hostile and unusual places to install into: what stands in the way, file systems, limits, what a process inherits.
#include <sched.h>
#include <sys/mount.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "support/hostile_archives.h"
#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

namespace fs = std::filesystem;

class HostilePlace : public RuntimeTest {
 protected:
  HostilePlace() {
    fs::create_directories(outside() + "/directory");
    Append(outside() + "/secret", "secret");
    Append(outside() + "/directory/file", "file");
  }
  std::string outside() const { return temp_ / "outside"; }
  std::string archive() const { return temp_ / "hostile.tar.zst"; }
  static std::vector<TestFile> Around() { return SmallRelease("1.0.0").Files(); }

  // A mount of this process, gone with it. False, with the reason, where none is possible.
  static bool Mount(const char* kind, const std::string& path, unsigned long flags, const std::string& options,
                    std::string& reason) {
    static const bool own_mounts =
        unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    EXPECT_TRUE(MakeDirectories(path).has_value());
    if (own_mounts && mount(kind, path.c_str(), kind, flags, options.c_str()) == 0) return true;
    reason = std::string("no mount of ") + kind + " is possible here: " + std::strerror(errno);
    return false;
  }

  void ExpectInstallsAndUpdates() {
    for (const std::string version : {"1.0.0", "2.0.0"}) {
      const Ran ran = Install(SmallRelease(version));
      ASSERT_EQ(ran.status, 0) << ran.err;
      EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
    }
    ASSERT_TRUE(WriteFileAtomically(archive(), ArchiveWith(HostileTypes(outside())[2], Around())).has_value());
    EXPECT_EQ(Piship({"install", archive()}).status, 3);
    EXPECT_EQ(InstalledReceipt().active.version, "2.0.0");
  }
};

// A100, A102: what stands where the application's directories belong, before an install comes.
TEST_F(HostilePlace, WhatStandsInTheWayIsNeitherFollowedNorOverwritten) {
  const std::string path = SmallRelease("1.0.0").WriteArchive(temp_.path());
  const std::string app = AppDirectory(install_home(), "hello");
  const auto secret = [&] { return *ReadFile(outside() + "/secret"); };
  for (const std::string& place :
       std::vector<std::string>{install_home() + "/apps", app, version_directory(), app + "/launch", app + "/.lock",
                                install_home() + "/receipts", ReceiptPath(install_home(), "hello"), command()}) {
    for (const char* kind : {"link to a directory", "link to a file", "dangling link", "file", "pipe"}) {
      SCOPED_TRACE(place.substr(temp_.path().size()) + ": " + kind);
      fs::remove_all(install_home());
      fs::remove_all(temp_ / "bin");
      fs::create_directories(ParentPath(place));
      const std::string what = kind;
      if (what == "link to a directory") fs::create_directory_symlink(outside() + "/directory", place);
      if (what == "link to a file") fs::create_symlink(outside() + "/secret", place);
      if (what == "dangling link") fs::create_symlink(outside() + "/new", place);
      if (what == "file") Append(place, "mine");
      if (what == "pipe" && mkfifo(place.c_str(), 0600) != 0) FAIL() << std::strerror(errno);
      const Ran ran = Piship({"install", path});
      EXPECT_NE(ran.status, 70) << ran.err;
      EXPECT_EQ(secret(), "secret");
      EXPECT_FALSE(Exists(outside() + "/new"));
      EXPECT_EQ(*ReadFile(outside() + "/directory/file"), "file");
      if (ran.status != 0) {
        if (place != ReceiptPath(install_home(), "hello")) {
          EXPECT_EQ(ReceiptText(), "");
        }
        continue;
      }
      EXPECT_EQ(Piship({"launch", "hello"}).out, "1.0.0\n");
      EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
    }
  }
}

// A101: another process of the same user swaps directories for links while they are filled. What an install then says
// does not matter; what it writes stays within, and the next install is whole.
TEST_F(HostilePlace, DirectoriesThatAreSwappedForLinksLeadNowhere) {
  const std::string path = QuickRelease("1.0.0", 700, 1 << 20).WriteArchive(temp_.path());
  std::atomic<bool> stop = false;
  std::atomic<int> swaps = 0;
  std::thread swapper([&] {
    const std::string library = version_directory() + "/app/lib/";
    const std::string aside = install_home() + "/aside";
    for (int number = 0; !stop; number = (number + 1) % 7) {
      const std::string place = library + std::to_string(number);
      if (rename(place.c_str(), aside.c_str()) != 0) continue;
      if (symlink((outside() + "/directory").c_str(), place.c_str()) == 0) ++swaps;
      std::this_thread::yield();
      unlink(place.c_str());
      if (rename(aside.c_str(), place.c_str()) != 0) fs::remove_all(aside);
    }
  });
  int refused = 0;
  for (int round = 0; round < 200 && (swaps < 100 || refused == 0); ++round) {
    if (Piship({"install", path}).status != 0) ++refused;
    EXPECT_THAT(Names(outside() + "/directory"), testing::ElementsAre("file"));
    Piship({"uninstall", "hello"});
  }
  stop = true;
  swapper.join();
  EXPECT_GT(swaps, 0);
  EXPECT_EQ(*ReadFile(outside() + "/directory/file"), "file");
  EXPECT_EQ(Piship({"install", path}).status, 0);
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_EQ(Piship({"launch", "hello"}).out, "1.0.0\n");
}

// A105: file systems with other rules. Read-only and full ones are Faults'.
TEST_F(HostilePlace, AnOverlayIsAPlaceLikeAnyOther) {
  std::string reason;
  for (const char* name : {"lower", "upper", "work"}) fs::create_directories(temp_ / (std::string("layers/") + name));
  // Overlays do not lie on overlays: their layers get a file system of their own.
  if (!Mount("tmpfs", temp_ / "layers", 0, "mode=0755", reason)) GTEST_SKIP() << reason;
  for (const char* name : {"lower", "upper", "work"}) fs::create_directories(temp_ / (std::string("layers/") + name));
  const std::string layers = temp_ / "layers/";
  const std::string options = "lowerdir=" + layers + "lower,upperdir=" + layers + "upper,workdir=" + layers + "work";
  if (!Mount("overlay", install_home(), 0, options, reason)) {
    umount2((temp_ / "layers").c_str(), MNT_DETACH);
    GTEST_SKIP() << reason;
  }
  ExpectInstallsAndUpdates();
  EXPECT_EQ(Piship({"launch", "hello"}).out, "2.0.0\n");
  EXPECT_EQ(umount2(install_home().c_str(), MNT_DETACH), 0);
  EXPECT_EQ(umount2((temp_ / "layers").c_str(), MNT_DETACH), 0);
}

TEST_F(HostilePlace, WhereNothingMayBeExecutedItInstallsAndSaysWhyItDoesNotStart) {
  std::string reason;
  if (!Mount("tmpfs", install_home(), MS_NOEXEC | MS_NOSUID | MS_NODEV, "mode=0755", reason)) GTEST_SKIP() << reason;
  ExpectInstallsAndUpdates();
  // The launcher lies there as well, so the kernel refuses; from elsewhere it is the engine that can't be executed.
  const Ran launched = Piship({"launch", "hello"});
  EXPECT_EQ(launched.status, 126) << launched.err;
  EXPECT_THAT(launched.err, HasSubstr("engine/node"));
  EXPECT_EQ(umount2(install_home().c_str(), MNT_DETACH), 0);
}

// A103 with nothing allowed; 000 and 077 are InstallVerb's.
TEST_F(HostilePlace, AUmaskOf0777ChangesNothing) {
  Program program = Verb({"install", SmallRelease("1.0.0").WriteArchive(temp_.path())});
  program.umask = 0777;
  const Ran ran = RunProgram(program);
  ASSERT_EQ(ran.status, 0) << ran.err;
  struct stat status {};
  for (const std::string& path :
       std::vector<std::string>{install_home(), AppDirectory(install_home(), "hello"), version_directory(),
                                version_directory() + "/app", version_directory() + "/bin/piship"}) {
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0755U) << path;
  }
  ASSERT_EQ(stat(ReceiptPath(install_home(), "hello").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0644U);
  EXPECT_EQ(Piship({"launch", "hello"}).out, "1.0.0\n");
}

// A107
TEST_F(HostilePlace, ADeletedWorkingDirectoryDoesNotMatter) {
  const std::string path = SmallRelease("1.0.0").WriteArchive(temp_.path());
  const std::string script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" \"$@\"";
  const auto from_nowhere = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"/bin/sh", "-c", script, RuntimePath()});
    return RunProgram({.argv = words, .environment = environment_, .directory = temp_.path()});
  };
  const Ran ran = from_nowhere({"install", path});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(from_nowhere({"verify", "hello"}).status, 0);
  EXPECT_EQ(from_nowhere({"launch", "hello"}).out, "1.0.0\n");
  EXPECT_EQ(from_nowhere({"uninstall", "hello"}).status, 0);
}

// A108 on the way in: an archive must not end up in a standard stream's place.
TEST_F(HostilePlace, ClosedStandardStreamsDoNotMatter) {
  const std::string good = SmallRelease("1.0.0").WriteArchive(temp_.path());
  ASSERT_TRUE(WriteFileAtomically(archive(), ArchiveWith(HostileTypes(outside())[2], Around())).has_value());
  for (const std::set<int>& closed : std::vector<std::set<int>>{{0}, {1}, {2}, {0, 1}, {0, 1, 2}}) {
    Program program = Verb({"install", archive()});
    program.closed = closed;
    EXPECT_EQ(RunProgram(program).status, 3);
    EXPECT_THAT(AppNames(), IsEmpty());
    program = Verb({"install", good});
    program.closed = closed;
    EXPECT_EQ(RunProgram(program).status, 0);
    EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
    EXPECT_EQ(Piship({"uninstall", "hello"}).status, 0);
  }
}

// A109: RLIMIT_NOFILE and RLIMIT_FSIZE are Faults'.
TEST_F(HostilePlace, AnAddressSpaceThatIsTooSmallIsAnErrorOrEnough) {
#if !PISHIP_TEST_STATIC
  GTEST_SKIP() << "a sanitizer needs more address space than this";
#endif
  TestRelease release = SmallRelease("1.0.0");
  release.extra.push_back({"app/large", std::string(std::size_t{9} << 20, 'l')});
  Program program = Verb({"install", release.WriteArchive(temp_.path())});
  bool failed = false;
  for (std::size_t megabytes = 12; megabytes <= 2048; megabytes *= 2) {
    program.address_space = megabytes << 20;
    const Ran ran = RunProgram(program);
    if (ran.status == 0) break;
    failed = true;
    EXPECT_EQ(ran.status, 4) << megabytes << ": " << ran.err;
    EXPECT_THAT(AppNames(), IsEmpty()) << megabytes;
    EXPECT_EQ(ReceiptText(), "");
  }
  EXPECT_TRUE(failed);
  EXPECT_EQ(Piship({"launch", "hello"}).out, "1.0.0\n");
}

}  // namespace
}  // namespace piship
