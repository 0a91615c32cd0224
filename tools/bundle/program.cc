// SPDX-License-Identifier: MIT
#include "bundle/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"

namespace piship::bundle {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What posix_spawn does in the child; freed at the end of the scope.
class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

int WaitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<ProgramResult> RunProgram(const ProgramRequest& request) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(SystemError("make a pipe", errno));
  UniqueFd from_child(ends[0]);
  UniqueFd to_parent(ends[1]);
  Actions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), to_parent.get(), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(actions.get(), request.directory.c_str());
  std::vector<std::string> words = {request.executable};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  std::vector<char*> argv = Pointers(words);
  std::vector<char*> environment = Pointers(request.environment);
  pid_t child = -1;
  const int failed =
      posix_spawn(&child, request.executable.c_str(), actions.get(), nullptr, argv.data(), environment.data());
  to_parent.Reset();
  if (failed != 0) return Fail(SystemError("run " + request.executable, failed));
  auto error = ReadAll(from_child.get(), "what " + request.executable + " prints", request.error_limit);
  from_child.Reset();  // a program that prints more than it may does not wait for a reader
  ProgramResult result;
  result.status = WaitFor(child);
  if (!error) return Fail(std::move(error).error());
  result.error = *std::move(error);
  return result;
}

}  // namespace piship::bundle
