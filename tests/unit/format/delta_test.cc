// SPDX-License-Identifier: MIT
#include "format/delta.h"

#include <gmock/gmock.h>

#include <map>

#include "format/zstd_frame.h"
#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::ElementsAre;

// Compresses badly by itself.
std::string Noise(std::size_t size, std::uint32_t seed) {
  std::string text;
  for (std::uint32_t number = seed; text.size() < size; number = number * 1664525 + 1013904223) {
    text += static_cast<char>(number >> 24);
  }
  return text;
}

// Files by their paths, as a release.
struct Files {
  std::map<std::string, std::string> contents;

  Inventory inventory() const {
    std::vector<InventoryEntry> entries;
    for (const auto& [path, content] : contents) {
      entries.push_back({Digest::Of(content), content.size(), FileMode::kPlain, *RelativePath::Parse(path)});
    }
    return *Inventory::FromEntries(std::move(entries));
  }
  ContentOf content_of() const {
    return [this](const InventoryEntry& entry) -> Result<std::string> { return contents.at(entry.path.str()); };
  }
};

std::vector<std::string> PathsOf(const std::vector<const InventoryEntry*>& entries) {
  std::vector<std::string> paths;
  for (const InventoryEntry* entry : entries) paths.push_back(entry->path.str());
  return paths;
}

class DeltaTest : public testing::Test {
 protected:
  Result<std::string> Make() {
    return MakeDelta(base_.inventory(), base_.content_of(), release_.inventory(), release_.content_of(), 3);
  }
  // The contents of all added files, one after the other, as whoever has the base gets them.
  Result<std::string> Apply(std::string_view bytes) {
    const Inventory base = base_.inventory();
    PISHIP_TRY(const Delta delta, ParseDelta(bytes, "a delta"));
    PISHIP_TRY(const std::string text, InventoryOf(delta, base.Text(), "a delta"));
    PISHIP_TRY(const Inventory release, Inventory::Parse(text, "a delta"));
    const DeltaContents contents = CompareContents(base, release);
    PISHIP_TRY(const std::string gone, GoneContents(contents, base_.content_of()));
    return AddedContents(delta, contents, gone, "a delta");
  }

  const std::string large_ = Noise(300'000, 7);
  Files base_{{{"a/same", "same"}, {"a/moved", "moved"}, {"b/large", large_}, {"c/gone", "gone"}}};
  Files release_{{{"a/same", "same"},
                  {"elsewhere", "moved"},
                  {"b/large", large_ + "\nmore"},
                  {"b/twin", large_ + "\nmore"},
                  {"new", ""}}};
};

TEST_F(DeltaTest, ContentsAreComparedByDigestAndEachCountsOnce) {
  const Inventory base = base_.inventory();
  const Inventory release = release_.inventory();
  const DeltaContents contents = CompareContents(base, release);
  EXPECT_THAT(PathsOf(contents.gone), ElementsAre("b/large", "c/gone"));
  EXPECT_THAT(PathsOf(contents.added), ElementsAre("b/large", "new"));
  EXPECT_EQ(contents.gone_bytes, large_.size() + 4);
  EXPECT_EQ(contents.added_bytes, large_.size() + 5);
}

TEST_F(DeltaTest, CarriesWhatTheBaseLacksAndLittleElse) {
  const auto bytes = Make();
  PISHIP_ASSERT_OK(bytes);
  EXPECT_LT(bytes->size(), 1000U);
  const auto added = Apply(*bytes);
  PISHIP_ASSERT_OK(added);
  EXPECT_EQ(*added, large_ + "\nmore");
  EXPECT_EQ(*Make(), *bytes);
}

TEST_F(DeltaTest, NothingAddedAndNothingGone) {
  release_ = base_;
  const auto same = Make();
  PISHIP_ASSERT_OK(same);
  EXPECT_EQ(Apply(*same).value_or("wrong"), "");
  release_.contents.erase("b/large");
  const auto less = Make();
  PISHIP_ASSERT_OK(less);
  EXPECT_EQ(Apply(*less).value_or("wrong"), "");
  base_.contents.clear();
  const auto all = Make();
  PISHIP_ASSERT_OK(all);
  EXPECT_EQ(Apply(*all).value_or("wrong"), "movedsamegone");
}

TEST_F(DeltaTest, AnotherBaseIsRefused) {
  const auto bytes = Make();
  PISHIP_ASSERT_OK(bytes);
  base_.contents["d"] = "more";
  PISHIP_EXPECT_ERROR(Apply(*bytes), ErrorCode::kIntegrityFailed);
}

TEST_F(DeltaTest, AChangedByteAnywhereIsRefused) {
  const auto bytes = Make();
  PISHIP_ASSERT_OK(bytes);
  for (std::size_t index = 0; index < bytes->size(); ++index) {
    std::string changed = *bytes;
    changed[index] = static_cast<char>(changed[index] ^ 0x11);
    const auto applied = Apply(changed);
    // A bit of a frame's header may mean nothing; then the content is the same.
    EXPECT_EQ(applied.value_or(large_ + "\nmore"), large_ + "\nmore") << index;
  }
  for (std::size_t size = 0; size < bytes->size(); ++size) EXPECT_FALSE(Apply(bytes->substr(0, size))) << size;
  PISHIP_EXPECT_ERROR(Apply(*bytes + "x"), ErrorCode::kArchiveInvalid);
}

TEST_F(DeltaTest, HeadsOfOtherFormsAreTold) {
  std::string bytes = *Make();
  PISHIP_EXPECT_ERROR(ParseDelta("", "d"), ErrorCode::kArchiveTruncated);
  std::string newer = bytes;
  newer.replace(8 + 13, 1, "2");
  PISHIP_EXPECT_ERROR(ParseDelta(newer, "d"), ErrorCode::kFormatNewer);
  std::string other = bytes;
  other[8] = 'P';
  PISHIP_EXPECT_ERROR(ParseDelta(other, "d"), ErrorCode::kArchiveInvalid);
  bytes[8 + 15 + 64 + 7] = 1;  // the size of the inventory: 2^56 and more
  PISHIP_EXPECT_ERROR(ParseDelta(bytes, "d"), ErrorCode::kLimitExceeded);
}

TEST_F(DeltaTest, WhatNeedsTooMuchMemoryIsNotMade) {
  release_.contents["huge"] = std::string(std::size_t{41} << 20, 'x');
  PISHIP_EXPECT_ERROR(Make(), ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace piship
