// SPDX-License-Identifier: MIT
#include "format/archive_reader.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/archive_layout.h"
#include "format/seek_table.h"
#include "format/zstd_frame.h"
#include "support/archive_builder.h"
#include "support/result_matchers.h"

namespace piship {
namespace {

// Bytes that do not compress.
std::string Noise(std::size_t size, std::uint32_t seed = 1) {
  std::string bytes;
  bytes.reserve(size + sizeof(std::uint64_t));
  for (std::uint64_t state = seed * 0x9e3779b97f4a7c15U + 1; bytes.size() < size;) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    bytes.append(reinterpret_cast<const char*>(&state), sizeof state);
  }
  bytes.resize(size);
  return bytes;
}

std::vector<TestFile> SmallFiles() {
  return {{"app/empty", ""},
          {"app/main.js", "console.log(1)\n", FileMode::kExecutable},
          {"app/node_modules/x/index.js", "module.exports = 1\n"},
          {"metadata/strip.json", "{}\n"},
          {"piship.lock", "{}\n"},
          {"resources/skills/\xc3\xa9t\xc3\xa9.md", "summer\n"}};
}

std::map<std::string, std::string> ContentsOf(const std::vector<TestFile>& files) {
  std::map<std::string, std::string> contents;
  for (const TestFile& file : files) contents[file.path] = file.content;
  return contents;
}

void ExpectRoundTrip(const std::vector<TestFile>& files) {
  const TestArchive archive(files);
  const std::string bytes = archive.Pack();
  for (const unsigned threads : {1U, 2U, 8U}) {
    for (const Through through : {Through::kFile, Through::kPipe}) {
      CollectingSink sink;
      const auto summary = ReadBytes(bytes, sink, {.threads = threads, .limits = {}}, through);
      PISHIP_ASSERT_OK(summary);
      EXPECT_EQ(summary->archive, Digest::Of(bytes));
      EXPECT_EQ(summary->bytes, bytes.size());
      EXPECT_EQ(summary->inventory, Digest::Of(archive.inventory_text));
      EXPECT_EQ(sink.inventory_text, archive.inventory_text);
      EXPECT_EQ(sink.files, ContentsOf(files));
      EXPECT_THAT(sink.faults, testing::IsEmpty());
    }
  }
}

TEST(ArchiveReader, HandsEveryFileOnOnce) { ExpectRoundTrip(SmallFiles()); }

// The bound is on what waits beside one frame, so the smallest one makes the threads take turns and stops nothing.
TEST(ArchiveReader, ReadsWhereNoFrameMayWaitBesideAnother) {
  const std::vector<TestFile> files = {
      {"a/one", Noise(kPartBytes * 2 + 17)}, {"b/two", Noise(40'000)}, {"c/three", "3"}};
  CollectingSink sink;
  PISHIP_ASSERT_OK(ReadBytes(TestArchive(files).Pack(), sink, {.threads = 4, .waiting_bytes = 1, .limits = {}}));
  EXPECT_EQ(sink.files, ContentsOf(files));
}

TEST(ArchiveReader, ReadsAnArchiveWithoutFiles) { ExpectRoundTrip({}); }  // A95

TEST(ArchiveReader, ReadsSeveralLargeFilesInParts) {
  // The first has parts that take longer than those of the ones after it.
  ExpectRoundTrip({{"engine/a", Noise(kPartBytes * 2 + 17)},
                   {"engine/b", std::string(kPartBytes + 1, 'b')},
                   {"engine/c", std::string(kPartBytes * 3, 'c')},
                   {"engine/d", "small"}});
}

// A97: sizes at the edge of a block, a buffer of the reader, a zstd block, a frame and a part.
TEST(ArchiveReader, ReadsSizesAtEveryThreshold) {
  std::vector<TestFile> files;
  for (const std::uint64_t edge :
       {std::uint64_t{512}, std::uint64_t{128} << 10, std::uint64_t{256} << 10, kFrameMin, kPartBytes}) {
    for (const std::uint64_t size : {edge - 1, edge, edge + 1}) {
      const std::string name = std::to_string(size);
      files.push_back({"app/" + name, Noise(size, static_cast<std::uint32_t>(size))});
    }
  }
  ExpectRoundTrip(files);
}

TEST(ArchiveReader, ReadsNamesOfEveryShape) {
  std::string deep(4095, 'd');  // A19
  for (std::size_t slash = 100; slash + 1 < deep.size(); slash += 101) deep[slash] = '/';
  ExpectRoundTrip({{"a/" + std::string(255, 'n'), "A18"},
                   {std::string(100, 'b'), "100"},
                   {std::string(101, 'c'), "101"},
                   {std::string(155, 'p') + "/" + std::string(100, 'n'), "256"},
                   {std::string(155, 'p') + "/" + std::string(101, 'n'), "257"},
                   {"e/\xf0\x9f\x9a\xa2.js", "ship"},
                   {deep, "4095"}});
}

TEST(ArchiveReader, ReadsManyFiles) {  // A94
  std::vector<TestFile> files;
  files.reserve(70'000);
  for (std::size_t number = 0; number < 70'000; ++number) {
    files.push_back({"app/" + std::to_string(number % 300) + "/" + std::to_string(number), std::to_string(number)});
  }
  const TestArchive archive(files);
  CollectingSink sink;
  PISHIP_ASSERT_OK(ReadBytes(archive.Pack(), sink));
  EXPECT_EQ(sink.files.size(), files.size());
  EXPECT_THAT(sink.faults, testing::IsEmpty());
}

TEST(ArchiveReader, ReadsAnInventoryInParts) {
  std::vector<TestFile> files;
  const std::string long_name(200, 'n');
  for (std::size_t number = 0; number < 32'000; ++number)
    files.push_back({"app/" + long_name + "/" + std::to_string(number), ""});
  const TestArchive archive(files);
  ASSERT_GT(archive.inventory_text.size(), kPartBytes);
  CollectingSink sink;
  PISHIP_ASSERT_OK(ReadBytes(archive.Pack(), sink));
  EXPECT_EQ(sink.inventory_text, archive.inventory_text);
  EXPECT_EQ(sink.files.size(), files.size());
}

TEST(ArchiveReader, RefusesEveryTruncation) {
  const std::string bytes = TestArchive(SmallFiles()).Pack();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CollectingSink sink;
    const auto result = ReadBytes(std::string_view(bytes).substr(0, size), sink, {.threads = 2, .limits = {}});
    PISHIP_EXPECT_ERROR(result, ErrorCode::kArchiveTruncated);
  }
}

TEST(ArchiveReader, RefusesTruncationAtEveryBlockOfItsContent) {  // A84: frames and index fit what is left
  const TestArchive whole(SmallFiles());
  for (std::size_t number = 0; number < whole.frames.size(); ++number) {
    for (std::size_t size = 0; size < whole.frames[number].size(); size += kTarBlock) {
      TestArchive cut = whole;
      cut.frames[number].resize(size);
      cut.frames.resize(number + 1);
      CollectingSink sink;
      EXPECT_FALSE(ReadBytes(cut.Pack(), sink)) << number << " at " << size;
    }
  }
}

TEST(ArchiveReader, RefusesEveryFlippedByte) {
  const std::string bytes = TestArchive(SmallFiles()).Pack();
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    std::string flipped = bytes;
    flipped[index] = static_cast<char>(flipped[index] ^ (1 << index % 8));
    CollectingSink sink;
    const auto result = ReadBytes(flipped, sink, {.threads = 1, .limits = {}});
    ASSERT_FALSE(result) << index;
    EXPECT_THAT(sink.faults, testing::IsEmpty()) << index;
  }
}

TEST(ArchiveReader, NamesTheDamagedFile) {
  TestArchive archive(SmallFiles());
  const auto place = archive.Find("app/main.js");
  archive.frames[place.frame][place.offset + kTarBlock] = 'C';
  CollectingSink sink;
  const auto result = ReadBytes(archive.Pack(), sink);
  PISHIP_EXPECT_ERROR(result, ErrorCode::kIntegrityFailed);
  EXPECT_THAT(result.error().message, testing::HasSubstr("entry 3 'app/main.js' does not match its digest"));
  EXPECT_FALSE(sink.files.contains("app/main.js"));
}

TEST(ArchiveReader, NamesTheDamagedLargeFile) {
  TestArchive archive(std::vector<TestFile>{{"engine/node", Noise(kPartBytes * 2)}});
  archive.frames[2][5] = static_cast<char>(archive.frames[2][5] ^ 1);
  for (const unsigned threads : {1U, 4U}) {
    CollectingSink sink;
    const auto result = ReadBytes(archive.Pack(), sink, {.threads = threads, .limits = {}});
    PISHIP_EXPECT_ERROR(result, ErrorCode::kIntegrityFailed);
    EXPECT_THAT(result.error().message, testing::HasSubstr("'engine/node'"));
  }
}

TEST(ArchiveReader, ReportsTheFirstFaultWhateverTheThreadsDo) {
  std::vector<TestFile> files;
  for (int number = 0; number < 40; ++number)
    files.push_back({"d" + std::to_string(100 + number) + "/f", Noise(100'000)});
  TestArchive archive(files);
  for (const char* path : {"d110/f", "d111/f", "d125/f", "d139/f"}) {
    const auto place = archive.Find(path);
    archive.frames[place.frame][place.offset + kTarBlock] ^= 1;
  }
  archive.frames.pop_back();
  const std::string bytes = archive.Pack();
  for (int round = 0; round < 20; ++round) {
    CollectingSink sink;
    const auto result = ReadBytes(bytes, sink, {.threads = 4, .limits = {}});
    PISHIP_EXPECT_ERROR(result, ErrorCode::kIntegrityFailed);
    EXPECT_THAT(result.error().message, testing::HasSubstr("'d110/f'"));
  }
}

TEST(ArchiveReader, EndsWithTheErrorOfTheSink) {
  const std::string bytes =
      TestArchive(std::vector<TestFile>{{"a", "1"}, {"engine/node", Noise(kPartBytes + 1)}, {"z", "2"}}).Pack();
  for (const char* path : {"a", "engine/node", "z"}) {
    for (const unsigned threads : {1U, 4U}) {
      for (const Through through : {Through::kFile, Through::kPipe}) {
        CollectingSink sink;
        sink.fail_at = path;
        PISHIP_EXPECT_ERROR(ReadBytes(bytes, sink, {.threads = threads, .limits = {}}, through), ErrorCode::kDiskFull);
      }
    }
  }
}

TEST(ArchiveReader, RefusesMoreThanItsLimits) {
  const std::string bytes = TestArchive(SmallFiles()).Pack();
  CollectingSink sink;
  ReadArchiveOptions few;
  few.limits.inventory.entries = 5;
  PISHIP_EXPECT_ERROR(ReadBytes(bytes, sink, few), ErrorCode::kLimitExceeded);
  ReadArchiveOptions little;
  little.limits.inventory.total_bytes = 10;
  PISHIP_EXPECT_ERROR(ReadBytes(bytes, sink, little), ErrorCode::kLimitExceeded);
  ReadArchiveOptions short_text;
  short_text.limits.inventory_bytes = 100;
  PISHIP_EXPECT_ERROR(ReadBytes(bytes, sink, short_text), ErrorCode::kLimitExceeded);
  EXPECT_FALSE(sink.begun);
}

TEST(ArchiveReader, RefusesABomb) {  // A92
  const std::string bytes =
      TestArchive(std::vector<TestFile>{{"zeros", std::string(std::size_t{24} << 20, '\0')}}).Pack();
  ReadArchiveOptions options;
  options.limits.ratio_floor = std::uint64_t{16} << 20;
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(ReadBytes(bytes, sink, options), ErrorCode::kLimitExceeded);
  options.limits.ratio = 100'000;
  CollectingSink patient;
  PISHIP_EXPECT_ERROR(ReadBytes(bytes + "x", patient, options), ErrorCode::kArchiveInvalid);
  CollectingSink another;
  PISHIP_ASSERT_OK(ReadBytes(bytes, another, options));
}

// Memory must not follow from what a stream claims, nor from how large it is.
TEST(ArchiveReader, NeedsLittleMemory) {
  const std::string bytes = TestArchive(std::vector<TestFile>{{"engine/a", Noise(std::size_t{130} << 20)}}).Pack();
  class Discarding : public PayloadSink {
    Status Begin(const Inventory&, std::string_view) override { return {}; }
    Status File(const InventoryEntry&, std::string_view) override { return {}; }
    Status Part(const InventoryEntry&, std::uint64_t, std::string_view) override { return {}; }
  };
  const pid_t child = fork();
  if (child == 0) {
    // What the test itself has is counted from here on: address space, so threads' stacks and heaps are in it.
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    Discarding sink;
    if (!ReadBytes(bytes, sink, {.threads = 8, .limits = {}}, Through::kPipe)) _exit(2);
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    _exit(after.ru_maxrss - before.ru_maxrss < 120 * 1024 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace piship
