// SPDX-License-Identifier: MIT
// PISHIP_DEBUG_TIMING: what install and launch say about their phases.
#include "tool/runtime/probe_fixture.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Timing : public ProbeTest {
 protected:
  // The names of the phases in the last line of `err`, whose times must add up.
  static std::vector<std::string> Phases(const std::string& err, const std::string& verb) {
    const std::size_t end = err.find_last_not_of('\n');
    const std::size_t begin = err.rfind('\n', end) + 1;
    auto line = json::Parse(err.substr(begin, end + 1 - begin), "the last line");
    EXPECT_TRUE(line.has_value()) << err;
    std::vector<std::string> names;
    if (!line) return names;
    EXPECT_EQ(Text(*line, "verb"), verb);
    EXPECT_EQ(line->Find("format")->integer(), 1);
    std::int64_t sum = 0;
    for (const json::Value& phase : line->Find("phases")->array()) {
      names.push_back(Text(phase, "name"));
      EXPECT_GE(phase.Find("nanoseconds")->integer(), 0);
      sum += phase.Find("nanoseconds")->integer();
      EXPECT_THAT(err, HasSubstr(" ms " + names.back() + "\n"));
    }
    EXPECT_EQ(sum, line->Find("nanoseconds")->integer());
    EXPECT_GT(sum, 0);
    return names;
  }
};

TEST_F(Timing, AnInstallSaysItsPhases) {
  environment_["PISHIP_DEBUG_TIMING"] = "1";
  const Ran first = Install(ProbeRelease(), {"--quiet"});
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.out, "");
  EXPECT_THAT(Phases(first.err, "install"), ElementsAre("settle", "inventory", "plan", "payload", "commit"));
  // The result is not disturbed.
  const Ran again = Install(ProbeRelease(), {"--quiet", "--json"});
  EXPECT_EQ(Text(Json(again), "action"), "already-installed");
  EXPECT_THAT(Phases(again.err, "install"), ElementsAre("settle", "inventory", "plan", "payload", "commit"));
}

TEST_F(Timing, ALaunchSaysItsPhasesBeforeTheEngineBegins) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  environment_["PISHIP_DEBUG_TIMING"] = "1";
  TestRelease checked = ProbeRelease();
  for (const Program& program : Ways()) {
    const Ran ran = RunProgram(program);
    EXPECT_EQ(ran.status, 0);
    EXPECT_THAT(Phases(ran.err, "launch"), ElementsAre("lease", "lock", "resources", "arguments"));
  }
  checked.version = "2.0.0";
  checked.verify = VerifyAtLaunch::kOn;
  ASSERT_EQ(Install(checked).status, 0);
  EXPECT_THAT(Phases(Start().err, "launch"), ElementsAre("lease", "lock", "payload", "resources", "arguments"));
}

TEST_F(Timing, WithoutStandardErrorALaunchGoesOn) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  environment_["PISHIP_DEBUG_TIMING"] = "1";
  for (Program program : Ways()) {
    program.closed = {2};
    Probe(program);
  }
}

TEST_F(Timing, NothingIsSaidUnlessItIsAskedFor) {
  for (const char* value : {"", "0", "yes", "11"}) {
    environment_["PISHIP_DEBUG_TIMING"] = value;
    EXPECT_EQ(Install(ProbeRelease(), {"--quiet"}).err, "") << value;
    EXPECT_EQ(Start().err, "") << value;
  }
}

}  // namespace
}  // namespace piship
