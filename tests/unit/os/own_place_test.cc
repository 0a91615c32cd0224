// SPDX-License-Identifier: MIT
#include "os/own_place.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

namespace fs = std::filesystem;

// Starts a copy of this test program that prints its own place to a file; gives what it printed.
std::string PlaceToldBy(const std::string& executable, const std::string& output, bool replaced = false) {
  const pid_t pid = fork();
  if (pid == 0) {
    setenv("PISHIP_TEST_OWN_PLACE", output.c_str(), 1);
    if (replaced) setenv("PISHIP_TEST_OWN_PLACE_REPLACE", executable.c_str(), 1);
    execl(executable.c_str(), "another name", "--gtest_filter=OwnPlaceChild.Tells", nullptr);
    _exit(97);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return ReadFile(output).value_or("nothing");
}

// Not a test of its own: what the children of the tests below do.
TEST(OwnPlaceChild, Tells) {
  const char* output = std::getenv("PISHIP_TEST_OWN_PLACE");
  if (output == nullptr) GTEST_SKIP() << "only for the tests that start it";
  if (const char* self = std::getenv("PISHIP_TEST_OWN_PLACE_REPLACE")) {
    ASSERT_TRUE(WriteFileAtomically(self, "a newer one").has_value());
  }
  ASSERT_TRUE(WriteFileAtomically(output, OwnPlace().value_or("unknown")).has_value());
}

class OwnPlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(directory_ / "real");
    fs::copy_file(fs::read_symlink("/proc/self/exe"), program_);
    fs::create_directory_symlink("real", directory_ / "linked");
    fs::create_symlink("linked/program", directory_ / "command");
  }
  TempDir directory_;
  const std::string program_ = fs::canonical(directory_.path()).string() + "/real/program";
  const std::string output_ = directory_ / "output";
};

TEST_F(OwnPlaceTest, IsTheFileAndNotWhatArgvSays) { EXPECT_EQ(PlaceToldBy(program_, output_), program_); }

TEST_F(OwnPlaceTest, HasNoLinkInIt) { EXPECT_EQ(PlaceToldBy(directory_ / "command", output_), program_); }

TEST_F(OwnPlaceTest, StaysWhenANewerFileIsRenamedOverIt) { EXPECT_EQ(PlaceToldBy(program_, output_, true), program_); }

}  // namespace
}  // namespace piship
