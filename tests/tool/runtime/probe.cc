// SPDX-License-Identifier: MIT
// An engine for tests: it reports what it was started with, as a real engine would see it. PROBE_REPORT names the file
// to report to (standard output where it is not set); PROBE says what it does then: "exit:<status>", "signal:<number>",
// or "wait" (until standard input ends). It needs no /proc, and looks at its descriptors before it opens one.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

constexpr int kDescriptors = 256;
constexpr int kSignals = 64;

void Add(std::string& report, std::string_view kind, std::string_view value) {
  report += kind;
  report += ' ';
  report += value;
  report += '\n';
}

std::string Descriptors() {
  std::string report;
  for (int fd = 0; fd < kDescriptors; ++fd) {
    struct stat status {};
    if (fcntl(fd, F_GETFD) < 0 || fstat(fd, &status) != 0) continue;
    Add(report, "fd", std::to_string(fd) + " " + std::to_string(status.st_ino));
  }
  return report;
}

std::string Signals() {
  std::string report;
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  for (int number = 1; number < kSignals; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
      Add(report, "ignored", std::to_string(number));
    }
    if (sigismember(&blocked, number) == 1) Add(report, "blocked", std::to_string(number));
  }
  return report;
}

// The number behind `prefix`; -1 where `what` does not begin with it.
int NumberBehind(std::string_view prefix, std::string_view what) {
  int number = -1;
  if (what.starts_with(prefix)) std::from_chars(what.data() + prefix.size(), what.data() + what.size(), number);
  return number;
}

void Act(std::string_view what) {
  if (const int status = NumberBehind("exit:", what); status >= 0) _exit(status);
  if (const int signal = NumberBehind("signal:", what); signal >= 0) raise(signal);
  char buffer[256];
  while (what == "wait" && read(0, buffer, sizeof buffer) > 0) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string report = Descriptors() + Signals();
  Add(report, "pid", std::to_string(getpid()));
  char directory[PATH_MAX];
  if (getcwd(directory, sizeof directory) != nullptr) Add(report, "directory", directory);
  for (int index = 0; index < argc; ++index) Add(report, "argument", argv[index]);
  for (char** variable = environ; *variable != nullptr; ++variable) Add(report, "variable", *variable);
  report += "end\n";
  const char* file = std::getenv("PROBE_REPORT");
  const int out = file != nullptr ? open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : 1;
  if (write(out, report.data(), report.size()) != static_cast<ssize_t>(report.size())) return 99;
  const char* what = std::getenv("PROBE");
  Act(what != nullptr ? what : "");
  return 0;
}
