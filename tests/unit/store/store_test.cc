// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "store_fixture.h"

namespace piship {
namespace {

class StoreBasics : public StoreTest {};

TEST_F(StoreBasics, GivesBackWhatWasPut) {
  const Store store = OpenStore();
  for (const std::string& bytes :
       {std::string(), std::string("hello"), std::string(3'000'000, 'x'), std::string(2, '\0')}) {
    const auto digest = store.Put(bytes);
    PISHIP_ASSERT_OK(digest);
    EXPECT_EQ(*digest, Digest::Of(bytes));
    const auto read = store.Read(*digest, bytes.size());
    PISHIP_ASSERT_OK(read);
    EXPECT_EQ(*read, bytes);
    std::string streamed;
    PISHIP_ASSERT_OK(store.Stream(*digest, bytes.size(), [&](std::string_view piece) -> Status {
      streamed += piece;
      return {};
    }));
    EXPECT_EQ(streamed, bytes);
  }
}

TEST_F(StoreBasics, LiesWhereTheFormatSaysAndIsReadOnly) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Put("hello"));
  const std::string path =
      StoreDirectory() + "/objects/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
  struct stat status {};
  ASSERT_EQ(lstat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode, S_IFREG | 0444U);
  ASSERT_EQ(stat(StoreDirectory().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
  EXPECT_EQ(store.epoch_path(), StoreDirectory() + "/epoch");
}

TEST_F(StoreBasics, LeavesNoTemporaryFiles) {
  const Store store = OpenStore();
  for (int index = 0; index < 50; ++index) PISHIP_ASSERT_OK(store.Put(std::to_string(index)));
  PISHIP_ASSERT_OK(store.Remember("kind", "key", "value"));
  PISHIP_ASSERT_OK(store.TouchEpoch());
  for (const std::string& file : Files()) EXPECT_EQ(file.find(".tmp-"), std::string::npos) << file;
  EXPECT_EQ(Files().size(), 52U);
}

TEST_F(StoreBasics, DoesNotWriteAnObjectThatIsThere) {
  const Store store = OpenStore();
  const auto digest = store.Put("hello");
  PISHIP_ASSERT_OK(digest);
  struct stat before {};
  ASSERT_EQ(stat(PathOf(*digest).c_str(), &before), 0);
  PISHIP_ASSERT_OK(store.Put("hello"));
  struct stat after {};
  ASSERT_EQ(stat(PathOf(*digest).c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(StoreBasics, PutsFilesSmallAndStreamed) {
  const Store store = OpenStore();
  // Above and below the size from which a file is not held in memory, and 65 MiB, sparse.
  for (const off_t size : {off_t{0}, off_t{5}, (off_t{8} << 20) + 1, (off_t{65} << 20) + 3}) {
    const std::string path = directory_ / "file";
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(ftruncate(fd, size), 0);
    if (size > 0) {
      ASSERT_EQ(pwrite(fd, "end", 3, size - 3), 3);
    }
    close(fd);
    for (int time = 0; time < 2; ++time) {
      const auto object = store.PutFile(path);
      PISHIP_ASSERT_OK(object);
      EXPECT_EQ(object->size, static_cast<std::uint64_t>(size));
      const auto bytes = ReadFile(path);
      PISHIP_ASSERT_OK(bytes);
      EXPECT_EQ(object->digest, Digest::Of(*bytes));
      PISHIP_ASSERT_OK(store.Read(object->digest, object->size));
    }
  }
  for (const std::string& file : Files()) EXPECT_EQ(file.find(".tmp-"), std::string::npos) << file;
}

TEST_F(StoreBasics, RefusesToPutWhatIsNotAFileWithoutWaiting) {
  const Store store = OpenStore();
  const std::string pipe = directory_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  PISHIP_EXPECT_ERROR(store.PutFile(pipe), ErrorCode::kFileInvalid);
  PISHIP_EXPECT_ERROR(store.PutFile(directory_.path()), ErrorCode::kFileInvalid);
  PISHIP_EXPECT_ERROR(store.PutFile(directory_ / "nothing"), ErrorCode::kFileNotFound);
}

TEST_F(StoreBasics, ATakersErrorEndsTheStream) {
  const Store store = OpenStore();
  const auto digest = store.Put("hello");
  PISHIP_ASSERT_OK(digest);
  PISHIP_EXPECT_ERROR(
      store.Stream(*digest, 5, [](std::string_view) -> Status { return Fail(ErrorCode::kDiskFull, "full"); }),
      ErrorCode::kDiskFull);
  PISHIP_ASSERT_OK(store.Read(*digest, 5));
}

TEST_F(StoreBasics, TheEpochStaysWhenNothingIsRemoved) {
  const Store store = OpenStore();
  const std::string epoch = Epoch();
  EXPECT_TRUE(epoch.starts_with("piship-store 1 ")) << epoch;
  PISHIP_ASSERT_OK(store.Put("hello"));
  PISHIP_ASSERT_OK(store.Read(Digest::Of("hello"), 5));
  OpenStore();
  EXPECT_EQ(Epoch(), epoch);
  PISHIP_ASSERT_OK(store.TouchEpoch());
  EXPECT_NE(Epoch(), epoch);
}

TEST_F(StoreBasics, RefusesANewerFormatAndHealsASpoiltEpoch) {
  OpenStore();
  Overwrite(StoreDirectory() + "/epoch", "piship-store 2 something\n");
  PISHIP_EXPECT_ERROR(Store::Open(StoreDirectory()), ErrorCode::kFormatNewer);
  Overwrite(StoreDirectory() + "/epoch", "");  // what a power cut leaves
  PISHIP_ASSERT_OK(Store::Open(StoreDirectory()));
  EXPECT_TRUE(Epoch().starts_with("piship-store 1 "));
}

TEST_F(StoreBasics, OpensARelativeDirectoryByItsAbsoluteName) {
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(directory_.path());
  const auto store = Store::Open("store/");
  std::filesystem::current_path(before);
  PISHIP_ASSERT_OK(store);
  EXPECT_EQ(store->epoch_path(), StoreDirectory() + "/epoch");
}

TEST_F(StoreBasics, SurvivesItsDeletionWhileOpen) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Put("first"));
  std::filesystem::remove_all(StoreDirectory());
  PISHIP_EXPECT_ERROR(store.Read(Digest::Of("first"), 5), ErrorCode::kObjectMissing);
  EXPECT_FALSE(Epoch().empty());
  PISHIP_ASSERT_OK(store.Put("first"));
  PISHIP_ASSERT_OK(store.Read(Digest::Of("first"), 5));

  std::filesystem::remove_all(StoreDirectory());
  PISHIP_ASSERT_OK(store.Put("second"));
  EXPECT_FALSE(Epoch().empty());
  // Deleted, and made again by another process.
  std::filesystem::remove_all(StoreDirectory());
  PISHIP_ASSERT_OK(OpenStore().Put("third"));
  PISHIP_ASSERT_OK(store.Read(Digest::Of("third"), 5));
  EXPECT_EQ(store.Missing({StoredObject{Digest::Of("third"), 5}, StoredObject{Digest::Of("second"), 6}})->size(), 1U);
}

TEST_F(StoreBasics, ServesManyThreads) {
  const Store store = OpenStore();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&store] {
      for (int index = 0; index < 200; ++index) {
        const std::string bytes = "object " + std::to_string(index);
        PISHIP_ASSERT_OK(store.Put(bytes));
        const auto read = store.Read(Digest::Of(bytes), bytes.size());
        PISHIP_ASSERT_OK(read);
        EXPECT_EQ(*read, bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Files().size(), 201U);
}

// In a child without root's rights: what may only be read still serves.
TEST_F(StoreBasics, AStoreThatCantBeWrittenStillReadsAndSaysWhyItDoesNotPut) {
  PISHIP_ASSERT_OK(OpenStore().Put("there"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(StoreDirectory())) {
    if (entry.is_directory()) {
      ASSERT_EQ(chmod(entry.path().c_str(), 0555), 0);
    }
  }
  ASSERT_EQ(chmod(StoreDirectory().c_str(), 0555), 0);
  ASSERT_EQ(chmod(directory_.path().c_str(), 0755), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(9);
    const auto store = Store::Open(StoreDirectory());
    if (!store) _exit(1);
    if (!store->Read(Digest::Of("there"), 5)) _exit(2);
    if (!store->Put("there")) _exit(3);
    const auto put = store->Put("new");
    if (put || put.error().code != ErrorCode::kPermissionDenied) _exit(4);
    if (store->Recall("kind", "key")) _exit(5);
    if (store->Missing({StoredObject{Digest::Of("there"), 5}})->size() != 0) _exit(6);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(StoreDirectory())) {
    if (entry.is_directory()) chmod(entry.path().c_str(), 0755);
  }
}

TEST_F(StoreBasics, AWriteThatFailsLeavesNothing) {
  const Store store = OpenStore();
  const pid_t child = fork();
  if (child == 0) {
    // A write past the limit fails with EFBIG once the signal is ignored, in the middle as a full disk does.
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto put = store.Put(std::string(5000, 'x'));
    _exit(put ? 1 : put.error().code == ErrorCode::kIoFailed ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(Files().size(), 1U);  // the epoch
}

}  // namespace
}  // namespace piship
