// SPDX-License-Identifier: MIT
#include "home/managed_home.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/files.h"
#include "model/receipt.h"
#include "model/release.h"
#include "support/archive_builder.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship::managed_home {
namespace {

using testing::HasSubstr;

class ManagedHomeTest : public testing::Test {
 protected:
  ManagedHomeTest() { options_ = {dir_ / "release.json", "dpkg", "hello-friend", dir_ / "root/opt/hello-friend"}; }

  // Writes the archive of these files and a release.json that names it.
  void WriteRelease(const std::vector<TestFile>& files) {
    const TestArchive archive(files);
    const std::string bytes = archive.Pack();
    release_.id = "hello";
    release_.command = "hi";
    release_.version = "1.0.0";
    release_.platform = *Platform::Parse("linux-arm64");  // of any machine
    release_.archive_name = "hello-1.0.0-linux-arm64.tar.zst";
    release_.archive_bytes = bytes.size();
    release_.archive = Digest::Of(bytes);
    release_.inventory = Digest::Of(archive.inventory_text);
    release_.lock = Digest::Of("lock");
    PISHIP_ASSERT_OK(WriteFileAtomically(dir_ / release_.archive_name, bytes));
    PISHIP_ASSERT_OK(WriteFileAtomically(options_.release, release_.Text()));
  }
  std::string Home(const std::string& path) const { return JoinPath(options_.output, path); }
  static unsigned ModeOf(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }

  static std::vector<TestFile> Files() {
    return {{"piship.lock", "lock"}, {"bin/piship", "runtime", FileMode::kExecutable}, {"app/main.js", "main()"}};
  }

  TempDir dir_;
  Options options_;
  Release release_;
};

TEST_F(ManagedHomeTest, HoldsThePayloadTheLauncherAndAReceiptThatNamesThePackage) {
  auto files = Files();
  files.push_back({"app/large", std::string(std::size_t{20} << 20, 'l')});  // handed on in parts
  WriteRelease(files);
  const mode_t before = umask(077);
  const Status made = Make(options_);
  umask(before);
  PISHIP_ASSERT_OK(made);
  EXPECT_EQ(*ReadFile(Home("apps/hello/1.0.0/app/main.js")), "main()");
  EXPECT_EQ(ReadFile(Home("apps/hello/1.0.0/app/large"))->size(), std::size_t{20} << 20);
  EXPECT_EQ(Digest::Of(*ReadFile(Home("apps/hello/1.0.0/metadata/inventory"))), release_.inventory);
  EXPECT_EQ(*ReadFile(Home("apps/hello/launch")), "runtime");
  const std::string text = *ReadFile(Home("receipts/hello.json"));
  const auto receipt = Receipt::Parse(text, "hello.json");
  PISHIP_ASSERT_OK(receipt);
  ASSERT_TRUE(receipt->managed_by.has_value());
  EXPECT_EQ(receipt->managed_by->manager + " " + receipt->managed_by->package, "dpkg hello-friend");
  EXPECT_EQ(receipt->command, "hi");
  EXPECT_EQ(receipt->active.archive, release_.archive);
  EXPECT_EQ(receipt->active.inventory, release_.inventory);
  EXPECT_EQ(receipt->active.lock, release_.lock);
  EXPECT_EQ(receipt->active.origin, Origin::kSha256);
  EXPECT_FALSE(receipt->unsynced_boot.has_value());
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options_.output)) {
    ++entries;
    const bool executable =
        entry.is_directory() || entry.path().filename() == "launch" || entry.path().filename() == "piship";
    EXPECT_EQ(ModeOf(entry.path()), executable ? 0755U : 0644U) << entry.path();
  }
  EXPECT_EQ(entries, 14U);  // 5 files of the payload, the launcher, the receipt and 7 directories
  EXPECT_EQ(ModeOf(options_.output), 0755U);
}

TEST_F(ManagedHomeTest, RefusesAnArchiveThatItsReleaseDoesNotName) {
  WriteRelease(Files());
  auto other = Files();
  other[2].content = "other()";
  PISHIP_ASSERT_OK(WriteFileAtomically(dir_ / release_.archive_name, TestArchive(other).Pack()));
  const Status made = Make(options_);
  PISHIP_EXPECT_ERROR(made, ErrorCode::kIntegrityFailed);
  EXPECT_FALSE(std::filesystem::exists(Home("receipts")));
  release_.lock = Digest::Of("another lock");
  PISHIP_ASSERT_OK(WriteFileAtomically(dir_ / release_.archive_name, TestArchive(Files()).Pack()));
  PISHIP_ASSERT_OK(WriteFileAtomically(options_.release, release_.Text()));
  options_.output = dir_ / "another";
  PISHIP_EXPECT_ERROR(Make(options_), ErrorCode::kIntegrityFailed);
}

TEST_F(ManagedHomeTest, RefusesAPayloadWithoutALauncher) {
  WriteRelease({{"piship.lock", "lock"}, {"app/main.js", "main()"}});
  PISHIP_EXPECT_ERROR(Make(options_), ErrorCode::kPayloadInvalid);
}

TEST_F(ManagedHomeTest, WritesIntoNothingThatIsThere) {
  WriteRelease(Files());
  PISHIP_ASSERT_OK(Make(options_));
  PISHIP_EXPECT_ERROR(Make(options_), ErrorCode::kFileInvalid);
  EXPECT_EQ(*ReadFile(Home("apps/hello/1.0.0/app/main.js")), "main()");
}

TEST_F(ManagedHomeTest, RefusesNamesThatNoManagerHas) {
  WriteRelease(Files());
  for (const char* name : {"", "x", "Hello", "a b", "-x", "x/y"}) {
    SCOPED_TRACE(name);
    options_.package = name;
    PISHIP_EXPECT_ERROR(Make(options_), ErrorCode::kNameInvalid);
  }
  options_.package = "hello";
  options_.manager = "d pkg";
  PISHIP_EXPECT_ERROR(Make(options_), ErrorCode::kNameInvalid);
}

}  // namespace
}  // namespace piship::managed_home
