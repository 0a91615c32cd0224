// SPDX-License-Identifier: MIT
// A kill, and every failure that can be, at every system call of install, rollback, uninstall, launch and list.
#include "tool/runtime/fault_points.h"

#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

namespace piship {
namespace {

const std::vector<std::string> kOne = {".lock", "1.0.0", "launch"};
const std::vector<std::string> kTwo = {".lock", "1.0.0", "2.0.0", "launch"};

TEST_F(FaultPoints, FirstInstallWithoutHomes) {
  TryPoints({.name = "first install",
             .program = Installing(SmallRelease("1.0.0")),
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

// An uninstall that ends at the same time removes the empty directory between its making and its mode.
TEST_F(FaultPoints, ADirectoryThatIsTakenAwayWhileItIsMade) {
#if defined(SYS_chmod)
  constexpr long kChmod = SYS_chmod;
#else
  constexpr long kChmod = SYS_fchmodat;
#endif
  const Program install = Installing(SmallRelease("1.0.0"));
  const Traced clean = RunTraced(install, {});
  ASSERT_EQ(clean.ran.status, 0) << clean.ran.err;
  const auto chmods = static_cast<std::size_t>(std::count_if(
      clean.calls.begin(), clean.calls.end(), [](const SystemCall& call) { return call.number == kChmod; }));
  EXPECT_GT(chmods, 1U);
  for (std::size_t at = 0; at < chmods; ++at) {
    std::filesystem::remove_all(install_home());
    const Traced traced = RunTraced(install, {.at = at, .of = kChmod, .fault = Fault::kFail, .error = ENOENT});
    EXPECT_EQ(traced.ran.status, 0) << traced.ran.err;
    EXPECT_EQ(Piship({"launch", "hello"}).out, "1.0.0\n");
  }
}

TEST_F(FaultPoints, InstallOfADirectory) {
  AddNeighbours();
  SmallRelease("1.0.0").WriteDirectory(temp_ / "extracted");
  TryPoints({.name = "install of a directory",
             .program = Verb({"install", temp_ / "extracted", "--json"}),
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

TEST_F(FaultPoints, UpdateThatRemovesTheOldestVersion) {
  AddNeighbours();
  Do(Installing(SmallRelease("0.9.0")));
  Do(Installing(SmallRelease("1.0.0")));
  TryPoints(
      {.name = "update", .program = Installing(SmallRelease("2.0.0")), .said_after = "2.0.0\n", .names_after = kTwo});
}

// The first install's note that it is not synced is settled on the way, and the command gets another name.
TEST_F(FaultPoints, UpdateOfAnUnsyncedInstallToAnotherCommand) {
  AddNeighbours();
  Do(Installing(SmallRelease("1.0.0")));
  TestRelease renamed = SmallRelease("2.0.0");
  renamed.command = "hello-two";
  TryPoints({.name = "renaming update", .program = Installing(renamed), .said_after = "2.0.0\n", .names_after = kTwo});
}

TEST_F(FaultPoints, RepairOfTheActiveVersion) {
  Do(Installing(SmallRelease("1.0.0")));
  Do(Installing(SmallRelease("2.0.0")));
  Append(version_directory("2.0.0") + "/app/main.js", "damaged");
  TryPoints({.name = "repair",
             .program = Installing(SmallRelease("2.0.0")),
             .repairs = true,
             .said_after = "2.0.0\n",
             .names_after = kTwo});
}

// Of one file that differs, one that is missing and one that does not belong there.
TEST_F(FaultPoints, RepairOfAFewFiles) {
  AddNeighbours();
  Do(Installing(SmallRelease("1.0.0")));
  const TestRelease release = SmallRelease("2.0.0");
  Do(Installing(release));
  Append(version_directory("2.0.0") + "/app/main.js", "damaged");
  std::filesystem::remove_all(version_directory("2.0.0") + "/app/lib/0");
  Append(version_directory("2.0.0") + "/app/extra", "extra");
  TryPoints({.name = "piship repair",
             .program = Verb({"repair", "hello", "--from", ArchiveOf(release)}),
             .repairs = true,
             .said_after = "2.0.0\n",
             .names_after = kTwo});
}

TEST_F(FaultPoints, RepairOfAMissingVersion) {
  const TestRelease release = SmallRelease("1.0.0");
  Do(Installing(release));
  std::filesystem::remove_all(version_directory("1.0.0"));
  TryPoints({.name = "repair of a missing version",
             .program = Verb({"repair", "hello", "--from", ArchiveOf(release)}),
             .repairs = true,
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

TEST_F(FaultPoints, KeepNone) {
  AddNeighbours();
  Do(Installing(SmallRelease("1.0.0")));
  Do(Installing(SmallRelease("2.0.0")));
  TryPoints({.name = "keep",
             .program = Verb({"keep", "hello", "0"}),
             .said_after = "2.0.0\n",
             .names_after = {".lock", "2.0.0", "launch"}});
}

TEST_F(FaultPoints, DoctorThatFixes) {
  AddNeighbours();
  Do(Installing(SmallRelease("1.0.0")));
  Append(LauncherPath(install_home(), "hello"), "# of no version\n");
  ASSERT_TRUE(MakeDirectories(version_directory("0.1.0") + "/app").has_value());
  Append(version_directory("0.1.0") + "/app/half", "half");
  TryPoints({.name = "doctor --fix",
             .program = Verb({"doctor", "hello", "--fix"}),
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

TEST_F(FaultPoints, ActivationOfTheKeptVersion) {
  const Program old_version = Installing(SmallRelease("1.0.0"));
  Do(old_version);
  Do(Installing(SmallRelease("2.0.0")));
  TryPoints({.name = "activation", .program = old_version, .said_after = "1.0.0\n", .names_after = kTwo});
}

TEST_F(FaultPoints, RollbackToAnotherCommand) {
  AddNeighbours();
  Do(Installing(SmallRelease("1.0.0")));
  TestRelease renamed = SmallRelease("2.0.0");
  renamed.command = "hello-two";
  Do(Installing(renamed));
  TryPoints({.name = "rollback",
             .program = Verb({"rollback", "hello", "--to", "1.0.0"}),
             .said_after = "1.0.0\n",
             .names_after = kTwo});
}

TEST_F(FaultPoints, InstallOfWhatIsInstalled) {
  const Program install = Installing(SmallRelease("1.0.0"));
  Do(install);
  TryPoints({.name = "install again", .program = install, .said_after = "1.0.0\n", .names_after = kOne});
}

// What killed operations have left: a version without a receipt, one that was moved aside, temporary files.
TEST_F(FaultPoints, InstallOverLeftovers) {
  AddNeighbours();
  const std::string app = install_home() + "/apps/hello";
  for (const char* name : {"1.0.0", ".removed-00ff", "0.1.0"}) {
    ASSERT_TRUE(MakeDirectories(JoinPath(app, name) + "/app/lib").has_value());
    Append(JoinPath(app, name) + "/app/lib/half", "half");
  }
  Append(app + "/.tmp-00ff", "{");
  TryPoints({.name = "install over leftovers",
             .program = Installing(SmallRelease("1.0.0")),
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

TEST_F(FaultPoints, Uninstall) {
  AddNeighbours();
  Do(Installing(SmallRelease("1.0.0")));
  Do(Installing(SmallRelease("2.0.0")));
  TryPoints({.name = "uninstall", .program = Verb({"uninstall", "hello"})});
}

TEST_F(FaultPoints, UninstallWithItsData) {
  Do(Installing(SmallRelease("1.0.0")));
  Do(Command({}));
  Append(temp_ / "state/hello/notes", "notes");
  TryPoints({.name = "uninstall --purge", .program = Verb({"uninstall", "hello", "--purge"})});
}

TEST_F(FaultPoints, ListThatSettlesAnInstall) {
  AddNeighbours();
  Do(Installing(SmallRelease("1.0.0")));
  TryPoints({.name = "list", .program = Verb({"list"}), .said_after = "1.0.0\n", .names_after = kOne});
}

TEST_F(FaultPoints, Verify) {
  Do(Installing(SmallRelease("1.0.0")));
  TryPoints({.name = "verify", .program = Verb({"verify", "hello"}), .said_after = "1.0.0\n", .names_after = kOne});
}

const std::vector<int> kLaunchStatuses = {125, 126, 127};

TEST_F(FaultPoints, LaunchByTheCommand) {
  TestRelease release = SmallRelease("1.0.0");
  release.runtime = {};
  Do(Installing(release));
  Do(Installing(release));
  TryPoints({.name = "launch",
             .program = Command({}),
             .statuses = kLaunchStatuses,
             .starts = true,
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

TEST_F(FaultPoints, LaunchAfterAPowerCut) {
  Do(Installing(SmallRelease("1.0.0")));
  Receipt receipt = InstalledReceipt();
  receipt.unsynced_boot = "another";
  ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), "hello"), receipt.Text()).has_value());
  TryPoints({.name = "launch after a power cut",
             .program = Verb({"launch", "hello"}),
             .statuses = kLaunchStatuses,
             .starts = true,
             .said_after = "1.0.0\n",
             .names_after = kOne});
}

}  // namespace
}  // namespace piship
