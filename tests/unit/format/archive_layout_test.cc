// SPDX-License-Identifier: MIT
#include "format/archive_layout.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "support/result_matchers.h"

namespace piship {
namespace {

InventoryEntry Entry(const std::string& path, std::uint64_t size, std::string_view seed) {
  InventoryEntry entry;
  entry.digest = Digest::Of(seed);
  entry.size = size;
  entry.path = *RelativePath::Parse(path);
  return entry;
}

// `count` files below app/, whose sizes and digests depend on their number alone.
std::vector<InventoryEntry> ManyEntries(std::size_t count) {
  std::vector<InventoryEntry> entries;
  for (std::size_t number = 0; number < count; ++number) {
    const std::string name = std::to_string(1'000'000 + number);
    entries.push_back(Entry("app/" + name, number * 7919 % 40'000, name));
  }
  return entries;
}

struct Plan {
  Inventory inventory;
  std::string text;
  ArchiveLayout layout;
};

// On the heap, since the layout points to the inventory.
std::unique_ptr<Plan> PlanOf(std::vector<InventoryEntry> entries) {
  auto plan = std::make_unique<Plan>();
  plan->inventory = *Inventory::FromEntries(std::move(entries));
  plan->text = plan->inventory.Text();
  plan->layout = *ArchiveLayout::Of(plan->inventory, plan->text);
  return plan;
}

// What each frame but the inventory's holds, as a text.
std::set<std::string> ContentsOf(const Plan& plan) {
  std::set<std::string> contents;
  for (const FramePlan& frame : plan.layout.frames()) {
    if (frame.first_entry == 0) continue;
    std::string text = std::to_string(frame.part_offset);
    for (std::size_t index = frame.first_entry; index < frame.first_entry + frame.entry_count; ++index) {
      text += plan.layout.entry(index).path.str() + plan.layout.entry(index).digest.Hex();
    }
    contents.insert(text);
  }
  return contents;
}

std::size_t CountNew(const Plan& before, const Plan& after) {
  const std::set<std::string> old = ContentsOf(before);
  const std::set<std::string> now = ContentsOf(after);
  return static_cast<std::size_t>(
      std::count_if(now.begin(), now.end(), [&](const std::string& text) { return !old.contains(text); }));
}

TEST(ArchiveLayout, FramesCoverTheStreamWithoutGaps) {
  auto entries = ManyEntries(3000);
  entries.push_back(Entry("engine/node", 3 * kPartBytes + 1, "node"));
  const auto plan = PlanOf(std::move(entries));
  std::uint64_t offset = 0;
  std::size_t next_entry = 0;
  std::uint64_t entry_bytes = 0;
  for (const FramePlan& frame : plan->layout.frames()) {
    EXPECT_EQ(frame.offset, offset);
    EXPECT_GT(frame.size, 0U);
    EXPECT_LE(frame.size, kMaxFrameContent);
    offset += frame.size;
    if (frame.kind == FrameKind::kEntries) {
      EXPECT_EQ(frame.first_entry, next_entry);
      next_entry += frame.entry_count;
    } else if (frame.kind == FrameKind::kPart &&
               frame.part_offset + frame.part_size == plan->layout.entry(frame.first_entry).size) {
      ++next_entry;
    }
  }
  for (std::size_t index = 0; index < plan->layout.entry_count(); ++index)
    entry_bytes += TarEntrySize(plan->layout.entry(index));
  EXPECT_EQ(next_entry, plan->layout.entry_count());
  EXPECT_EQ(offset, plan->layout.tar_bytes());
  EXPECT_EQ(offset, entry_bytes + kTarEndBytes);
  EXPECT_EQ(plan->layout.frames().back().kind, FrameKind::kEnd);
}

TEST(ArchiveLayout, FramesAreOfMiddlingSize) {
  const auto plan = PlanOf(ManyEntries(9000));
  const auto& frames = plan->layout.frames();
  for (std::size_t index = 1; index + 2 < frames.size(); ++index) {
    EXPECT_GE(frames[index].size, kFrameMin);
    EXPECT_LE(frames[index].size, kFrameMax);
  }
  const std::uint64_t average = plan->layout.tar_bytes() / frames.size();
  EXPECT_GT(average, kFrameMin);
  EXPECT_LT(average, kFrameMax);
}

TEST(ArchiveLayout, ChangesAroundAnEditOnly) {
  const auto before = PlanOf(ManyEntries(9000));
  ASSERT_GT(before->layout.frames().size(), 30U);
  for (std::size_t number = 100; number < 9000; number += 613) {
    auto edited = ManyEntries(9000);
    edited[number].digest = Digest::Of("edited");
    edited[number].size += 1000;
    EXPECT_LE(CountNew(*before, *PlanOf(std::move(edited))), 5U) << "edit of " << number;
    auto shorter = ManyEntries(9000);
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(number));
    EXPECT_LE(CountNew(*before, *PlanOf(std::move(shorter))), 5U) << "removal of " << number;
    auto longer = ManyEntries(9000);
    longer.push_back(Entry("app/" + std::to_string(1'000'000 + number) + "b", 20'000, "new"));
    EXPECT_LE(CountNew(*before, *PlanOf(std::move(longer))), 5U) << "insertion after " << number;
  }
}

TEST(ArchiveLayout, PartsOfAPayloadShareNoFrame) {
  const auto plan = PlanOf(
      {Entry("app/a.js", 1, "1"), Entry("app/node_modules/x/a.js", 1, "2"), Entry("app/node_modules/y/a.js", 1, "3"),
       Entry("app/z.js", 1, "4"), Entry("bin/piship", 1, "5"), Entry("engine/node", 1, "6"),
       Entry("metadata/strip.json", 1, "7"), Entry("piship.lock", 1, "8"), Entry("resources/skills/a.md", 1, "9")});
  std::vector<std::size_t> counts;
  for (const FramePlan& frame : plan->layout.frames()) counts.push_back(frame.entry_count);
  // inventory, piship.lock, app, node_modules, app, bin, engine, metadata, resources, end
  EXPECT_THAT(counts, testing::ElementsAre(1, 1, 1, 2, 1, 1, 1, 1, 1, 0));
}

TEST(ArchiveLayout, CutsALargeFileAtFixedOffsets) {
  const auto whole = PlanOf({Entry("engine/node", kPartBytes, "n")});
  ASSERT_EQ(whole->layout.frames().size(), 3U);
  EXPECT_EQ(whole->layout.frames()[1].kind, FrameKind::kEntries);
  const auto plan =
      PlanOf({Entry("engine/a", 5, "a"), Entry("engine/node", kPartBytes + 1, "n"), Entry("engine/z", 5, "z")});
  const auto& frames = plan->layout.frames();
  ASSERT_EQ(frames.size(), 6U);
  EXPECT_EQ(frames[2].kind, FrameKind::kPart);
  EXPECT_EQ(frames[2].size, kTarBlock + kPartBytes);
  EXPECT_EQ(frames[3].kind, FrameKind::kPart);
  EXPECT_EQ(frames[3].part_offset, kPartBytes);
  EXPECT_EQ(frames[3].size, kTarBlock);
  EXPECT_EQ(frames[4].first_entry, 3U);
}

TEST(ArchiveLayout, HoldsTheLongestHeaderWithTheLargestWholeFile) {
  std::string path(4095, 'a');
  for (std::size_t slash = 200; slash + 1 < path.size(); slash += 201) path[slash] = '/';
  path.replace(4093, 2, "\xc3\xa9");
  const auto plan = PlanOf({Entry(path, kPartBytes, "n"), Entry("zz", (std::uint64_t{8} << 30) + 1, "z")});
  for (const FramePlan& frame : plan->layout.frames()) EXPECT_LE(frame.size, kMaxFrameContent);
}

TEST(ArchiveLayout, RefusesWhatIsInTheInventorysWay) {
  for (const char* path :
       {"metadata/inventory", "metadata/Inventory", "Metadata/x", "metadata", "metadata/inventory/x", "METADATA"}) {
    const Inventory inventory = *Inventory::FromEntries({Entry("a/b", 1, "1"), Entry(path, 1, "2")});
    PISHIP_EXPECT_ERROR(ArchiveLayout::Of(inventory, inventory.Text()), ErrorCode::kPayloadInvalid);
  }
  const Inventory beside = *Inventory::FromEntries({Entry("metadata/inventory.txt", 1, "1")});
  PISHIP_ASSERT_OK(ArchiveLayout::Of(beside, beside.Text()));
}

}  // namespace
}  // namespace piship
