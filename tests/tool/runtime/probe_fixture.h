// SPDX-License-Identifier: MIT
// Launches of a distribution whose engine is the probe (probe.cc), so that what an engine gets can be seen exactly.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tool/runtime/runtime_fixture.h"

namespace piship {

struct Report {
  std::string pid;
  std::string directory;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::map<int, std::string> descriptors;  // and the inode of each
  std::vector<std::string> ignored;        // signals
  std::vector<std::string> blocked;
  bool complete = false;

  static Report Parse(const std::string& text) {
    Report report;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t space = line.find(' ');
      const std::string kind = line.substr(0, space);
      const std::string value = space == std::string::npos ? std::string() : line.substr(space + 1);
      const std::size_t equal = value.find('=');
      if (kind == "pid") report.pid = value;
      if (kind == "directory") report.directory = value;
      if (kind == "argument") report.arguments.push_back(value);
      if (kind == "variable") report.environment[value.substr(0, equal)] = value.substr(equal + 1);
      if (kind == "fd") report.descriptors[std::stoi(value)] = value.substr(value.find(' ') + 1);
      if (kind == "ignored") report.ignored.push_back(value);
      if (kind == "blocked") report.blocked.push_back(value);
      if (kind == "end") report.complete = true;
    }
    return report;
  }
};

class ProbeTest : public RuntimeTest {
 protected:
  static std::string ProbePath() { return PISHIP_TEST_PROBE; }
  static TestRelease ProbeRelease() {
    TestRelease payload;
    payload.payload_engine = *ReadFile(ProbePath());
    return payload;
  }

  // Both ways of starting what is installed as "hello": by its command, and by the verb.
  std::vector<Program> Ways(const std::vector<std::string>& arguments = {}) const {
    std::vector<std::string> words = {"launch", "hello"};
    if (!arguments.empty()) words.emplace_back("--");
    words.insert(words.end(), arguments.begin(), arguments.end());
    return {Command(arguments), Verb(words)};
  }
  Report Probe(Program program) const {
    program.environment["PROBE_REPORT"] = temp_ / "report";
    std::filesystem::remove(temp_ / "report");
    const Ran ran = RunProgram(program);
    EXPECT_EQ(ran.status, 0) << ran.err;
    auto text = ReadFile(temp_ / "report");
    const Report report = Report::Parse(text ? *text : std::string());
    EXPECT_TRUE(report.complete);
    return report;
  }

  // Every way of starting fails with that status and code; what is said by the last of them.
  std::string ExpectRefused(int status, const std::string& code) const {
    std::string said;
    for (const Program& program : Ways()) {
      const Ran ran = RunProgram(program);
      EXPECT_EQ(ran.status, status) << program.argv[0] << '\n' << ran.err;
      EXPECT_THAT(ran.err, testing::HasSubstr("[" + code + "]")) << program.argv[0];
      EXPECT_EQ(ran.out, "") << program.argv[0];
      said = ran.err;
    }
    return said;
  }
  void ExpectStarts(const std::string& out = "hello\n") const {
    for (const Program& program : Ways()) {
      const Ran ran = RunProgram(program);
      EXPECT_EQ(ran.status, 0) << program.argv[0] << '\n' << ran.err;
      EXPECT_EQ(ran.out, out) << program.argv[0];
    }
  }

  void WriteReceipt(const Receipt& receipt) const {
    ASSERT_TRUE(WriteFileAtomically(ReceiptPath(install_home(), receipt.id), receipt.Text()).has_value());
  }
  // Executable.
  static void WriteProgram(const std::string& path, const std::string& content) {
    ASSERT_TRUE(MakeDirectories(ParentPath(path)).has_value());
    ASSERT_TRUE(WriteFileAtomically(path, content, 0755).has_value());
  }
  // The node of this test's PATH; empty where there is none.
  static std::string NodePath() {
    const char* variable = std::getenv("PATH");
    std::istringstream directories(variable != nullptr ? variable : "/usr/bin");
    for (std::string directory; std::getline(directories, directory, ':');) {
      const std::string candidate = JoinPath(directory, "node");
      if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
  }
};

}  // namespace piship
