// SPDX-License-Identifier: MIT
// The tables of support/hostile_archives.h against the reader alone; tool.runtime.HostileInstall gives them to the
// program.
#include <gmock/gmock.h>

#include "format/archive_layout.h"
#include "format/archive_reader.h"
#include "format/zstd_frame.h"
#include "support/archive_builder.h"
#include "support/hostile_archives.h"
#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::HasSubstr;

constexpr char kOutside[] = "/nonexistent/outside";

std::vector<TestFile> Around() { return {{"piship.lock", "{}"}, {"resources/r", "r"}}; }

class HostileEntryTest : public testing::TestWithParam<HostileEntry> {};

TEST_P(HostileEntryTest, IsRefusedByEntryAndRule) {
  for (const unsigned threads : {1U, 3U}) {
    CollectingSink sink;
    const auto result = ReadBytes(ArchiveWith(GetParam(), Around()), sink, {.threads = threads, .limits = {}});
    PISHIP_EXPECT_ERROR(result, ErrorCode::kArchiveInvalid);
    EXPECT_THAT(result.error().message, HasSubstr(GetParam().rule));
    EXPECT_THAT(result.error().message, HasSubstr("entry "));
    EXPECT_FALSE(sink.files.contains("app/z")) << "files after the fault were handed on";
    EXPECT_THAT(sink.faults, testing::IsEmpty());
  }
}

template <class Case>
std::string NameOf(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Names, HostileEntryTest, testing::ValuesIn(HostileNames(kOutside)), NameOf<HostileEntry>);
INSTANTIATE_TEST_SUITE_P(Types, HostileEntryTest, testing::ValuesIn(HostileTypes(kOutside)), NameOf<HostileEntry>);
INSTANTIATE_TEST_SUITE_P(Metadata, HostileEntryTest, testing::ValuesIn(HostileMetadata()), NameOf<HostileEntry>);
INSTANTIATE_TEST_SUITE_P(Framing, HostileEntryTest, testing::ValuesIn(HostileFraming()), NameOf<HostileEntry>);

class HostileStreamTest : public testing::TestWithParam<HostileStream> {};

TEST_P(HostileStreamTest, IsRefused) {
  for (const unsigned threads : {1U, 3U}) {
    CollectingSink sink;
    const auto result = ReadBytes(GetParam().make(Around()), sink, {.threads = threads, .limits = {}});
    PISHIP_EXPECT_ERROR(result, GetParam().code);
    EXPECT_THAT(result.error().message, HasSubstr(GetParam().rule));
    EXPECT_THAT(sink.faults, testing::IsEmpty());
  }
}
INSTANTIATE_TEST_SUITE_P(Streams, HostileStreamTest, testing::ValuesIn(HostileStreams()), NameOf<HostileStream>);

class HostileListTest : public testing::TestWithParam<HostileList> {};

TEST_P(HostileListTest, IsRefusedBeforeAnyFile) {
  CollectingSink sink;
  const auto result = ReadBytes(ArchiveOfList(GetParam()), sink);
  PISHIP_EXPECT_ERROR(result, GetParam().code);
  EXPECT_FALSE(sink.begun);
}
INSTANTIATE_TEST_SUITE_P(Lists, HostileListTest, testing::ValuesIn(HostileLists(kOutside)), NameOf<HostileList>);

// A header may claim an inventory of 8 GiB; no memory follows from that.
TEST(HostileInventory, SizeIsBounded) {
  TarFields fields;
  fields.name = "metadata/inventory";
  fields.size = "77777777777";
  const std::string first = TarBlock(fields) + std::string(1024, 'x');
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(ReadBytes(PackFrames({*CompressFrame(first, 1)}, {first.size()}), sink),
                      ErrorCode::kLimitExceeded);
}

// A84 at every byte of one header: the frame ends there and the index fits it.
TEST(HostileTruncation, InsideAHeaderIsRefused) {
  const TestArchive whole(FilesWithVictim(Around()));
  const auto place = whole.Find(kVictim);
  for (std::size_t size = 0; size <= kTarBlock; ++size) {
    TestArchive cut = whole;
    cut.frames[place.frame].resize(place.offset + size);
    CollectingSink sink;
    const auto result = ReadBytes(cut.Pack(), sink, {.threads = 1, .limits = {}});
    PISHIP_EXPECT_ERROR(result, ErrorCode::kArchiveInvalid);
    EXPECT_THAT(result.error().message, HasSubstr("entry ")) << size;
  }
}

}  // namespace
}  // namespace piship
