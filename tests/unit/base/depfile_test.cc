// SPDX-License-Identifier: MIT
#include "base/depfile.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

std::string Written(const std::string& output, const std::vector<std::string>& inputs) {
  const TempDir dir;
  const Status status = WriteDepfile(dir / "d", output, inputs);
  EXPECT_TRUE(status.has_value());
  const auto text = ReadFile(dir / "d");
  return text ? *text : "";
}

TEST(Depfile, ListsOneInputALine) {
  EXPECT_EQ(Written("/b/out", {"/s/a.js", "/s/dir"}), "/b/out: \\\n  /s/a.js \\\n  /s/dir\n");
}

TEST(Depfile, EscapesSpacesOnlyAndTakesWhatNinjaTakes) {
  EXPECT_EQ(Written("/b d/out", {"/s p/(a)+[b]{c}~!%@=,-_.: \xc3\xa9"}),
            "/b\\ d/out: \\\n  /s\\ p/(a)+[b]{c}~!%@=,-_.:\\ \xc3\xa9\n");
}

TEST(Depfile, MakesTheEdgeRunAlwaysWhereNinjaCantNameAnInput) {
  for (const char* path : {"/s/a#b", "/s/a$b", "/s/a\\b", "/s/it's", "/s/q&a", "/s/a;b", "/s/a\tb", "/s/a\nb",
                           "/s/a:", "/s/a*", "/s/`a`", "/s/a^", "/s/\"a\"", "/s/<a>", "/s/a|b", "/s/a?"}) {
    EXPECT_EQ(Written("/b/out", {"/s/x", path}), "/b/out: \\\n  /s/x \\\n  /dev/null/untracked\n") << path;
  }
}

TEST(Depfile, LeavesAnEqualFileAlone) {
  const TempDir dir;
  PISHIP_ASSERT_OK(WriteDepfile(dir / "d", "/o", {"/i"}));
  const auto before = std::filesystem::last_write_time(dir / "d");
  std::filesystem::last_write_time(dir / "d", before - std::chrono::hours(1));
  PISHIP_ASSERT_OK(WriteDepfile(dir / "d", "/o", {"/i"}));
  EXPECT_EQ(std::filesystem::last_write_time(dir / "d"), before - std::chrono::hours(1));
}

TEST(Depfile, RefusesNoneAndTooManyInputs) {
  const TempDir dir;
  PISHIP_EXPECT_ERROR(WriteDepfile(dir / "d", "/o", {}), ErrorCode::kLimitExceeded);
  PISHIP_EXPECT_ERROR(WriteDepfile(dir / "d", "/o", std::vector<std::string>(kDepfileLimit + 1, "/i")),
                      ErrorCode::kLimitExceeded);
  PISHIP_ASSERT_OK(WriteDepfile(dir / "d", "/o", std::vector<std::string>(kDepfileLimit, "/i")));
}

}  // namespace
}  // namespace piship
