// SPDX-License-Identifier: MIT
// Power cuts: an operation ends at each moment at which it has changed something, and of what it has written since the
// last sync some is lost.
//
// A journal keeps the order of what happens to names, so after a cut the names are what a kill at some moment leaves,
// and a kill at each such moment stands for every journal that was written in part. Contents have no order: a file that
// no sync has covered since its last write is whole, empty, cut or zeros, whatever the others are.
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <utility>

#include "home/payload_check.h"
#include "os/boot.h"
#include "tool/runtime/channel_points.h"

namespace piship {
namespace {

namespace fs = std::filesystem;

using testing::AnyOf;

using FileId = std::pair<dev_t, ino_t>;

enum class Loss : std::uint8_t { kAll, kHalf, kZeros };

struct Cut {
  std::vector<std::string> lost;  // paths
  Loss loss = Loss::kAll;
};

const std::vector<std::string> kOne = {".lock", "1.0.0", "launch"};
const std::vector<std::string> kTwo = {".lock", "1.0.0", "2.0.0", "launch"};

constexpr std::size_t kStride = 20;  // of the moments in a short run

// Whether something on the disk is other, or safer, than before the call.
bool Changes(const SystemCall& call) {
  static const std::set<long> changing = {
#if defined(SYS_open)
    SYS_chmod,
    SYS_mkdir,
    SYS_rename,
    SYS_rmdir,
    SYS_symlink,
    SYS_unlink,
#endif
    SYS_fallocate,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fsync,
    SYS_ftruncate,
    SYS_mkdirat,
    SYS_openat,
    SYS_openat2,
    SYS_pwrite64,
    SYS_renameat,
    SYS_renameat2,
    SYS_symlinkat,
    SYS_syncfs,
    SYS_unlinkat,
    SYS_write,
    SYS_writev
  };
  return changing.contains(call.number) && call.result >= 0;
}

// The files that no sync has covered since they were written.
std::set<FileId> Unsynced(const std::vector<SystemCall>& calls) {
  std::set<FileId> files;
  for (const SystemCall& call : calls) {
    if (!call.ended || call.result < 0) continue;
    const FileId file{call.device, call.inode};
    if (call.number == SYS_syncfs) {
      files.clear();
    } else if (call.number == SYS_fsync || call.number == SYS_fdatasync) {
      files.erase(file);
    } else if (file.second != 0) {
      files.insert(file);
    }
  }
  return files;
}

// All of them lost in each way, and each alone and all but each in one, another at each moment.
std::vector<Cut> CutsOf(const std::vector<std::string>& unsynced, std::size_t moment) {
  if (unsynced.empty()) return {Cut{}};
  constexpr Loss kLosses[] = {Loss::kAll, Loss::kHalf, Loss::kZeros};
  std::vector<Cut> cuts;
  for (const Loss loss : kLosses) cuts.push_back({unsynced, loss});
  for (std::size_t at = 0; at < unsynced.size() && unsynced.size() > 1; ++at) {
    const Loss loss = kLosses[(moment + at) % 3];
    cuts.push_back({{unsynced[at]}, loss});
    std::vector<std::string> others = unsynced;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    cuts.push_back({others, loss});
  }
  return cuts;
}

class PowerCuts : public ChannelFaultPoints {
 protected:
  void TryCuts(const Operation& operation) {
    Traced clean;
    ASSERT_NO_FATAL_FAILURE(Begin(operation, clean));
    damage_before_ = operation.repairs ? DamageIn("saved/install", "1.0.0") : std::set<std::string>();
    std::vector<std::size_t> moments;
    for (std::size_t at = 1; at <= clean.calls.size(); ++at) {
      if (Changes(clean.calls[at - 1])) moments.push_back(at);
    }
    std::size_t tried = 0;
    const std::size_t stride = TriesAll() ? 1 : kStride;
    for (std::size_t index = stride / 2; index < moments.size(); index += stride) {
      tried += TryMoment(operation, moments[index]);
    }
    std::printf("%s: %zu system calls, %zu moments, %zu cuts\n", operation.name.c_str(), clean.calls.size(),
                moments.size(), tried);
    EXPECT_GT(tried, 0U);
  }

 private:
  std::size_t TryMoment(const Operation& operation, std::size_t moment) {
    Restore("saved");
    const Traced traced = RunTraced(operation.program, {.at = moment, .fault = Fault::kKill});
    EXPECT_FALSE(traced.hung);
    std::vector<Cut> cuts = CutsOf(PathsOf(Unsynced(traced.calls)), moment);
    if (!TriesAll()) cuts = {cuts[moment % cuts.size()]};
    Save("cut");
    for (const Cut& cut : cuts) {
      SCOPED_TRACE(operation.name + ", power cut before call " + std::to_string(moment) + ", loss " +
                   std::to_string(static_cast<int>(cut.loss)) + " of " + testing::PrintToString(cut.lost));
      Restore("cut");
      for (const std::string& path : cut.lost) Lose(path, cut.loss);
      BootAgain();
      ExpectOldOrNewOrRefused(operation);
      if (See().receipt.find("damaged") != 0) {
        EXPECT_EQ(Piship({"list"}).status, 0);
      }
      ExpectNext(operation, Next::kSame);
    }
    return cuts.size();
  }

  std::vector<std::string> PathsOf(const std::set<FileId>& files) const {
    std::vector<std::string> paths;
    for (const auto& entry : fs::recursive_directory_iterator(temp_.path())) {
      struct stat status {};
      const std::string path = entry.path();
      if (lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
          files.contains({status.st_dev, status.st_ino})) {
        paths.push_back(path);
      }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  static void Lose(const std::string& path, Loss loss) {
    const std::uintmax_t size = fs::file_size(path);
    fs::resize_file(path, loss == Loss::kHalf ? size / 2 : 0);
    if (loss == Loss::kZeros) fs::resize_file(path, size);
  }

  void BootAgain() const {
    const auto boot = BootId();
    std::string text = ReceiptText();
    const std::size_t at = boot ? text.find(*boot) : std::string::npos;
    if (at == std::string::npos) return;
    text.replace(at, boot->size(), "00000000-0000-0000-0000-000000000000");
    std::ofstream(ReceiptPath(install_home(), "hello"), std::ios::binary | std::ios::trunc) << text;
  }

  // Paths of what differs in a version of the home; what is not there differs under no path.
  std::set<std::string> DamageIn(const std::string& home, const std::string& version) const {
    std::set<std::string> paths;
    const auto receipt = Receipt::Parse(ReadFile(temp_ / (home + "/receipts/hello.json")).value_or(""), "receipt");
    const InstalledRelease* release = receipt ? receipt->Find(version) : nullptr;
    EXPECT_NE(release, nullptr);
    if (release == nullptr) return paths;
    const std::string path = VersionDirectory(temp_ / home, "hello", version);
    const auto directory = OpenFile(path, O_RDONLY | O_DIRECTORY);
    if (!directory) return paths;
    const auto check = CheckPayload(directory->get(), path, release->inventory);
    EXPECT_TRUE(check.has_value()) << path;
    if (check) {
      for (const Difference& difference : check->differences) paths.insert(difference.path);
    }
    return paths;
  }

  // What starts is the old or the new version, as whole as it was; what was safely installed starts.
  void ExpectOldOrNewOrRefused(const Operation& operation) {
    const SeenState seen = See();
    const bool was_safe = !old_.receipt.empty() && !operation.repairs;
    if (was_safe) {
      EXPECT_THAT(seen.receipt, AnyOf(old_.receipt, new_.receipt));
    }
    const Ran ran =
        seen.commands.empty() ? Piship({"launch", "hello"}) : RunProgram(Command({}, seen.commands.front()));
    if (ran.status != 0) {
      EXPECT_FALSE(was_safe && !seen.receipt.empty()) << ran.err;
      EXPECT_EQ(ran.out, "");
      return;
    }
    const auto receipt = Receipt::Parse(ReceiptText(), "receipt");
    ASSERT_TRUE(receipt.has_value());
    EXPECT_EQ(ran.out, receipt->active.version + "\n");
    std::vector<InstalledRelease> releases = receipt->kept;
    releases.push_back(receipt->active);
    for (const InstalledRelease& release : releases) {
      EXPECT_THAT(damage_before_, testing::IsSupersetOf(DamageIn("install", release.version))) << release.version;
    }
  }

  std::set<std::string> damage_before_;
};

TEST_F(PowerCuts, FirstInstall) {
  TryCuts({.name = "first install",
           .program = Installing(SmallRelease("1.0.0")),
           .said_after = "1.0.0\n",
           .names_after = kOne});
}

TEST_F(PowerCuts, Update) {
  AddNeighbours();
  Do(Installing(SmallRelease("1.0.0")));
  Do(Verb({"list"}));
  TestRelease other = SmallRelease("2.0.0");
  other.runtime += "# another launcher\n";
  TryCuts({.name = "update", .program = Installing(other), .said_after = "2.0.0\n", .names_after = kTwo});
}

TEST_F(PowerCuts, RollbackToAnotherCommand) {
  Do(Installing(SmallRelease("1.0.0")));
  TestRelease renamed = SmallRelease("2.0.0");
  renamed.command = "hello-two";
  Do(Installing(renamed));
  TryCuts({.name = "rollback",
           .program = Verb({"rollback", "hello", "--to", "1.0.0"}),
           .said_after = "1.0.0\n",
           .names_after = kTwo});
}

TEST_F(PowerCuts, RepairOfAFewFiles) {
  const TestRelease release = SmallRelease("1.0.0");
  Do(Installing(release));
  Do(Verb({"list"}));
  Append(version_directory() + "/app/main.js", "damaged");
  Append(version_directory() + "/piship.lock", "damaged");
  fs::remove_all(version_directory() + "/app/lib/0");
  Append(version_directory() + "/app/extra", "extra");
  TryCuts({.name = "repair",
           .program = Verb({"repair", "hello", "--from", ArchiveOf(release)}),
           .repairs = true,
           .said_after = "1.0.0\n",
           .names_after = kOne});
}

TEST_F(PowerCuts, RepairOfAMissingVersion) {
  const TestRelease release = SmallRelease("1.0.0");
  Do(Installing(release));
  Do(Verb({"list"}));
  fs::remove_all(version_directory());
  TryCuts({.name = "repair of a missing version",
           .program = Verb({"repair", "hello", "--from", ArchiveOf(release)}),
           .repairs = true,
           .said_after = "1.0.0\n",
           .names_after = kOne});
}

TEST_F(PowerCuts, DoctorThatFixesTheLauncher) {
  Do(Installing(SmallRelease("1.0.0")));
  Do(Verb({"list"}));
  Append(LauncherPath(install_home(), "hello"), "# of no version\n");
  TryCuts({.name = "doctor --fix",
           .program = Verb({"doctor", "hello", "--fix"}),
           .said_after = "1.0.0\n",
           .names_after = kOne});
}

TEST_F(PowerCuts, Uninstall) {
  AddNeighbours();
  Do(Installing(SmallRelease("1.0.0")));
  Do(Installing(SmallRelease("2.0.0")));
  TryCuts({.name = "uninstall", .program = Verb({"uninstall", "hello"})});
}

TEST_F(PowerCuts, UpdateFromAChannel) {
  InstallFirst();
  Publish("2.0.0", 1);
  TryCuts({.name = "update by a delta",
           .program = Verb({"update", "hello"}),
           .network = true,
           .said_after = "2.0.0\n",
           .names_after = kTwo});
}

TEST_F(PowerCuts, UpdateByFrames) {
  PublishInFrames("1.0.0");
  InstallPublished();
  PublishInFrames("2.0.0");
  TryCuts({.name = "update by frames",
           .program = Verb({"update", "hello"}),
           .network = true,
           .said_after = "2.0.0\n",
           .names_after = kTwo});
}

TEST_F(PowerCuts, RepairFromAChannel) {
  InstallFirst();
  Append(version_directory() + "/app/main.js", "damaged");
  TryCuts({.name = "repair from a channel",
           .program = Verb({"repair", "hello"}),
           .repairs = true,
           .network = true,
           .said_after = "1.0.0\n",
           .names_after = kOne});
}

}  // namespace
}  // namespace piship
