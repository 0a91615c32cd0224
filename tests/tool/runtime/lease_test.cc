// SPDX-License-Identifier: MIT
// The lease: a running program keeps its version, its children do not, and what it costs to get there.
#include <sys/file.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

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

struct Trace {
  int calls = -1;  // after the launcher was executed, until the engine was
  int processes = 0;
  std::string text;
};

class Budget : public ProbeTest {
 protected:
  static constexpr const char* kStrace = "/usr/bin/strace";
  // Absent with a reason where there is no tracing here.
  std::string WhyNot() const {
    if (access(kStrace, X_OK) != 0) return "there is no strace";
    const Ran ran = RunProgram({.argv = {kStrace, "-o", "/dev/null", "/bin/true"}, .environment = environment_});
    return ran.status == 0 ? std::string() : "strace can't trace here: " + ran.err;
  }
  Trace Traced(Program program) const {
    const std::string file = temp_ / "trace";
    program.argv.insert(program.argv.begin(), {kStrace, "-f", "-qq", "-o", file, "--"});
    EXPECT_EQ(RunProgram(program).status, 0);
    Trace trace;
    std::ifstream lines(file);
    int executions = 0;
    int calls = 0;
    for (std::string line; std::getline(lines, line);) {
      trace.text += line + "\n";
      const bool executed = line.find("execve(") != std::string::npos && line.ends_with("= 0");
      if (executed && ++executions == 2) {
        trace.calls = calls;
        return trace;
      }
      ++calls;
      for (const char* call : {" clone", " fork(", " vfork("}) {
        if (line.find(call) != std::string::npos) ++trace.processes;
      }
    }
    return trace;
  }
};

TEST_F(Budget, ALaunchIsAtMostThirtySystemCallsAndNoProcess) {
  if (const std::string why = WhyNot(); !why.empty()) GTEST_SKIP() << why;
  if (PISHIP_TEST_STATIC == 0) GTEST_SKIP() << "the sanitizers make calls of their own";
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  for (const bool settled : {false, true}) {
    // Until the next verb the receipt says that nobody has waited for the disk, and the boot is looked at.
    if (settled) {
      ASSERT_EQ(Piship({"list"}).status, 0);
    }
    EXPECT_EQ(InstalledReceipt().unsynced_boot.has_value(), !settled);
    const Trace trace = Traced(Command({}));
    EXPECT_GT(trace.calls, 0) << trace.text;
    EXPECT_LE(trace.calls, 30) << trace.text;
    EXPECT_EQ(trace.processes, 0) << trace.text;
    RecordProperty(settled ? "calls" : "calls_unsettled", trace.calls);
  }
  EXPECT_EQ(Traced(Verb({"launch", "hello"})).processes, 0);
}

TEST_F(Budget, TheEngineOfPathCostsOneCallForEachDirectoryBeforeIt) {
  if (const std::string why = WhyNot(); !why.empty()) GTEST_SKIP() << why;
  if (PISHIP_TEST_STATIC == 0) GTEST_SKIP() << "the sanitizers make calls of their own";
  ASSERT_EQ(Install(TestRelease()).status, 0);
  WriteProgram(temp_ / "engine/node", *ReadFile(ProbePath()));
  environment_["PATH"] = temp_ / "engine";
  const Trace first = Traced(Command({}));
  EXPECT_LE(first.calls, 30) << first.text;
  environment_["PATH"] = "/missing/a:/missing/b:" + (temp_ / "engine");
  EXPECT_EQ(Traced(Command({})).calls, first.calls + 2);
  EXPECT_EQ(first.processes, 0);
}

TEST_F(Budget, AResourceCostsOneCallAndSoDoesItsDirectory) {
  if (const std::string why = WhyNot(); !why.empty()) GTEST_SKIP() << why;
  if (PISHIP_TEST_STATIC == 0) GTEST_SKIP() << "the sanitizers make calls of their own";
  TestRelease payload = ProbeRelease();
  ASSERT_EQ(Install(payload).status, 0);
  ASSERT_EQ(Piship({"list"}).status, 0);
  const int without = Traced(Command({})).calls;
  payload.version = "2.0.0";
  payload.resources = {{"a/1", ""}, {"a/2", ""}, {"b/3", ""}};
  ASSERT_EQ(Install(payload).status, 0);
  EXPECT_EQ(Traced(Command({})).calls, without + 3 + 3);
}

}  // namespace
}  // namespace piship
