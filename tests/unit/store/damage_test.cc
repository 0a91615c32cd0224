// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <functional>

#include "store_fixture.h"

namespace piship {
namespace {

constexpr std::string_view kBytes = "the bytes of an object";

struct Damage {
  const char* name;
  std::function<void(const std::string& path)> inflict;
};

void BindSocket(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_GE(fd, 0);
  // Paths of sockets are short: bind by a name relative to the directory.
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(ParentPath(path));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  FileName(path).copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::filesystem::current_path(before);
  close(fd);
}

const Damage kDamages[] = {
    {"BitFlip",
     [](const std::string& path) {
       std::string bytes(kBytes);
       bytes[7] = static_cast<char>(bytes[7] ^ 1);
       ASSERT_TRUE(WriteFileAtomically(path, bytes));
     }},
    {"Truncated", [](const std::string& path) { ASSERT_TRUE(WriteFileAtomically(path, kBytes.substr(0, 5))); }},
    {"Empty", [](const std::string& path) { ASSERT_TRUE(WriteFileAtomically(path, "")); }},
    {"Longer", [](const std::string& path) { ASSERT_TRUE(WriteFileAtomically(path, std::string(kBytes) + "!")); }},
    {"Directory",
     [](const std::string& path) {
       std::filesystem::remove(path);
       std::filesystem::create_directories(path + "/inner");
       ASSERT_TRUE(WriteFileAtomically(path + "/inner/file", "x"));
     }},
    {"LinkToTheRightBytes",
     [](const std::string& path) {
       ASSERT_TRUE(WriteFileAtomically(path + "-elsewhere", kBytes));
       std::filesystem::remove(path);
       ASSERT_EQ(symlink((path + "-elsewhere").c_str(), path.c_str()), 0);
     }},
    {"LinkToNothing",
     [](const std::string& path) {
       std::filesystem::remove(path);
       ASSERT_EQ(symlink("nowhere", path.c_str()), 0);
     }},
    {"Pipe",
     [](const std::string& path) {
       std::filesystem::remove(path);
       ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
     }},
    {"Socket",
     [](const std::string& path) {
       std::filesystem::remove(path);
       BindSocket(path);
     }},
};

class DamagedObject : public StoreTest, public testing::WithParamInterface<Damage> {};

TEST_P(DamagedObject, IsNamedRemovedAndMadeAgain) {
  const Store store = OpenStore();
  const Digest digest = Digest::Of(kBytes);
  for (const bool stream : {false, true}) {
    PISHIP_ASSERT_OK(store.Put(kBytes));
    GetParam().inflict(PathOf(digest));
    const std::string epoch = Epoch();
    Status read;
    if (stream) {
      read = store.Stream(digest, kBytes.size(), [](std::string_view) -> Status { return {}; });
    } else if (auto result = store.Read(digest, kBytes.size()); !result) {
      read = Fail(result.error());
    }
    PISHIP_EXPECT_ERROR(read, ErrorCode::kObjectDamaged);
    EXPECT_THAT(read.error().message, testing::HasSubstr(digest.Hex().substr(2)));
    EXPECT_NE(Epoch(), epoch);
    struct stat status {};
    EXPECT_NE(lstat(PathOf(digest).c_str(), &status), 0);
    PISHIP_EXPECT_ERROR(store.Read(digest, kBytes.size()), ErrorCode::kObjectMissing);
    PISHIP_ASSERT_OK(store.Put(kBytes));
    PISHIP_ASSERT_OK(store.Read(digest, kBytes.size()));
  }
}

TEST_P(DamagedObject, IsFoundByCheck) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Put("another"));
  PISHIP_ASSERT_OK(store.Put(kBytes));
  GetParam().inflict(PathOf(Digest::Of(kBytes)));
  const std::string epoch = Epoch();
  const auto report = store.Check();
  PISHIP_ASSERT_OK(report);
  ASSERT_GE(report->damaged.size(), 1U);  // the link's target, beside it, is damage as well
  EXPECT_NE(Epoch(), epoch);
  PISHIP_ASSERT_OK(store.Read(Digest::Of("another"), 7));
  const auto again = store.Check();
  PISHIP_ASSERT_OK(again);
  EXPECT_EQ(again->damaged.size(), 0U);
  EXPECT_EQ(again->files, 1U);
}

INSTANTIATE_TEST_SUITE_P(All, DamagedObject, testing::ValuesIn(kDamages),
                         [](const testing::TestParamInfo<Damage>& damage) { return damage.param.name; });

class StoreDamage : public StoreTest {};

TEST_F(StoreDamage, PutReplacesWhatIsVisiblyNotTheObject) {
  const Store store = OpenStore();
  const Digest digest = Digest::Of(kBytes);
  for (const Damage& damage : kDamages) {
    if (std::string_view(damage.name) == "BitFlip") continue;  // only reading shows it
    PISHIP_ASSERT_OK(store.Put(kBytes));
    damage.inflict(PathOf(digest));
    PISHIP_ASSERT_OK(store.Put(kBytes));
    const auto read = store.Read(digest, kBytes.size());
    PISHIP_ASSERT_OK(read);
    EXPECT_EQ(*read, kBytes) << damage.name;
  }
}

TEST_F(StoreDamage, AnIntactObjectIsKeptWhenTheCallerExpectsAnotherSize) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Put(kBytes));
  const std::string epoch = Epoch();
  PISHIP_EXPECT_ERROR(store.Read(Digest::Of(kBytes), kBytes.size() + 1), ErrorCode::kInventoryInvalid);
  PISHIP_ASSERT_OK(store.Read(Digest::Of(kBytes), kBytes.size()));
  EXPECT_EQ(Epoch(), epoch);
}

TEST_F(StoreDamage, AMissingObjectRewritesTheEpoch) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Put(kBytes));
  std::filesystem::remove(PathOf(Digest::Of(kBytes)));
  const std::string epoch = Epoch();
  PISHIP_EXPECT_ERROR(store.Read(Digest::Of(kBytes), kBytes.size()), ErrorCode::kObjectMissing);
  EXPECT_NE(Epoch(), epoch);
}

TEST_F(StoreDamage, CloningChecksToo) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Put(kBytes));
  PISHIP_ASSERT_OK(WriteFileAtomically(directory_ / "clone", ""));
  const auto fd = OpenFile(directory_ / "clone", O_WRONLY);
  PISHIP_ASSERT_OK(fd);
  const auto cloned = store.CloneTo(Digest::Of(kBytes), kBytes.size(), fd->get());
  PISHIP_ASSERT_OK(cloned);
  EXPECT_EQ(*ReadFile(directory_ / "clone"), *cloned ? kBytes : "");
  if (!*cloned) GTEST_SKIP() << "this file system can't share blocks";
  kDamages[0].inflict(PathOf(Digest::Of(kBytes)));
  PISHIP_EXPECT_ERROR(store.CloneTo(Digest::Of(kBytes), kBytes.size(), fd->get()), ErrorCode::kObjectDamaged);
}

TEST_F(StoreDamage, CheckRemovesWhatDoesNotBelongAndNothingElse) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Put(kBytes));
  PISHIP_ASSERT_OK(store.Remember("kind", "key", "value"));
  PISHIP_ASSERT_OK(WriteFileAtomically(StoreDirectory() + "/objects/stray", "x"));
  PISHIP_ASSERT_OK(WriteFileAtomically(StoreDirectory() + "/memos/kind/stray", "x"));
  PISHIP_ASSERT_OK(WriteFileAtomically(StoreDirectory() + "/notes.txt", "not ours: stays"));
  const auto report = store.Check();
  PISHIP_ASSERT_OK(report);
  EXPECT_EQ(report->damaged.size(), 2U);
  EXPECT_EQ(store.Recall("kind", "key"), "value");
  PISHIP_ASSERT_OK(store.Read(Digest::Of(kBytes), kBytes.size()));
  EXPECT_TRUE(std::filesystem::exists(StoreDirectory() + "/notes.txt"));
}

}  // namespace
}  // namespace piship
