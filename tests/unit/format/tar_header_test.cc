// SPDX-License-Identifier: MIT
#include "format/tar_header.h"

#include <gmock/gmock.h>

#include "support/archive_builder.h"
#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::HasSubstr;

InventoryEntry Entry(const std::string& path, std::uint64_t size = 0, FileMode mode = FileMode::kPlain) {
  InventoryEntry entry;
  entry.digest = Digest::Of(path);
  entry.size = size;
  entry.mode = mode;
  entry.path = *RelativePath::Parse(path);
  return entry;
}

std::string Header(const InventoryEntry& entry) {
  std::string out;
  AppendTarHeader(entry, out);
  return out;
}

// `count` bytes in components of at most 99 bytes and their slashes.
std::string LongPath(std::size_t count) {
  std::string path(count, 'a');
  for (std::size_t slash = 99; slash + 1 < count; slash += 100) path[slash] = '/';
  return path;
}

TEST(TarHeader, IsOneCanonicalBlock) {
  TarFields fields;
  fields.name = "app/main.js";
  fields.size = "00000001411";
  EXPECT_EQ(Header(Entry("app/main.js", 777)), TarBlock(fields));
}

TEST(TarHeader, SaysThatAFileIsExecutable) {
  TarFields fields;
  fields.name = "bin/piship";
  fields.mode = "0000755";
  EXPECT_EQ(Header(Entry("bin/piship", 0, FileMode::kExecutable)), TarBlock(fields));
}

TEST(TarHeader, FillsTheNameFieldCompletely) {
  TarFields fields;
  fields.name = std::string(100, 'n');
  EXPECT_EQ(Header(Entry(fields.name)), TarBlock(fields));
}

TEST(TarHeader, SplitsALongerPathAtTheFirstSlashThatFits) {
  TarFields fields;
  fields.prefix = "a";
  fields.name = "b/" + std::string(98, 'n');
  EXPECT_EQ(Header(Entry(fields.prefix + "/" + fields.name)), TarBlock(fields));
  fields.prefix = std::string(155, 'p');
  fields.name = std::string(100, 'n');
  EXPECT_EQ(Header(Entry(fields.prefix + "/" + fields.name)), TarBlock(fields));
}

TEST(TarHeader, PutsAPathThatDoesNotSplitIntoAPaxRecord) {
  for (const std::string& path :
       {std::string(101, 'n'), std::string(156, 'p') + "/" + std::string(100, 'n'), "a/" + std::string(101, 'n'),
        LongPath(257), LongPath(4095), std::string("app/\xc3\xa9")}) {
    const std::string header = Header(Entry(path, 5));
    EXPECT_EQ(header.substr(kTarBlock, PaxRecord("path", path).size()), PaxRecord("path", path)) << path.size();
    EXPECT_EQ(header[156], 'x');
    EXPECT_EQ(header[header.size() - kTarBlock + 156], '0');
    EXPECT_LE(header.size(), kMaxTarHeader);
  }
}

TEST(TarHeader, GivesStandInNamesThatDiffer) {
  const std::string one = Header(Entry("app/\xc3\xa9"));
  const std::string other = Header(Entry("app/\xc3\xa8"));
  EXPECT_NE(one.substr(one.size() - kTarBlock, 100), other.substr(other.size() - kTarBlock, 100));
}

TEST(TarHeader, PutsASizeFrom8GiBOnIntoAPaxRecord) {
  const std::uint64_t limit = std::uint64_t{8} << 30;
  EXPECT_EQ(Header(Entry("big", limit - 1)).size(), kTarBlock);
  EXPECT_EQ(Header(Entry("big", limit - 1)).substr(124, 12), std::string("77777777777\0", 12));
  const std::string header = Header(Entry("big", limit));
  EXPECT_EQ(header.substr(kTarBlock, 19), "19 size=8589934592\n");
  EXPECT_EQ(header.substr(2 * kTarBlock + 124, 12), std::string("\x80\0\0\0\0\0\0\x02\0\0\0\0", 12));
  EXPECT_EQ(header.substr(2 * kTarBlock, 3), "big");
}

TEST(TarHeader, SizeIsKnownWithoutTheBytes) {
  for (std::size_t length = 1; length <= 4095; length += length < 300 ? 1 : 97) {
    std::string path = LongPath(length);
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{9} << 30, std::uint64_t{1} << 40}) {
      EXPECT_EQ(TarHeaderSize(Entry(path, size)), Header(Entry(path, size)).size()) << length;
    }
    if (length < 3) continue;
    path.replace(length - 2, 2, "\xc3\xa9");
    EXPECT_EQ(TarHeaderSize(Entry(path)), Header(Entry(path)).size()) << length;
  }
}

TEST(TarHeader, PaxRecordCountsItsOwnDigits) {
  // The lengths at which one digit more is needed.
  for (const std::size_t length : {89U, 90U, 91U, 988U, 989U, 990U, 991U}) {
    const std::string path = LongPath(length - 2) + "\xc3\xa9";
    const std::string header = Header(Entry(path));
    EXPECT_EQ(header.substr(kTarBlock, PaxRecord("path", path).size()), PaxRecord("path", path)) << length;
  }
}

TEST(TarHeader, PaddingFillsTheBlock) {
  EXPECT_EQ(TarPadding(0), 0U);
  EXPECT_EQ(TarPadding(1), 511U);
  EXPECT_EQ(TarPadding(511), 1U);
  EXPECT_EQ(TarPadding(512), 0U);
  EXPECT_EQ(TarEntrySize(Entry("a", 513)), 3 * kTarBlock);
}

TEST(TarHeader, ExplanationNeverComesEmpty) {
  // Whatever single byte is changed, there is something to say about it.
  for (const std::string path : {"app/main.js", "app/\xc3\xa9"}) {
    const InventoryEntry entry = Entry(path, 5);
    for (std::size_t index = 0; index < Header(entry).size(); ++index) {
      std::string bytes = Header(entry);
      bytes[index] = static_cast<char>(bytes[index] ^ 1);
      EXPECT_FALSE(ExplainTarHeader(bytes, entry).empty()) << index;
    }
  }
}

}  // namespace
}  // namespace piship
