// SPDX-License-Identifier: MIT
// Several processes on one store, some of them killed at random moments.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <random>
#include <thread>

#include "store_fixture.h"

namespace piship {
namespace {

constexpr int kObjects = 120;

std::string Bytes(int index) {
  return std::string(static_cast<std::size_t>(index) * 211, static_cast<char>('a' + index % 26));
}

// Puts every object over and over; never returns.
[[noreturn]] void Write(const std::string& directory) {
  for (;;) {
    const auto store = Store::Open(directory);
    if (!store) _exit(1);
    for (int index = 0; index < kObjects; ++index) {
      if (!store->Put(Bytes(index))) _exit(2);
      if (!store->Remember("kind", std::to_string(index), Bytes(index))) _exit(3);
    }
    if (!store->Prune({0, UINT64_MAX, 60})) _exit(4);
  }
}

class Processes : public StoreTest {
 protected:
  // Each child does the same with all objects.
  void RunChildren(int count, int (*run)(const std::string&)) {
    std::vector<pid_t> children;
    for (int child = 0; child < count; ++child) {
      const pid_t pid = fork();
      if (pid == 0) _exit(run(StoreDirectory()));
      children.push_back(pid);
    }
    for (const pid_t pid : children) {
      int status = 0;
      ASSERT_EQ(waitpid(pid, &status, 0), pid);
      EXPECT_EQ(status, 0);
    }
  }
};

TEST_F(Processes, PutTheSameObjectsAtOnce) {
  RunChildren(6, [](const std::string& directory) {
    const auto store = Store::Open(directory);
    if (!store) return 1;
    for (int index = 0; index < kObjects; ++index) {
      const auto digest = store->Put(Bytes(index));
      if (!digest) return 2;
      const auto read = store->Read(*digest, Bytes(index).size());
      if (!read || *read != Bytes(index)) return 3;
    }
    return 0;
  });
  EXPECT_EQ(Files().size(), kObjects + 1U);
  const auto report = OpenStore().Check();
  PISHIP_ASSERT_OK(report);
  EXPECT_EQ(report->damaged.size(), 0U);
}

TEST_F(Processes, ShareAStoreThatWasOpenedBeforeTheFork) {
  const Store store = OpenStore();
  for (int child = 0; child < 4; ++child) {
    if (fork() != 0) continue;
    for (int index = 0; index < kObjects; ++index) {
      if (!store.Put(Bytes(index))) _exit(1);
    }
    _exit(0);
  }
  for (int child = 0; child < 4; ++child) {
    int status = 0;
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Files().size(), kObjects + 1U);
}

TEST_F(Processes, OfAllThatMakeAStoreOneMakesItsEpoch) {
  for (int round = 0; round < 150; ++round) {
    std::filesystem::remove_all(StoreDirectory());
    std::vector<std::string> seen(8);
    std::vector<std::thread> threads;
    std::barrier ready(static_cast<std::ptrdiff_t>(seen.size()));
    for (std::string& epoch : seen) {
      threads.emplace_back([&] {
        ready.arrive_and_wait();
        OpenStore();
        epoch = Epoch();
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_THAT(seen, testing::Each(Epoch()));
  }
}

TEST_F(Processes, KilledAtAnyMomentLeaveAStoreThatIsRight) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 25; ++round) {
    std::vector<pid_t> children;
    for (int child = 0; child < 2; ++child) {
      const pid_t pid = fork();
      if (pid == 0) Write(StoreDirectory());
      children.push_back(pid);
    }
    usleep(std::uniform_int_distribution<useconds_t>(0, 25'000)(random));
    for (const pid_t pid : children) {
      kill(pid, SIGKILL);
      int status = 0;
      ASSERT_EQ(waitpid(pid, &status, 0), pid);
      ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    }
    const Store store = OpenStore();
    const auto report = store.Check();
    PISHIP_ASSERT_OK(report);
    EXPECT_EQ(report->damaged, std::vector<std::string>{});
    for (int index = 0; index < kObjects; ++index) {
      PISHIP_ASSERT_OK(store.Put(Bytes(index)));
      const auto read = store.Read(Digest::Of(Bytes(index)), Bytes(index).size());
      PISHIP_ASSERT_OK(read);
      ASSERT_EQ(*read, Bytes(index));
      const auto memo = store.Recall("kind", std::to_string(index));
      EXPECT_EQ(memo.value_or(Bytes(index)), Bytes(index));
    }
  }
}

TEST_F(Processes, FindingDamageTogetherAllSayAnError) {
  const Store store = OpenStore();
  const Digest digest = *store.Put("hello");
  for (int round = 0; round < 20; ++round) {
    PISHIP_ASSERT_OK(store.Put("hello"));
    Overwrite(PathOf(digest), "hellO");
    RunChildren(4, [](const std::string& directory) {
      const auto read = Store::Open(directory)->Read(Digest::Of("hello"), 5);
      if (read) return 1;
      return read.error().code == ErrorCode::kObjectDamaged || read.error().code == ErrorCode::kObjectMissing ? 0 : 2;
    });
    EXPECT_FALSE(std::filesystem::exists(PathOf(digest)));
  }
}

}  // namespace
}  // namespace piship
