// SPDX-License-Identifier: MIT
#include "base/parallel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <set>
#include <stdexcept>

#include "support/result_matchers.h"

namespace piship {
namespace {

TEST(ParallelFor, CallsEachIndexOnceOnWorkersWithinBounds) {
  for (const unsigned threads : {0U, 1U, 3U, 16U}) {
    std::vector<std::atomic<int>> calls(1000);
    std::atomic<bool> bad_worker{false};
    PISHIP_ASSERT_OK(ParallelFor(calls.size(), threads, [&](std::size_t index, unsigned worker) -> Status {
      calls[index] += 1;
      if (threads != 0 && worker >= threads) bad_worker = true;
      return {};
    }));
    for (const auto& count : calls) ASSERT_EQ(count, 1);
    EXPECT_FALSE(bad_worker);
  }
  PISHIP_ASSERT_OK(
      ParallelFor(0, 4, [](std::size_t, unsigned) -> Status { return Fail(ErrorCode::kUsage, "called"); }));
}

TEST(ParallelFor, UsesSeveralThreadsAtOnce) {
  std::atomic<int> waiting{0};
  PISHIP_ASSERT_OK(ParallelFor(3, 3, [&](std::size_t, unsigned) -> Status {
    waiting += 1;
    for (int tick = 0; tick < 5000 && waiting < 3; ++tick) usleep(1000);
    return waiting == 3 ? Status{} : Fail(ErrorCode::kInternal, "alone");
  }));
}

TEST(ParallelFor, TheErrorWithTheLowestIndexWinsWhateverTheTiming) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<std::size_t> calls{0};
    const Status status = ParallelFor(10'000, 4, [&](std::size_t index, unsigned) -> Status {
      calls += 1;
      if (index == 3) usleep(2000);  // later ones fail before it
      if (index >= 3) return Fail(ErrorCode::kIoFailed, std::to_string(index));
      return {};
    });
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().message, "3");
    EXPECT_LT(calls, 100U);
  }
}

TEST(ParallelFor, AnExceptionBecomesAnError) {
  PISHIP_EXPECT_ERROR(ParallelFor(4, 2, [](std::size_t, unsigned) -> Status { throw std::length_error("long"); }),
                      ErrorCode::kInternal);
  PISHIP_EXPECT_ERROR(ParallelFor(4, 2, [](std::size_t, unsigned) -> Status { throw std::bad_alloc(); }),
                      ErrorCode::kIoFailed);
}

TEST(TaskPool, RunsEveryTaskAndKeepsTheQueueShort) {
  TaskPool pool(3, 4);
  std::atomic<int> done{0};
  for (int task = 0; task < 500; ++task) {
    ASSERT_TRUE(pool.Submit([&]() -> Status {
      done += 1;
      return {};
    }));
    ASSERT_LE(task + 1 - done, 4 + 3 + 1);
  }
  PISHIP_ASSERT_OK(pool.Finish());
  EXPECT_EQ(done, 500);
}

TEST(TaskPool, TheFirstSubmittedFailureWinsAndStopsTheRest) {
  TaskPool pool(2, 8);
  std::atomic<int> started{0};
  bool accepted = true;
  int submitted = 0;
  while (accepted && submitted < 100'000) {
    accepted = pool.Submit([&started, submitted]() -> Status {
      started += 1;
      if (submitted == 5) usleep(3000);
      if (submitted >= 5) return Fail(ErrorCode::kIoFailed, std::to_string(submitted));
      return {};
    });
    submitted += 1;
  }
  EXPECT_FALSE(accepted);
  const Status status = pool.Finish();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message, "5");
  EXPECT_LT(started, 100);
}

TEST(TaskPool, AnAbandonedPoolEnds) {
  TaskPool pool(2, 100);
  for (int task = 0; task < 50; ++task) {
    pool.Submit([]() -> Status {
      usleep(100);
      return {};
    });
  }
}

}  // namespace
}  // namespace piship
