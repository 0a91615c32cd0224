// SPDX-License-Identifier: MIT
// Several processes on one install home: whatever the order, the receipt, the payload and the command agree afterwards,
// and no start fails because of an install.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "tool/runtime/runtime_fixture.h"

namespace piship {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::chrono::milliseconds kPause{5};
constexpr int kWait = 4000;  // pauses

class Concurrency : public RuntimeTest {
 protected:
  std::unique_ptr<Background> InBackground(std::vector<std::string> words) const {
    words.push_back("--quiet");
    return std::make_unique<Background>(Verb(std::move(words)));
  }
  static bool WaitFor(const std::function<bool()>& condition) {
    for (int pause = 0; pause < kWait && !condition(); ++pause) std::this_thread::sleep_for(kPause);
    return condition();
  }
  // Starts the command `count` times at once.
  std::vector<Ran> Starts(int count) const {
    std::vector<std::unique_ptr<Background>> programs;
    for (int index = 0; index < count; ++index) programs.push_back(std::make_unique<Background>(Command({})));
    std::vector<Ran> results;
    for (const auto& program : programs) {
      Ran ran;
      ran.out = program->ReadLine();
      ran.status = program->Wait();
      results.push_back(ran);
    }
    return results;
  }
  void ExpectConsistent() {
    const Ran verified = Piship({"verify", "hello"});
    EXPECT_EQ(verified.status, 0) << verified.err;
    const Receipt receipt = InstalledReceipt();
    EXPECT_EQ(Start().out, receipt.active.version + "\n");
    std::vector<std::string> expected = {".lock", "launch", receipt.active.version};
    for (const InstalledRelease& release : receipt.kept) expected.push_back(release.version);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(AppNames(), expected);
    EXPECT_THAT(Names(temp_ / "bin"), ElementsAre("hello"));
  }
};

// An install whose archive comes through a pipe, so that the test decides when it ends.
class HeldInstall {
 public:
  HeldInstall(const std::string& pipe, std::string archive, const std::function<Program(std::string)>& verb)
      : archive_(std::move(archive)) {
    if (mkfifo(pipe.c_str(), 0600) != 0) std::abort();
    program_ = std::make_unique<Background>(verb(pipe));
    fd_ = *OpenFile(pipe, O_WRONLY);
  }
  void GiveHalf() {
    EXPECT_TRUE(WriteAll(fd_.get(), std::string_view(archive_).substr(0, archive_.size() / 2), "pipe").has_value());
  }
  int Finish() {
    EXPECT_TRUE(WriteAll(fd_.get(), std::string_view(archive_).substr(archive_.size() / 2), "pipe").has_value());
    fd_ = UniqueFd();
    return program_->Wait();
  }
  pid_t pid() const { return program_->pid(); }

 private:
  std::string archive_;
  std::unique_ptr<Background> program_;
  UniqueFd fd_;
};

TEST_F(Concurrency, AnInstallOfAVersionThatIsBeingInstalledNamesTheProcess) {
  const TestRelease payload = QuickRelease("1.0.0");
  HeldInstall first(temp_ / "pipe", payload.Archive(), [&](const std::string& pipe) {
    return Verb({"install", pipe, "--quiet"});
  });
  first.GiveHalf();
  ASSERT_TRUE(WaitFor([&] { return Exists(version_directory() + "/piship.lock"); }));
  const Ran second = Install(payload);
  EXPECT_EQ(second.status, 4);
  EXPECT_THAT(second.err, HasSubstr("[LOCK_HELD]"));
  EXPECT_THAT(second.err, HasSubstr("process " + std::to_string(first.pid())));
  const Ran removal = Piship({"uninstall", "hello"});
  EXPECT_EQ(removal.status, 4);
  EXPECT_THAT(removal.err, HasSubstr("process " + std::to_string(first.pid())));
  EXPECT_EQ(first.Finish(), 0);
  EXPECT_THAT(Install(payload).err, HasSubstr("already installed"));
  ExpectConsistent();
}

TEST_F(Concurrency, AnotherVersionIsInstalledWhileOneIsHeldUp) {
  HeldInstall first(temp_ / "pipe", QuickRelease("1.0.0").Archive(), [&](const std::string& pipe) {
    return Verb({"install", pipe, "--quiet"});
  });
  first.GiveHalf();
  ASSERT_TRUE(WaitFor([&] { return Exists(version_directory() + "/piship.lock"); }));
  const Ran second = Install(QuickRelease("2.0.0"));
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(Start().out, "2.0.0\n");
  EXPECT_EQ(first.Finish(), 0);
  EXPECT_EQ(InstalledReceipt().active.version, "1.0.0");
  ExpectConsistent();
}

TEST_F(Concurrency, TheSameVersionTwiceAtOnce) {
  const std::string archive = QuickRelease("1.0.0", 20, 1 << 20).WriteArchive(temp_.path());
  for (int round = 0; round < 8; ++round) {
    const auto first = InBackground({"install", archive});
    const auto second = InBackground({"install", archive});
    const int first_status = first->Wait();
    const int second_status = second->Wait();
    EXPECT_TRUE(first_status == 0 || second_status == 0);
    EXPECT_THAT(first_status, AnyOf(0, 4));
    EXPECT_THAT(second_status, AnyOf(0, 4));
    ExpectConsistent();
    ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  }
}

TEST_F(Concurrency, TwoVersionsAtOnceAreBothInstalled) {
  const std::string one = QuickRelease("1.0.0", 20, 1 << 20).WriteArchive(temp_.path());
  const std::string two = QuickRelease("2.0.0", 20, 1 << 20).WriteArchive(temp_.path());
  for (int round = 0; round < 8; ++round) {
    const auto first = InBackground({"install", one});
    const auto second = InBackground({"install", two});
    EXPECT_EQ(first->Wait(), 0);
    EXPECT_EQ(second->Wait(), 0);
    EXPECT_EQ(InstalledReceipt().kept.size(), 1U);
    ExpectConsistent();
    ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
  }
}

TEST_F(Concurrency, AnInstallAndAnUninstallAtOnce) {
  const std::string archive = QuickRelease("1.0.0", 20, 1 << 20).WriteArchive(temp_.path());
  for (int round = 0; round < 8; ++round) {
    const auto first = InBackground({"install", archive});
    const auto second = InBackground({"uninstall", "hello"});
    EXPECT_THAT(first->Wait(), AnyOf(0, 4));
    EXPECT_THAT(second->Wait(), AnyOf(0, 1, 4));
    ASSERT_EQ(Piship({"install", archive}).status, 0);
    ExpectConsistent();
    if (round % 2 == 0) {
      ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
    }
  }
}

TEST_F(Concurrency, EveryStartDuringAnInstallStartsTheOldOrTheNewVersion) {
  ASSERT_EQ(Install(QuickRelease("1.0.0", 4, 1000)).status, 0);
  HeldInstall install(temp_ / "pipe", QuickRelease("2.0.0").Archive(), [&](const std::string& pipe) {
    return Verb({"install", pipe, "--quiet"});
  });
  install.GiveHalf();
  int started = 0;
  bool new_version = false;
  const auto start_some = [&] {
    bool new_now = false;
    for (const Ran& ran : Starts(8)) {
      EXPECT_EQ(ran.status, 0);
      EXPECT_THAT(ran.out, AnyOf("1.0.0", "2.0.0"));
      if (new_version) {
        EXPECT_EQ(ran.out, "2.0.0");
      }
      new_now = new_now || ran.out == "2.0.0";
      ++started;
    }
    new_version = new_now;
  };
  for (int round = 0; round < 5; ++round) start_some();
  EXPECT_FALSE(new_version);
  std::thread finishing([&] { EXPECT_EQ(install.Finish(), 0); });
  for (int round = 0; round < 100 && !new_version; ++round) start_some();
  finishing.join();
  for (int round = 0; round < 2; ++round) start_some();
  EXPECT_TRUE(new_version);
  EXPECT_GE(started, 64);
  ExpectConsistent();
}

// Each start prints what its engine and a file of its payload say, so that a mixture would show.
TEST_F(Concurrency, TwoHundredStartsDuringTwentyUpdatesAndRollbacks) {
  constexpr int kUpdates = 10;
  const auto release = [](const std::string& version) {
    TestRelease payload = TinyRelease(version);
    payload.payload_engine = "#!/bin/sh\necho " + version + " $(cat \"${0%/engine/node}/app/version\")\n";
    payload.extra.push_back({"app/version", version});
    return payload;
  };
  std::vector<std::string> archives;
  std::vector<std::string> whole;
  for (int number = 0; number <= kUpdates; ++number) {
    const std::string version = "1." + std::to_string(number) + ".0";
    archives.push_back(release(version).WriteArchive(temp_.path()));
    whole.push_back(version + " " + version);
  }
  ASSERT_EQ(Piship({"install", archives[0]}).status, 0);
  std::atomic<bool> done = false;
  std::thread changing([&] {
    for (int number = 1; number <= kUpdates; ++number) {
      EXPECT_EQ(Piship({"install", archives[static_cast<std::size_t>(number)]}).status, 0);
      EXPECT_EQ(Piship({"rollback", "hello"}).status, 0);
    }
    done = true;
  });
  int started = 0;
  while (started < 200 || !done) {
    for (const Ran& ran : Starts(4)) {
      EXPECT_EQ(ran.status, 0);
      EXPECT_THAT(whole, testing::Contains(ran.out));
      ++started;
    }
  }
  changing.join();
  EXPECT_EQ(InstalledReceipt().active.version, "1.0.0");
  EXPECT_EQ(Start().out, "1.0.0 1.0.0\n");
  EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
  EXPECT_EQ(Piship({"doctor", "hello", "--fix"}).status, 0);
}

TEST_F(Concurrency, StartsAndARepairAtOnce) {
  const TestRelease payload = QuickRelease("1.0.0");
  const std::string archive = payload.WriteArchive(temp_.path());
  ASSERT_EQ(Install(payload).status, 0);
  for (int round = 0; round < 4; ++round) {
    Append(version_directory() + "/app/lib/0/0", "damaged");
    const auto repair = InBackground({"install", archive});
    for (int batch = 0; batch < 4; ++batch) {
      for (const Ran& ran : Starts(4)) {
        EXPECT_EQ(ran.status, 0);
        EXPECT_EQ(ran.out, "1.0.0");
      }
    }
    EXPECT_EQ(repair->Wait(), 0);
    ExpectConsistent();
  }
}

TEST_F(Concurrency, AnUninstallDuringStartsRemovesAllOrNothing) {
  const std::string archive = QuickRelease("1.0.0", 20, 1 << 20).WriteArchive(temp_.path());
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(Piship({"install", archive}).status, 0);
    const auto removal = InBackground({"uninstall", "hello"});
    for (int batch = 0; batch < 4; ++batch) {
      for (const Ran& ran : Starts(4)) {
        EXPECT_THAT(ran.status, AnyOf(0, 97, 125));  // 97: the command itself has gone
        EXPECT_EQ(ran.out, ran.status == 0 ? "1.0.0" : "");
      }
    }
    const int status = removal->Wait();
    EXPECT_THAT(status, AnyOf(0, 4));
    if (status == 4) {
      ExpectConsistent();
      ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
    }
    EXPECT_THAT(AppNames(), IsEmpty());
    EXPECT_FALSE(Exists(command()));
    EXPECT_EQ(ReceiptText(), "");
  }
}

}  // namespace
}  // namespace piship
