// SPDX-License-Identifier: MIT
#include "archive/archive.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "archive/frame_maker.h"
#include "base/files.h"
#include "format/archive_file.h"
#include "model/release.h"
#include "support/payload_builder.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

namespace fs = std::filesystem;

std::string Text(std::size_t size, unsigned seed) {
  std::string text;
  for (std::uint32_t number = seed; text.size() < size; number = number * 1664525 + 1013904223) {
    text += std::to_string(number % 9000);
    text += number % 7 == 0 ? '\n' : ' ';
  }
  text.resize(size);
  return text;
}

// Several frames of node_modules, a large file, and the rest of a payload.
std::vector<TestFile> Files() {
  std::vector<TestFile> files = {{"app/main.js", "console.log(1)\n"},
                                 {"bin/piship", Text(50'000, 1), FileMode::kExecutable},
                                 {"engine/node", Text(17'000'000, 2), FileMode::kExecutable},
                                 {"metadata/strip.json", "{}\n"},
                                 {"piship.lock", TestLock()},
                                 {"resources/skills/a.md", "# A\n"}};
  for (unsigned number = 0; number < 300; ++number) {
    files.push_back({"app/node_modules/p" + std::to_string(number) + "/index.js", Text(number * 397 % 80'000, number)});
  }
  return files;
}

class ArchiveTool : public testing::Test {
 protected:
  ArchiveTool() {
    options_.inventory = directory_ / "payload.inventory";
    options_.lock = directory_ / "piship.lock";
    options_.store = directory_ / "store";
    options_.level = 1;
    options_.output = directory_ / "hello-1.0.0-linux-x64.tar.zst";
    options_.checksum = options_.output + ".sha256";
    options_.release = directory_ / "release.json";
    options_.depfile = directory_ / "archive.d";
  }

  void Put(const std::vector<TestFile>& files) {
    const auto store = Store::Open(options_.store);
    PISHIP_ASSERT_OK(store);
    PISHIP_ASSERT_OK(WriteFileAtomically(options_.inventory, PutPayload(*store, files).Text()));
    PISHIP_ASSERT_OK(WriteFileAtomically(options_.lock, TestLock()));
  }

  std::string Make() {
    const Status made = MakeArchive(options_);
    EXPECT_TRUE(made) << FormatError("test", made.error());
    return made ? *ReadFile(options_.output) : std::string();
  }

  // Every object of the store that is not a file of the payload: the compressed frames.
  std::vector<fs::path> FrameObjects(const std::vector<TestFile>& files) {
    std::set<std::string> payload;
    for (const TestFile& file : files) payload.insert(Digest::Of(file.content).Hex());
    std::vector<fs::path> found;
    for (const auto& item : fs::recursive_directory_iterator(options_.store)) {
      if (!item.is_regular_file()) continue;
      const std::string bytes = *ReadFile(item.path().string());
      const std::string hex = Digest::Of(bytes).Hex();
      if (bytes.starts_with("\x28\xb5\x2f\xfd") && !payload.contains(hex)) found.push_back(item.path());
    }
    return found;
  }

  TempDir directory_;
  ArchiveOptions options_;
};

TEST_F(ArchiveTool, MakesWhatTheReaderReads) {
  Put(Files());
  const std::string bytes = Make();
  CollectingSink sink;
  const auto summary = ReadBytes(bytes, sink);
  PISHIP_ASSERT_OK(summary);
  EXPECT_THAT(sink.faults, testing::IsEmpty());
  EXPECT_EQ(sink.files.size(), Files().size());
  for (const TestFile& file : Files()) EXPECT_TRUE(sink.files[file.path] == file.content) << file.path;
}

TEST_F(ArchiveTool, SaysWhatItMade) {
  Put(Files());
  const std::string bytes = Make();
  const std::string hex = Digest::Of(bytes).Hex();
  EXPECT_EQ(*ReadFile(options_.checksum), hex + "  hello-1.0.0-linux-x64.tar.zst\n");
  const auto release = Release::Parse(*ReadFile(options_.release), "release.json");
  PISHIP_ASSERT_OK(release);
  EXPECT_EQ(release->id, "hello");
  EXPECT_EQ(release->version, "1.0.0");
  EXPECT_EQ(release->command, "hello");
  EXPECT_EQ(release->platform.str(), "linux-x64");
  EXPECT_EQ(release->archive.Hex(), hex);
  EXPECT_EQ(release->archive_bytes, bytes.size());
  EXPECT_EQ(release->archive_name, "hello-1.0.0-linux-x64.tar.zst");
  EXPECT_EQ(release->inventory, Digest::Of(*ReadFile(options_.inventory)));
  EXPECT_EQ(release->lock, Digest::Of(TestLock()));
  EXPECT_EQ(release->qualification, Qualification::kUnqualified);
  EXPECT_THAT(*ReadFile(options_.depfile), testing::HasSubstr("epoch"));
}

TEST_F(ArchiveTool, GivesTheSameBytesForAnyNumberOfThreads) {
  Put(Files());
  const std::string bytes = Make();
  for (const std::int64_t threads : {1, 2, 8}) {
    options_.threads = threads;
    options_.store = directory_ / ("store" + std::to_string(threads));
    Put(Files());
    fs::remove(options_.output);
    EXPECT_TRUE(Make() == bytes) << threads;
  }
}

TEST_F(ArchiveTool, GivesTheSameBytesUnderAnotherUmaskLocaleAndZone) {
  Put(Files());
  const std::string bytes = Make();
  fs::remove(options_.output);
  options_.store = directory_ / "other store";
  const mode_t before = umask(077);
  setenv("TZ", "Pacific/Kiritimati", 1);
  setenv("LC_ALL", "tr_TR.UTF-8", 1);
  setlocale(LC_ALL, "");
  Put(Files());
  EXPECT_TRUE(Make() == bytes);
  umask(before);
  unsetenv("TZ");
  unsetenv("LC_ALL");
  setlocale(LC_ALL, "C");
}

TEST_F(ArchiveTool, LeavesEqualOutputsAlone) {
  Put(Files());
  Make();
  std::map<std::string, std::pair<ino_t, timespec>> before;
  for (const std::string& path : {options_.output, options_.checksum, options_.release, options_.depfile}) {
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    before[path] = {status.st_ino, status.st_mtim};
  }
  Make();
  for (const auto& [path, known] : before) {
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_ino, known.first) << path;
    EXPECT_EQ(status.st_mtim.tv_nsec, known.second.tv_nsec) << path;
  }
  for (const auto& item : fs::directory_iterator(directory_.path())) {
    EXPECT_THAT(item.path().filename().string(), testing::Not(testing::StartsWith(".tmp-")));
  }
}

TEST_F(ArchiveTool, ReplacesAnArchiveThatDiffersOnlyInContent) {
  Put(Files());
  const std::string bytes = Make();
  std::string other = bytes;
  other[other.size() / 2] = static_cast<char>(other[other.size() / 2] ^ 1);
  PISHIP_ASSERT_OK(WriteFileAtomically(options_.output, other));
  EXPECT_TRUE(Make() == bytes);
}

TEST_F(ArchiveTool, CompressesOnlyTheFramesThatChanged) {
  auto files = Files();
  Put(files);
  Make();
  const std::size_t before = FrameObjects(files).size();
  ASSERT_GT(before, 8U);
  Make();
  EXPECT_EQ(FrameObjects(files).size(), before);
  files[5].content = "# B\n";  // the resource
  Put(files);
  const std::string bytes = Make();
  EXPECT_EQ(FrameObjects(files).size(), before + 2);  // its frame and the inventory's
  CollectingSink sink;
  PISHIP_ASSERT_OK(ReadBytes(bytes, sink));
  EXPECT_EQ(sink.files["resources/skills/a.md"], "# B\n");
}

TEST_F(ArchiveTool, MakesDamagedAndLostFramesAgain) {
  const auto files = Files();
  Put(files);
  const std::string bytes = Make();
  for (const fs::path& object : FrameObjects(files)) {
    fs::permissions(object, fs::perms::owner_write, fs::perm_options::add);
    std::string content = *ReadFile(object.string());
    content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
    PISHIP_ASSERT_OK(WriteFileAtomically(object.string(), content));
  }
  EXPECT_TRUE(Make() == bytes);
  std::size_t number = 0;
  for (const fs::path& object : FrameObjects(files)) {
    if (number++ % 2 == 0) fs::remove(object);
  }
  EXPECT_TRUE(Make() == bytes);
}

TEST_F(ArchiveTool, AnotherLevelIsAnotherArchive) {
  Put(Files());
  const std::string fast = Make();
  options_.level = 9;
  const std::string small = Make();
  EXPECT_LT(small.size(), fast.size());
  options_.level = 1;
  EXPECT_TRUE(Make() == fast);
}

TEST_F(ArchiveTool, NamesTheFileWhoseObjectIsMissing) {
  const auto files = Files();
  for (const std::size_t index : {2U, 40U}) {  // a large file, a small one
    options_.store = directory_ / std::to_string(index);
    Put(files);
    const std::string hex = Digest::Of(files[index].content).Hex();
    for (const auto& item : fs::recursive_directory_iterator(options_.store)) {
      if (item.is_regular_file() && item.file_size() == files[index].content.size() &&
          Digest::Of(*ReadFile(item.path().string())).Hex() == hex) {
        fs::remove(item.path());
        break;
      }
    }
    const Status made = MakeArchive(options_);
    PISHIP_EXPECT_ERROR(made, ErrorCode::kObjectMissing);
    EXPECT_THAT(FormatError("test", made.error()), testing::HasSubstr(files[index].path));
    EXPECT_FALSE(fs::exists(options_.output));
  }
  Put(files);
  PISHIP_ASSERT_OK(MakeArchive(options_));
}

TEST_F(ArchiveTool, NeverRemembersAFrameOfADamagedLargeFile) {
  const auto files = Files();
  Put(files);
  const std::string hex = Digest::Of(files[2].content).Hex();
  for (const auto& item : fs::recursive_directory_iterator(options_.store)) {
    if (!item.is_regular_file() || item.file_size() != files[2].content.size()) continue;
    fs::permissions(item.path(), fs::perms::owner_write, fs::perm_options::add);
    std::string content = files[2].content;
    content[9'000'000] ^= 1;
    PISHIP_ASSERT_OK(WriteFileAtomically(item.path().string(), content));
  }
  PISHIP_EXPECT_ERROR(MakeArchive(options_), ErrorCode::kObjectDamaged);
  Put(files);
  const std::string bytes = Make();
  CollectingSink sink;
  PISHIP_ASSERT_OK(ReadBytes(bytes, sink));
}

TEST_F(ArchiveTool, RefusesALockThatIsNotThePayloads) {
  Put(Files());
  PISHIP_ASSERT_OK(WriteFileAtomically(options_.lock, TestLock("1.0.1")));
  PISHIP_EXPECT_ERROR(MakeArchive(options_), ErrorCode::kLockInvalid);
  Put({{"app/main.js", "1"}});
  PISHIP_EXPECT_ERROR(MakeArchive(options_), ErrorCode::kPayloadInvalid);
  EXPECT_FALSE(fs::exists(options_.output));
}

TEST_F(ArchiveTool, RefusesToMakeWhatInstallersRefuse) {
  Put({{"app/main.js", "1"}, {"app/zeros", std::string(std::size_t{260} << 20, '\0')}, {"piship.lock", TestLock()}});
  PISHIP_EXPECT_ERROR(MakeArchive(options_), ErrorCode::kLimitExceeded);
  EXPECT_FALSE(fs::exists(options_.output));
  options_.max_ratio = 100'000;
  const std::string bytes = Make();
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(ReadBytes(bytes, sink), ErrorCode::kLimitExceeded);
}

TEST_F(ArchiveTool, RefusesNumbersOutOfRange) {
  Put(Files());
  for (const std::int64_t level : {0, 23, -1}) {
    options_.level = level;
    PISHIP_EXPECT_ERROR(MakeArchive(options_), ErrorCode::kUsage);
  }
  options_.level = 1;
  options_.threads = -1;
  PISHIP_EXPECT_ERROR(MakeArchive(options_), ErrorCode::kUsage);
}

}  // namespace
}  // namespace piship
