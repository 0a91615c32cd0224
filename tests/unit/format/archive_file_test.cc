// SPDX-License-Identifier: MIT
#include "format/archive_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/files.h"
#include "support/archive_builder.h"
#include "support/result_matchers.h"

namespace piship {
namespace {

UniqueFd FileOf(std::string_view bytes) {
  UniqueFd file(memfd_create("archive", MFD_CLOEXEC));
  if (!WriteAll(file.get(), bytes, "memory")) std::abort();
  return file;
}

std::vector<TestFile> Files() {
  return {{"app/a.js", "a"},
          {"app/b.js", "b"},
          {"engine/node", std::string(kPartBytes * 2 + 1, 'n')},
          {"piship.lock", "{}\n"}};
}

TEST(ArchiveFile, FindsInventoryAndSmallFiles) {
  const TestArchive archive(Files());
  const std::string bytes = archive.Pack();
  const UniqueFd fd = FileOf(bytes);
  const auto file = ArchiveFile::Open(fd.get(), "test.tar.zst");
  PISHIP_ASSERT_OK(file);
  EXPECT_EQ(file->inventory_text(), archive.inventory_text);
  EXPECT_EQ(file->inventory().entries().size(), 4U);
  EXPECT_EQ(file->bytes(), bytes.size());
  EXPECT_EQ(file->frames().size(), file->layout().frames().size());
  EXPECT_EQ(*file->Read("piship.lock"), "{}\n");
  EXPECT_EQ(*file->Read("app/b.js"), "b");
  PISHIP_EXPECT_ERROR(file->Read("app/c.js"), ErrorCode::kFileNotFound);
  PISHIP_EXPECT_ERROR(file->Read("engine/node"), ErrorCode::kFileNotFound);
}

TEST(ArchiveFile, MayMove) {
  const UniqueFd fd = FileOf(TestArchive(Files()).Pack());
  auto opened = ArchiveFile::Open(fd.get(), "test.tar.zst");
  PISHIP_ASSERT_OK(opened);
  const ArchiveFile moved = *std::move(opened);
  EXPECT_EQ(*moved.Read("app/a.js"), "a");
}

TEST(ArchiveFile, ReadsNoMoreThanItNeeds) {
  const TestArchive archive(Files());
  std::string bytes = archive.Pack();
  const UniqueFd whole = FileOf(bytes);
  const auto frames = ArchiveFile::Open(whole.get(), "test.tar.zst")->frames();
  // The engine's frames may be anything.
  const std::size_t begin = frames[0].compressed_bytes + frames[1].compressed_bytes + frames[2].compressed_bytes;
  bytes.replace(begin, frames[3].compressed_bytes, std::string(frames[3].compressed_bytes, 'x'));
  const UniqueFd fd = FileOf(bytes);
  const auto file = ArchiveFile::Open(fd.get(), "test.tar.zst");
  PISHIP_ASSERT_OK(file);
  EXPECT_EQ(*file->Read("piship.lock"), "{}\n");
}

TEST(ArchiveFile, NeverGivesDamagedContent) {
  const TestArchive archive(std::vector<TestFile>{{"app/a.js", "a"}, {"piship.lock", "{}\n"}});
  const std::string bytes = archive.Pack();
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    std::string flipped = bytes;
    flipped[index] = static_cast<char>(flipped[index] ^ 1);
    const UniqueFd fd = FileOf(flipped);
    const auto file = ArchiveFile::Open(fd.get(), "test.tar.zst");
    if (!file) continue;
    EXPECT_EQ(file->inventory_text(), archive.inventory_text) << index;
    for (const char* path : {"app/a.js", "piship.lock"}) {
      const auto content = file->Read(path);
      EXPECT_TRUE(!content || *content == (path[0] == 'a' ? "a" : "{}\n")) << index;
    }
  }
}

TEST(ArchiveFile, RefusesTruncation) {
  const std::string bytes = TestArchive(std::vector<TestFile>{{"piship.lock", "{}\n"}}).Pack();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const UniqueFd fd = FileOf(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(ArchiveFile::Open(fd.get(), "test.tar.zst")) << size;
  }
}

TEST(ArchiveFile, WantsARegularFile) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const UniqueFd out(ends[0]);
  const UniqueFd in(ends[1]);
  PISHIP_EXPECT_ERROR(ArchiveFile::Open(out.get(), "pipe"), ErrorCode::kFileInvalid);
}

}  // namespace
}  // namespace piship
