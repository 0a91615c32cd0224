// SPDX-License-Identifier: MIT
// What an engine gets from a launch: exactly what the caller gave, and what the lock adds.
#include <unistd.h>

#include <csignal>

#include "tool/runtime/probe_fixture.h"

namespace piship {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class Launch : public ProbeTest {
 protected:
  std::string engine() const { return version_directory() + "/engine/node"; }
  std::string entry() const { return version_directory() + "/app/main.js"; }
  // The descriptors that a program has which this test starts without a launcher.
  std::map<int, std::string> Inherited() const {
    return Probe({.argv = {ProbePath()}, .environment = environment_}).descriptors;
  }
};

TEST_F(Launch, ArgumentsArriveVerbatim) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  const std::vector<std::string> given = {"--version", "--help",  "",  "-",   "--",       "@file",  "--json=1",
                                          "-x",        "a  b\tc", "*", "'\"", "\xff\xfe", "launch", ""};
  std::vector<std::string> expected = {engine(), entry()};
  expected.insert(expected.end(), given.begin(), given.end());
  for (const Program& program : Ways(given)) EXPECT_EQ(Probe(program).arguments, expected) << program.argv[0];
}

TEST_F(Launch, ManyArgumentsArrive) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  const std::vector<std::string> given(20'000, "argument");
  for (const Program& program : Ways(given)) EXPECT_EQ(Probe(program).arguments.size(), 20'002U) << program.argv[0];
}

TEST_F(Launch, TheWorkingDirectoryIsTheCallers) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  ASSERT_TRUE(MakeDirectories(temp_ / "elsewhere").has_value());
  for (Program program : Ways()) {
    program.directory = temp_ / "elsewhere";
    EXPECT_EQ(Probe(program).directory, temp_ / "elsewhere");
  }
}

TEST_F(Launch, TheEngineIsTheProcessThatWasStarted) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  for (Program program : Ways()) {
    program.environment["PROBE"] = "wait";
    Background running(program);
    std::string report;
    for (std::string line = running.ReadLine(); line != "end" && !line.empty(); line = running.ReadLine()) {
      report += line + "\n";
    }
    EXPECT_EQ(Report::Parse(report).pid, std::to_string(running.pid()));
    EXPECT_EQ(running.Wait(), 0);
  }
}

TEST_F(Launch, StandardStreamsAreTheCallers) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  Append(temp_ / "input", "text");
  struct stat status {};
  ASSERT_EQ(stat((temp_ / "input").c_str(), &status), 0);
  for (Program program : Ways()) {
    program.input_file = temp_ / "input";
    EXPECT_EQ(Probe(program).descriptors[0], std::to_string(status.st_ino));
  }
  TestRelease script;
  script.version = "2.0.0";
  script.payload_engine = "#!/bin/sh\ncat; echo error >&2\n";
  ASSERT_EQ(Install(script).status, 0);
  for (Program program : Ways()) {
    program.input = "through the pipe";
    const Ran ran = RunProgram(program);
    EXPECT_EQ(ran.out, "through the pipe");
    EXPECT_EQ(ran.err, "error\n");
  }
}

TEST_F(Launch, ClosedStreamsStayClosedAndOnlyTheLeaseIsAdded) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  struct stat payload {};
  ASSERT_EQ(stat(version_directory().c_str(), &payload), 0);
  const std::map<int, std::string> inherited = Inherited();
  for (const std::set<int>& closed : {std::set<int>{}, {0}, {1}, {2}, {0, 1}, {1, 2}, {0, 1, 2}}) {
    for (Program program : Ways()) {
      program.closed = closed;
      const Report report = Probe(program);
      for (const int fd : closed) EXPECT_FALSE(report.descriptors.contains(fd)) << fd;
      std::map<int, std::string> added = report.descriptors;
      for (const auto& [fd, inode] : inherited) added.erase(fd);
      ASSERT_EQ(added.size(), 1U) << program.argv[0];
      EXPECT_GE(added.begin()->first, 3);
      EXPECT_LT(added.begin()->first, 16);
      EXPECT_EQ(added.begin()->second, std::to_string(payload.st_ino));
    }
  }
}

// The descriptors of the launch's own errors must not hit a file either.
TEST_F(Launch, AFailureWithClosedStreamsHasItsStatusAndTouchesNoFile) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  std::filesystem::remove(version_directory() + "/engine/node");
  const std::string before = ReceiptText();
  for (Program program : Ways()) {
    program.closed = {0, 1, 2};
    EXPECT_EQ(RunProgram(program).status, 127);
  }
  EXPECT_EQ(ReceiptText(), before);
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
}

TEST_F(Launch, ExitStatusesPassThrough) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  for (const int status : {0, 1, 3, 42, 70, 125, 126, 127, 255}) {
    for (Program program : Ways()) {
      program.environment["PROBE"] = "exit:" + std::to_string(status);
      EXPECT_EQ(RunProgram(program).status, status);
    }
  }
}

TEST_F(Launch, DeathBySignalPassesThrough) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  for (const int number : {SIGKILL, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1}) {
    for (Program program : Ways()) {
      program.environment["PROBE"] = "signal:" + std::to_string(number);
      EXPECT_EQ(RunProgram(program).status, 128 + number);
    }
  }
}

TEST_F(Launch, SignalDispositionsAndTheMaskAreTheCallers) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  const Report plain = Probe({.argv = {ProbePath()}, .environment = environment_});
  for (const Program& program : Ways()) {
    const Report report = Probe(program);
    EXPECT_EQ(report.ignored, plain.ignored);
    EXPECT_EQ(report.blocked, plain.blocked);
  }
  for (Program program : Ways()) {
    program.executable = "/usr/bin/env";
    program.argv.insert(program.argv.begin(),
                        {"env", "--ignore-signal=PIPE", "--ignore-signal=HUP", "--block-signal=USR1"});
    const Report report = Probe(program);
    EXPECT_THAT(report.ignored, Contains(std::to_string(SIGPIPE)));
    EXPECT_THAT(report.ignored, Contains(std::to_string(SIGHUP)));
    EXPECT_THAT(report.blocked, Contains(std::to_string(SIGUSR1)));
  }
}

TEST_F(Launch, TheLocksArgumentsComeBeforeTheUsers) {
  TestRelease payload = ProbeRelease();
  payload.arguments = {"--home={payload}/x", "{resources}", "{{state}", "", "--state", "{state}"};
  ASSERT_EQ(Install(payload).status, 0);
  const std::string directory = version_directory();
  for (const Program& program : Ways({"--users"})) {
    EXPECT_THAT(Probe(program).arguments,
                ElementsAre(engine(), entry(), "--home=" + directory + "/x", directory + "/resources", "{state}", "",
                            "--state", temp_ / "state/hello", "--users"));
  }
}

TEST_F(Launch, TheEnvironmentIsTheCallersWithTheLocksOnTop) {
  TestRelease payload = ProbeRelease();
  payload.environment = {{"APP_HOME", "{payload}"}, {"APP_STATE", "{state}/db"}, {"APP_EMPTY", ""}, {"TAKEN", "lock"}};
  ASSERT_EQ(Install(payload).status, 0);
  EXPECT_FALSE(Exists(temp_ / "state/hello"));
  environment_["TAKEN"] = "user";
  environment_["USERS"] = "a=b";
  for (const Program& program : Ways()) {
    std::map<std::string, std::string> expected = environment_;
    expected["PROBE_REPORT"] = temp_ / "report";
    expected["APP_HOME"] = version_directory();
    expected["APP_STATE"] = temp_ / "state/hello/db";
    expected["APP_EMPTY"] = "";
    expected["TAKEN"] = "lock";
    EXPECT_EQ(Probe(program).environment, expected);
  }
  struct stat status {};
  ASSERT_EQ(stat((temp_ / "state/hello").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
}

TEST_F(Launch, TheStateHomeIsNeededOnlyWhereTheLockNamesIt) {
  TestRelease payload = ProbeRelease();
  ASSERT_EQ(Install(payload).status, 0);
  payload.version = "2.0.0";
  payload.environment = {{"APP_STATE", "{state}"}};
  Program program = Command({});
  program.environment = {};
  EXPECT_THAT(Probe(program).arguments, ElementsAre(engine(), entry()));
  ASSERT_EQ(Install(payload).status, 0);
  const Ran ran = RunProgram(program);
  EXPECT_EQ(ran.status, 125);
  EXPECT_THAT(ran.err, testing::HasSubstr("[HOME_INVALID]"));
}

TEST_F(Launch, AMovedInstallHomeStillWorks) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  std::filesystem::rename(install_home(), temp_ / "moved");
  const std::string launcher = LauncherPath(temp_ / "moved", "hello");
  const std::string moved = VersionDirectory(temp_ / "moved", "hello", "1.0.0");
  EXPECT_THAT(Probe({.argv = {launcher}, .environment = environment_}).arguments,
              ElementsAre(moved + "/engine/node", moved + "/app/main.js"));
}

TEST_F(Launch, AnInstallHomeBehindALinkWorks) {
  ASSERT_TRUE(MakeDirectories(temp_ / "real").has_value());
  std::filesystem::create_directory_symlink(temp_ / "real", install_home());
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  for (const Program& program : Ways()) {
    struct stat expected {};
    struct stat actual {};
    ASSERT_EQ(stat(entry().c_str(), &expected), 0);
    ASSERT_EQ(stat(Probe(program).arguments.at(1).c_str(), &actual), 0);
    EXPECT_EQ(actual.st_ino, expected.st_ino);
  }
}

TEST_F(Launch, EveryWayToNameTheCommandWorks) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  std::filesystem::create_symlink(temp_ / "bin/hello", temp_ / "other name");
  const std::string path = (temp_ / "bin") + ":/usr/bin:/bin";
  std::vector<Program> ways = {
      {.argv = {"./hello", "x"}, .directory = temp_ / "bin"},
      {.argv = {"bin/../bin//hello", "x"}, .directory = temp_.path()},
      {.argv = {"hello", "x"}, .executable = command()},
      {.argv = {"", "x"}, .executable = command()},
      {.argv = {"piship", "x"}, .executable = command()},
      {.argv = {temp_ / "other name", "x"}},
      {.argv = {LauncherPath(install_home(), "hello"), "x"}},
      {.argv = {"/bin/sh", "-c", "exec hello x"}},
  };
  for (Program& program : ways) {
    program.environment = {{"PATH", path}};
    EXPECT_THAT(Probe(program).arguments, ElementsAre(engine(), entry(), "x")) << program.argv[0];
  }
}

// Other homes in the environment are of no interest to an installed command.
TEST_F(Launch, TheCommandIgnoresTheHomesOfTheEnvironment) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  environment_["PISHIP_INSTALL_HOME"] = "relative";
  environment_["PISHIP_BIN_HOME"] = temp_ / "elsewhere";
  EXPECT_THAT(Probe(Command({})).arguments, ElementsAre(engine(), entry()));
}

TEST_F(Launch, ACopyOfTheRuntimeElsewhereIsNotALauncher) {
  const std::string copy = temp_ / "apps/hello/launch-not";
  WriteProgram(copy, *ReadFile(RuntimePath()));
  const Ran ran = RunProgram({.argv = {copy, "--help"}, .environment = environment_});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, testing::HasSubstr("install"));
}

TEST_F(Launch, WritesNothing) {
  ASSERT_EQ(Install(ProbeRelease()).status, 0);
  const std::string before = ReceiptText();
  for (const Program& program : Ways()) Probe(program);
  EXPECT_EQ(ReceiptText(), before);
  EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
  EXPECT_THAT(Names(temp_ / "state"), IsEmpty());
}

}  // namespace
}  // namespace piship
