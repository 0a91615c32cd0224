// SPDX-License-Identifier: MIT
// Full disks, read-only homes, limits and kills: afterwards the old state or the new one, and the next command works
// and removes what was left.
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Faults : public RuntimeTest {
 protected:
  // Starts a command under which a mount of this process ends with it. False, with the reason, where none is possible.
  static bool CanMount(std::string& reason) {
    if (geteuid() != 0) {
      reason = "only root can mount";
    } else if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      reason = std::string("no mount is possible here: ") + std::strerror(errno);
    }
    return reason.empty();
  }
  void Kill(const Program& program, std::chrono::microseconds after) {
    Background running(program);
    std::this_thread::sleep_for(after);
    kill(running.pid(), SIGKILL);
    running.Wait();
  }
  // How long the program takes when nobody kills it.
  static std::chrono::microseconds TimeOf(const Program& program) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(RunProgram(program).status, 0);
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  }
  void ExpectInstalled(const std::string& version, const std::vector<std::string>& names) {
    EXPECT_EQ(Start().out, version + "\n");
    const Ran ran = Piship({"verify", "hello"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(AppNames(), names);
    EXPECT_THAT(Names(temp_ / "bin"), ElementsAre("hello"));
    EXPECT_THAT(Names(install_home() + "/receipts"), ElementsAre("hello.json"));
  }
};

class Mount {
 public:
  // An empty file system of `bytes` at `path`.
  Mount(std::string path, std::size_t bytes) : path_(std::move(path)) {
    EXPECT_TRUE(MakeDirectories(path_).has_value());
    const std::string options = "mode=0755,size=" + std::to_string(bytes);
    EXPECT_EQ(mount("tmpfs", path_.c_str(), "tmpfs", 0, options.c_str()), 0) << std::strerror(errno);
  }
  ~Mount() { EXPECT_EQ(umount2(path_.c_str(), MNT_DETACH), 0); }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;
  void Resize(std::size_t bytes) { Remount(0, "size=" + std::to_string(bytes)); }
  void MakeReadOnly() { Remount(MS_RDONLY, ""); }
  void MakeWritable() { Remount(0, ""); }

 private:
  void Remount(unsigned long flags, const std::string& options) {
    EXPECT_EQ(mount("none", path_.c_str(), nullptr, MS_REMOUNT | flags, options.c_str()), 0) << std::strerror(errno);
  }
  std::string path_;
};

constexpr std::size_t kStep = 384 << 10;
constexpr std::size_t kPlenty = 256 << 20;

TEST_F(Faults, AFullDiskLeavesNothingOfAFirstInstall) {
  std::string reason;
  if (!CanMount(reason)) GTEST_SKIP() << reason;
  const TestRelease payload = QuickRelease("1.0.0", 40, 1 << 20);
  const std::string archive = payload.WriteArchive(temp_.path());
  Mount disk(install_home(), kStep);
  int failures = 0;
  for (std::size_t size = kStep;; size += kStep) {
    ASSERT_LT(size, kPlenty);
    disk.Resize(size);
    const Ran ran = Piship({"install", archive});
    if (ran.status == 0) break;
    ++failures;
    EXPECT_EQ(ran.status, 4) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[DISK_FULL]"));
    EXPECT_THAT(AppNames(), IsEmpty()) << size;
    EXPECT_EQ(ReceiptText(), "");
    EXPECT_FALSE(Exists(command()));
  }
  EXPECT_GT(failures, 5);
  ExpectInstalled("1.0.0", {".lock", "1.0.0", "launch"});
}

TEST_F(Faults, AFullDiskLeavesTheOldVersionAtAnUpdate) {
  std::string reason;
  if (!CanMount(reason)) GTEST_SKIP() << reason;
  const std::string archive = QuickRelease("2.0.0", 40, 1 << 20).WriteArchive(temp_.path());
  Mount disk(install_home(), kPlenty);
  ASSERT_EQ(Install(QuickRelease("1.0.0", 4, 1000)).status, 0);
  ASSERT_EQ(Piship({"list"}).status, 0);
  const std::string receipt = ReceiptText();
  const std::size_t used =
      std::filesystem::space(install_home()).capacity - std::filesystem::space(install_home()).free;
  for (std::size_t size = (used / 4096 + 1) * 4096;; size += kStep) {
    ASSERT_LT(size, kPlenty);
    disk.Resize(size);
    const Ran ran = Piship({"install", archive});
    if (ran.status == 0) break;
    EXPECT_EQ(ran.status, 4) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[DISK_FULL]"));
    EXPECT_EQ(ReceiptText(), receipt);
    ExpectInstalled("1.0.0", {".lock", "1.0.0", "launch"});
  }
  ExpectInstalled("2.0.0", {".lock", "1.0.0", "2.0.0", "launch"});
}

TEST_F(Faults, AReadOnlyInstallHomeGoesOnWorkingAndIsNotChanged) {
  std::string reason;
  if (!CanMount(reason)) GTEST_SKIP() << reason;
  Mount disk(install_home(), kPlenty);
  const std::string update = QuickRelease("2.0.0", 4, 1000).WriteArchive(temp_.path());
  disk.MakeReadOnly();
  const Ran first = Piship({"install", update});
  EXPECT_EQ(first.status, 4);
  EXPECT_THAT(first.err, HasSubstr("[PERMISSION_DENIED]"));
  disk.MakeWritable();
  ASSERT_EQ(Install(QuickRelease("1.0.0", 4, 1000)).status, 0);
  disk.MakeReadOnly();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"list"}, {"inspect", "hello"}, {"verify", "hello"}}) {
    EXPECT_EQ(Piship(words).status, 0) << words[0];
  }
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"install", update}, {"uninstall", "hello"}}) {
    const Ran ran = Piship(words);
    EXPECT_EQ(ran.status, 4) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[PERMISSION_DENIED]"));
    ExpectInstalled("1.0.0", {".lock", "1.0.0", "launch"});
  }
  disk.MakeWritable();
  EXPECT_EQ(Piship({"install", update}).status, 0);
  ExpectInstalled("2.0.0", {".lock", "1.0.0", "2.0.0", "launch"});
}

TEST_F(Faults, AReadOnlyBinHomeIsSeenBeforeAnythingIsWritten) {
  std::string reason;
  const bool can_mount = CanMount(reason);
  if (!can_mount && geteuid() == 0) GTEST_SKIP() << reason;
  std::unique_ptr<Mount> disk;
  ASSERT_TRUE(MakeDirectories(temp_ / "bin").has_value());
  if (can_mount) {
    disk = std::make_unique<Mount>(temp_ / "bin", kPlenty);
    disk->MakeReadOnly();
  } else {
    chmod((temp_ / "bin").c_str(), 0555);
  }
  const Ran ran = Install(QuickRelease("1.0.0", 4, 1000));
  EXPECT_EQ(ran.status, 4);
  EXPECT_THAT(ran.err, HasSubstr("[PERMISSION_DENIED]"));
  EXPECT_THAT(ran.err, HasSubstr(temp_ / "bin"));
  EXPECT_THAT(AppNames(), IsEmpty());
  EXPECT_EQ(ReceiptText(), "");
  if (disk) disk->MakeWritable();
  if (!disk) chmod((temp_ / "bin").c_str(), 0755);
  EXPECT_EQ(Install(QuickRelease("1.0.0", 4, 1000)).status, 0);
}

TEST_F(Faults, MissingHomesAreMade) {
  environment_["PISHIP_INSTALL_HOME"] = temp_ / "a/b/install";
  environment_["PISHIP_STATE_HOME"] = temp_ / "c/d/state";
  environment_["PISHIP_BIN_HOME"] = temp_ / "e/f/bin";
  TestRelease payload = QuickRelease("1.0.0", 4, 1000);
  payload.environment = {{"HELLO_HOME", "{state}"}};
  ASSERT_EQ(Install(payload).status, 0);
  EXPECT_EQ(RunProgram({.argv = {temp_ / "e/f/bin/hello"}, .environment = environment_}).out, "1.0.0\n");
  struct stat status {};
  ASSERT_EQ(stat((temp_ / "c/d/state/hello").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
}

TEST_F(Faults, EveryHomeMayLieBehindALink) {
  for (const char* name : {"install", "state", "bin"}) {
    ASSERT_TRUE(MakeDirectories(temp_ / (std::string("real/") + name)).has_value());
    std::filesystem::create_directory_symlink(temp_ / (std::string("real/") + name), temp_ / name);
  }
  TestRelease payload = QuickRelease("1.0.0", 4, 1000);
  payload.environment = {{"HELLO_HOME", "{state}"}};
  ASSERT_EQ(Install(payload).status, 0);
  ExpectInstalled("1.0.0", {".lock", "1.0.0", "launch"});
  ASSERT_EQ(Install(QuickRelease("2.0.0", 4, 1000)).status, 0);
  ExpectInstalled("2.0.0", {".lock", "1.0.0", "2.0.0", "launch"});
  ASSERT_EQ(Piship({"uninstall", "hello", "--purge"}).status, 0);
  EXPECT_THAT(Names(temp_ / "real/bin"), IsEmpty());
  EXPECT_THAT(Names(temp_ / "real/state"), IsEmpty());
  EXPECT_TRUE(Exists(temp_ / "state"));
}

TEST_F(Faults, SixtyFourDescriptorsAreEnough) {
  const std::string archive = QuickRelease("1.0.0", 300, 1 << 20).WriteArchive(temp_.path());
  QuickRelease("1.0.0", 300, 1 << 20).WriteDirectory(temp_ / "extracted");
  const auto limited = [](Program program) {
    program.open_files = 64;
    return RunProgram(program);
  };
  for (const std::string& source : {archive, temp_ / "extracted"}) {
    const Ran ran = limited(Verb({"install", source}));
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(limited(Verb({"verify", "hello"})).status, 0);
    EXPECT_EQ(limited(Verb({"verify", source})).status, 0);
    EXPECT_EQ(limited(Command({})).out, "1.0.0\n");
    EXPECT_EQ(limited(Verb({"uninstall", "hello"})).status, 0);
    EXPECT_THAT(AppNames(), IsEmpty());
  }
}

TEST_F(Faults, AFileSizeLimitIsAnErrorAndLeavesNothing) {
  Program program = Verb({"install", QuickRelease("1.0.0", 4, 1000).WriteArchive(temp_.path())});
  for (const std::size_t limit : {std::size_t{1}, std::size_t{100}, std::size_t{100'000}}) {
    program.file_size = limit;
    const Ran ran = RunProgram(program);
    EXPECT_EQ(ran.status, 4) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[IO_FAILED]"));
    EXPECT_THAT(AppNames(), IsEmpty());
    EXPECT_EQ(ReceiptText(), "");
  }
  program.file_size = 0;
  EXPECT_EQ(RunProgram(program).status, 0);
}

TEST_F(Faults, ModesAreExactWhateverTheUmaskAlsoAfterUpdateAndRepair) {
  for (const int mask : {0, 077}) {
    std::filesystem::remove_all(install_home());
    std::filesystem::remove_all(temp_ / "bin");
    const auto install = [&](const std::string& version) {
      Program program = Verb({"install", QuickRelease(version, 4, 1000).WriteArchive(temp_.path())});
      program.umask = mask;
      EXPECT_EQ(RunProgram(program).status, 0);
    };
    install("1.0.0");
    install("2.0.0");
    Append(version_directory("2.0.0") + "/app/main.js", " ");
    install("2.0.0");
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(install_home())) {
      struct stat status {};
      const std::string path = entry.path();
      ASSERT_EQ(lstat(path.c_str(), &status), 0);
      if (FileName(path) == ".lock") continue;
      const bool executable = S_ISDIR(status.st_mode) || FileName(path) == "launch" || path.ends_with("/bin/piship") ||
                              path.ends_with("/engine/node");
      EXPECT_EQ(status.st_mode & 07777U, executable ? 0755U : 0644U) << path << " umask " << mask;
      ++files;
    }
    EXPECT_GT(files, 20);
  }
}

constexpr int kKills = 20;

// The moments of kills, spread over the time that the whole takes and varied from run to run.
std::vector<std::chrono::microseconds> Moments(std::chrono::microseconds whole) {
  std::mt19937 random(std::random_device{}());
  std::vector<std::chrono::microseconds> moments;
  for (int index = 0; index < kKills; ++index) {
    const auto slice = std::max<std::int64_t>(whole.count() / kKills, 1);
    moments.emplace_back(slice * index + static_cast<std::int64_t>(random() % static_cast<unsigned>(slice)));
  }
  return moments;
}

TEST_F(Faults, AKilledFirstInstallLeavesAllOrNothing) {
  const Program install = Verb({"install", QuickRelease("1.0.0", 40, 1 << 20).WriteArchive(temp_.path())});
  const auto whole = TimeOf(install);
  int unfinished = 0;
  for (const auto moment : Moments(whole)) {
    ASSERT_THAT(Piship({"uninstall", "hello"}).status, AnyOf(0, 1));
    ASSERT_THAT(AppNames(), IsEmpty());
    Kill(install, moment);
    if (Exists(command())) {
      EXPECT_EQ(Start().out, "1.0.0\n") << moment.count();
    } else {
      ++unfinished;
      EXPECT_THAT(Piship({"launch", "hello"}).status, ReceiptText().empty() ? 125 : 0);
    }
    const Ran again = RunProgram(install);
    EXPECT_EQ(again.status, 0) << again.err;
    ExpectInstalled("1.0.0", {".lock", "1.0.0", "launch"});
  }
  EXPECT_GT(unfinished, 0);
}

TEST_F(Faults, AKilledUpdateLeavesTheOldOrTheNewVersion) {
  const std::string old_archive = QuickRelease("1.0.0", 4, 1000).WriteArchive(temp_.path());
  const Program update = Verb({"install", QuickRelease("2.0.0", 40, 1 << 20).WriteArchive(temp_.path())});
  ASSERT_EQ(Piship({"install", old_archive}).status, 0);
  int old_version = 0;
  for (const auto moment : Moments(TimeOf(update))) {
    ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
    ASSERT_EQ(Piship({"install", old_archive}).status, 0);
    Kill(update, moment);
    const Ran started = Start();
    EXPECT_THAT(started.out, AnyOf("1.0.0\n", "2.0.0\n")) << started.err << moment.count();
    if (started.out == "1.0.0\n") ++old_version;
    EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
    const Ran again = RunProgram(update);
    EXPECT_EQ(again.status, 0) << again.err;
    ExpectInstalled("2.0.0", {".lock", "1.0.0", "2.0.0", "launch"});
  }
  EXPECT_GT(old_version, 0);
}

TEST_F(Faults, AKilledRepairNeverStartsAHalfPayload) {
  TestRelease payload = QuickRelease("1.0.0", 40, 1 << 20);
  const Program install = Verb({"install", payload.WriteArchive(temp_.path())});
  ASSERT_EQ(RunProgram(install).status, 0);
  const std::string damaged = version_directory() + "/app/lib/0/0";
  Append(damaged, "damaged");
  for (const auto moment : Moments(TimeOf(install))) {
    Append(damaged, "damaged");
    Kill(install, moment);
    const bool untouched = Exists(damaged) && ReadFile(damaged)->ends_with("damaged");
    const Ran started = Start();
    const bool intact = Piship({"verify", "hello"}).status == 0;
    EXPECT_EQ(started.status, intact || untouched ? 0 : 125) << started.err << moment.count();
    if (started.status != 0) {
      EXPECT_THAT(started.err, HasSubstr("[INTEGRITY_FAILED]"));
    }
    const Ran again = RunProgram(install);
    EXPECT_EQ(again.status, 0) << again.err;
    ExpectInstalled("1.0.0", {".lock", "1.0.0", "launch"});
  }
}

TEST_F(Faults, AKilledUninstallIsFinishedByTheNextOneOrByAnInstall) {
  const Program install = Verb({"install", QuickRelease("1.0.0", 300, 1 << 20).WriteArchive(temp_.path())});
  const Program uninstall = Verb({"uninstall", "hello"});
  ASSERT_EQ(RunProgram(install).status, 0);
  int round = 0;
  for (const auto moment : Moments(TimeOf(uninstall))) {
    ASSERT_EQ(RunProgram(install).status, 0);
    Kill(uninstall, moment);
    if (!ReceiptText().empty()) {
      EXPECT_EQ(Start().out, "1.0.0\n");
    } else {
      EXPECT_EQ(Piship({"launch", "hello"}).status, 125);
    }
    if (++round % 2 == 0) {
      ASSERT_EQ(RunProgram(install).status, 0);
      ExpectInstalled("1.0.0", {".lock", "1.0.0", "launch"});
    }
    EXPECT_THAT(RunProgram(uninstall).status, AnyOf(0, 1));
    EXPECT_THAT(AppNames(), IsEmpty());
    EXPECT_FALSE(Exists(command()));
  }
}

}  // namespace
}  // namespace piship
