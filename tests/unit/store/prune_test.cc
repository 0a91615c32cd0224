// SPDX-License-Identifier: MIT
#include <fcntl.h>

#include "os/lock.h"
#include "store_fixture.h"

namespace piship {
namespace {

constexpr std::int64_t kDay = 86400;

class Pruning : public StoreTest {
 protected:
  // Three objects of 1,000 bytes, last used 1, 5 and 9 days ago.
  void Fill(const Store& store) {
    for (const int days : {1, 5, 9}) {
      const auto digest = store.Put(std::string(1000, static_cast<char>('0' + days)));
      PISHIP_ASSERT_OK(digest);
      SetAge(PathOf(*digest), days * kDay);
    }
  }
  bool Has(int days) const {
    return std::filesystem::exists(PathOf(Digest::Of(std::string(1000, static_cast<char>('0' + days)))));
  }
};

TEST_F(Pruning, RemovesTheOldestUntilTheSizeFits) {
  const Store store = OpenStore();
  Fill(store);
  const std::string epoch = Epoch();
  const auto report = store.Prune({.max_bytes = 2500});
  PISHIP_ASSERT_OK(report);
  EXPECT_EQ(report->removed_files, 1U);
  EXPECT_EQ(report->removed_bytes, 1000U);
  EXPECT_TRUE(report->complete);
  EXPECT_TRUE(Has(1) && Has(5) && !Has(9));
  EXPECT_NE(Epoch(), epoch);
}

TEST_F(Pruning, RemovesWhatWasNotUsedForLong) {
  const Store store = OpenStore();
  Fill(store);
  PISHIP_ASSERT_OK(store.Remember("kind", "key", "value"));
  for (const std::string& file : Files()) {
    if (file.find("/memos/") != std::string::npos) SetAge(file, 20 * kDay);
  }
  const auto report = store.Prune({.max_age_days = 3});
  PISHIP_ASSERT_OK(report);
  EXPECT_EQ(report->removed_files, 3U);
  EXPECT_TRUE(Has(1) && !Has(5) && !Has(9));
  EXPECT_EQ(store.Recall("kind", "key"), std::nullopt);
}

TEST_F(Pruning, LeavesTheEpochAloneWhenNothingGoes) {
  const Store store = OpenStore();
  Fill(store);
  const std::string epoch = Epoch();
  PISHIP_ASSERT_OK(store.Prune({.max_bytes = 1'000'000, .max_age_days = 30}));
  EXPECT_EQ(Epoch(), epoch);
  EXPECT_TRUE(Has(1) && Has(5) && Has(9));
}

TEST_F(Pruning, OfMemosAloneNeedsNoEpoch) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Remember("kind", "key", "value"));
  const std::string epoch = Epoch();
  const auto report = store.Prune({.max_bytes = 0});
  PISHIP_ASSERT_OK(report);
  EXPECT_EQ(report->removed_files, 1U);
  EXPECT_EQ(Epoch(), epoch);
}

TEST_F(Pruning, RemovesTemporariesOfTheDeadOnly) {
  const Store store = OpenStore();
  const std::string epoch = Epoch();
  Fill(store);
  const std::string old_one = ParentPath(PathOf(Digest::Of(std::string(1000, '1')))) + "/.tmp-0123-7";
  const std::string old_large = StoreDirectory() + "/objects/.tmp-0123-8";
  const std::string young = StoreDirectory() + "/objects/.tmp-0123-9";
  for (const std::string& path : {old_one, old_large, young}) PISHIP_ASSERT_OK(WriteFileAtomically(path, "half"));
  SetAge(old_one, 2 * kDay);
  SetAge(old_large, 2 * kDay);
  PISHIP_ASSERT_OK(store.Prune({}));
  EXPECT_FALSE(std::filesystem::exists(old_one));
  EXPECT_FALSE(std::filesystem::exists(old_large));
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_EQ(Epoch(), epoch);
  PISHIP_ASSERT_OK(store.Check());
  EXPECT_TRUE(std::filesystem::exists(young));
}

TEST_F(Pruning, StopsWhenTheTimeIsUp) {
  const Store store = OpenStore();
  Fill(store);
  const auto report = store.Prune({.max_bytes = 0, .max_seconds = 0});
  PISHIP_ASSERT_OK(report);
  EXPECT_FALSE(report->complete);
  EXPECT_TRUE(Has(1) && Has(5) && Has(9));
}

TEST_F(Pruning, DoesNotWaitForAnotherPruner) {
  const Store store = OpenStore();
  Fill(store);
  const auto fd = OpenFile(StoreDirectory(), O_RDONLY | O_DIRECTORY);
  PISHIP_ASSERT_OK(fd);
  ASSERT_EQ(*TryLock(fd->get(), LockMode::kExclusive, "store"), LockOutcome::kAcquired);
  const auto report = store.Prune({.max_bytes = 0});
  PISHIP_ASSERT_OK(report);
  EXPECT_FALSE(report->complete);
  EXPECT_TRUE(Has(1) && Has(5) && Has(9));
}

TEST_F(Pruning, MakesReadingMissNotLie) {
  const Store store = OpenStore();
  Fill(store);
  PISHIP_ASSERT_OK(store.Prune({.max_bytes = 0}));
  PISHIP_EXPECT_ERROR(store.Read(Digest::Of(std::string(1000, '1')), 1000), ErrorCode::kObjectMissing);
}

}  // namespace
}  // namespace piship
