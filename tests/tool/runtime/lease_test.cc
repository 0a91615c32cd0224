// SPDX-License-Identifier: MIT
// The lease: a running program keeps its version, its children do not, and what it costs to get there.
#include <sys/file.h>
#include <sys/wait.h>

#include <csignal>

#include "tool/runtime/probe_fixture.h"

namespace piship {
namespace {

using testing::HasSubstr;
using testing::Not;

class Lease : public ProbeTest {
 protected:
  // Whether somebody holds the version, as an uninstall would ask.
  bool IsHeld(const std::string& version = "1.0.0") const {
    auto directory = OpenFile(version_directory(version), O_RDONLY | O_DIRECTORY);
    EXPECT_TRUE(directory.has_value());
    return directory && flock(directory->get(), LOCK_EX | LOCK_NB) != 0;
  }
  Program Waiting(Program program) const {
    program.environment["PROBE"] = "wait";
    return program;
  }
  static void AwaitReport(Background& running) {
    while (true) {
      const std::string line = running.ReadLine();
      if (line == "end" || line.empty()) return;
    }
  }
};

TEST_F(Lease, IsHeldAsLongAsTheEngineRuns) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  for (const Program& program : Ways()) {
    EXPECT_FALSE(IsHeld());
    Background running(Waiting(program));
    AwaitReport(running);
    EXPECT_TRUE(IsHeld());
    EXPECT_EQ(running.Wait(), 0);
    EXPECT_FALSE(IsHeld());
  }
}

TEST_F(Lease, IsGoneAfterAKill) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  Background running(Waiting(Command({})));
  AwaitReport(running);
  kill(running.pid(), SIGKILL);
  EXPECT_EQ(running.Wait(), 128 + SIGKILL);
  EXPECT_FALSE(IsHeld());
}

TEST_F(Lease, IsSharedByAllThatRun) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  Background first(Waiting(Command({})));
  Background second(Waiting(Command({})));
  AwaitReport(first);
  AwaitReport(second);
  EXPECT_EQ(first.Wait(), 0);
  EXPECT_TRUE(IsHeld());
  EXPECT_EQ(second.Wait(), 0);
  EXPECT_FALSE(IsHeld());
}

TEST_F(Lease, KeepsAnUninstallAway) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  {
    Background running(Waiting(Command({})));
    AwaitReport(running);
    const Ran ran = Piship({"uninstall", "hello"});
    EXPECT_EQ(ran.status, 4);
    EXPECT_THAT(ran.err, HasSubstr("[IN_USE]"));
    EXPECT_THAT(ran.err, HasSubstr("process " + std::to_string(running.pid())));
    EXPECT_NE(ReceiptText(), "");
    EXPECT_EQ(Piship({"verify", "hello"}).status, 0);
    EXPECT_EQ(running.Wait(), 0);
  }
  EXPECT_EQ(Piship({"uninstall", "hello"}).status, 0);
  EXPECT_FALSE(Exists(command()));
}

TEST_F(Lease, KeepsARunningVersionThroughUpdates) {
  TestRelease payload = ProbeRelease();
  ASSERT_EQ(Install(payload).status, 0);
  Background running(Waiting(Command({})));
  AwaitReport(running);
  for (const std::string version : {"1.1.0", "1.2.0", "1.3.0"}) {
    payload.version = version;
    ASSERT_EQ(Install(payload).status, 0);
  }
  EXPECT_TRUE(Exists(version_directory("1.0.0") + "/engine/node"));
  EXPECT_FALSE(Exists(version_directory("1.1.0")));
  EXPECT_EQ(running.Wait(), 0);
  payload.version = "1.4.0";
  ASSERT_EQ(Install(payload).status, 0);
  EXPECT_FALSE(Exists(version_directory("1.0.0")));
}

// Node.js passes on only the descriptors that it is told to, so a daemon that an application leaves behind does not
// keep the version.
TEST_F(Lease, IsNotInheritedByTheChildrenOfNode) {
  if (NodePath().empty()) GTEST_SKIP() << "there is no node on PATH";
  TestRelease payload;
  payload.script =
      "const { spawn, spawnSync } = require('child_process');\n"
      "console.log(spawnSync('ls', ['-l', '/proc/self/fd'], { encoding: 'utf8' }).stdout.replace(/\\n/g, ';'));\n"
      "const left = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });\n"
      "left.unref();\n"
      "console.log(left.pid);\n"
      "process.stdin.resume();\n";
  ASSERT_EQ(Install(payload).status, 0);
  Background running(Command({}));
  EXPECT_THAT(running.ReadLine(), Not(HasSubstr("/apps/hello")));
  const std::string left = running.ReadLine();
  EXPECT_TRUE(IsHeld());
  EXPECT_EQ(running.Wait(), 0);
  EXPECT_FALSE(IsHeld());
  ASSERT_NE(left, "");
  EXPECT_EQ(kill(std::stoi(left), SIGKILL), 0);
}

}  // namespace
}  // namespace piship
