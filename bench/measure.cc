// SPDX-License-Identifier: MIT
// piship_bench_measure <result file> <program> [<argument>...] ['|' <program>...]... ['&&' <program>...]...
// Runs programs, joined by pipes or one after the other, and writes what that took as JSON. It exists because the
// memory of a process counts as that of the child it makes until the child executes something: a Python that starts the
// children itself can't see less than its own 20 MB. No shell is involved; standard input is empty, the other streams
// are the caller's.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Usage {
  long long user_us = 0;
  long long system_us = 0;
  long long peak_kb = 0;  // of the largest process
  std::string statuses;
};

long long Microseconds(const timeval& time) { return time.tv_sec * 1'000'000LL + time.tv_usec; }

[[noreturn]] void Die(const char* what, int error_number) {
  std::fprintf(stderr, "piship_bench_measure: %s: %s\n", what, std::strerror(error_number));
  _exit(70);
}

using Stage = std::vector<char*>;  // ended by a null
using Pipeline = std::vector<Stage>;

std::vector<Pipeline> Pipelines(int argc, char** argv) {
  std::vector<Pipeline> pipelines(1, Pipeline(1));
  for (int index = 2; index < argc; ++index) {
    const bool next = std::strcmp(argv[index], "&&") == 0;
    const bool pipe = std::strcmp(argv[index], "|") == 0;
    Pipeline& pipeline = pipelines.back();
    if (next || pipe) pipeline.back().push_back(nullptr);
    if (next) pipelines.emplace_back(1);
    if (pipe) pipeline.emplace_back();
    if (!next && !pipe) pipeline.back().push_back(argv[index]);
  }
  pipelines.back().back().push_back(nullptr);
  for (const Pipeline& pipeline : pipelines) {
    for (const Stage& stage : pipeline) {
      if (stage[0] == nullptr) Die("a stage without a program", EINVAL);
    }
  }
  return pipelines;
}

pid_t Start(Stage& stage, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output != STDOUT_FILENO) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, stage[0], &actions, nullptr, stage.data(), environ);
  if (failed != 0) Die(stage[0], failed);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

bool Await(pid_t pid, Usage& usage) {
  int status = 0;
  rusage used{};
  if (wait4(pid, &status, 0, &used) != pid) Die("wait4", errno);
  usage.user_us += Microseconds(used.ru_utime);
  usage.system_us += Microseconds(used.ru_stime);
  usage.peak_kb = std::max<long long>(usage.peak_kb, used.ru_maxrss);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  usage.statuses += (usage.statuses.empty() ? "" : ", ") + std::to_string(code);
  return code == 0;
}

bool Run(Pipeline& pipeline, Usage& usage) {
  int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0) Die("/dev/null", errno);
  std::vector<pid_t> pids;
  for (std::size_t index = 0; index < pipeline.size(); ++index) {
    std::array<int, 2> ends = {-1, STDOUT_FILENO};
    const bool last = index + 1 == pipeline.size();
    if (!last && pipe2(ends.data(), O_CLOEXEC) != 0) Die("pipe", errno);
    pids.push_back(Start(pipeline[index], input, ends[1]));
    close(input);
    if (!last) close(ends[1]);
    input = ends[0];
  }
  bool good = true;
  for (const pid_t pid : pids) good = Await(pid, usage) && good;
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: piship_bench_measure <result file> <program> [<argument>...] ['|' or '&&' <program>...]\n",
               stderr);
    return 2;
  }
  auto pipelines = Pipelines(argc, argv);
  Usage usage;
  const auto begin = std::chrono::steady_clock::now();
  for (Pipeline& pipeline : pipelines) {
    if (!Run(pipeline, usage)) break;  // the statuses say so
  }
  const auto wall = std::chrono::steady_clock::now() - begin;
  std::FILE* out = std::fopen(argv[1], "we");
  if (out == nullptr) Die(argv[1], errno);
  std::fprintf(out,
               "{\"wall_ns\": %lld, \"user_us\": %lld, \"system_us\": %lld, \"peak_kb\": %lld, \"statuses\": [%s]}\n",
               static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count()),
               usage.user_us, usage.system_us, usage.peak_kb, usage.statuses.c_str());
  return std::fclose(out) == 0 ? 0 : 70;
}
