// SPDX-License-Identifier: MIT
#include "os/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/files.h"

namespace piship {
namespace {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Fail(SystemError("make a pipe", errno));
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Result<pid_t> Spawn(const ProcessRequest& request, int input, int output) {
  const std::vector<char*> arguments = Pointers(request.argv);
  std::vector<char*> environment;
  if (request.environment) environment = Pointers(*request.environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (request.collected == Collected::kOutput) {
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  if (request.directory) posix_spawn_file_actions_addchdir_np(&actions, request.directory->c_str());
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(),
                                 request.environment ? environment.data() : environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return Fail(ErrorCode::kFileNotFound, "there is no program '" + request.argv.front() + "'");
  if (error != 0) return Fail(SystemError("run '" + request.argv.front() + "'", error));
  return pid;
}

// Writes and reads by turns, so that neither side waits for the other for ever.
Status Exchange(Pipe& in, Pipe& out, std::string_view input, std::size_t limit, std::string& output) {
  std::array<char, std::size_t{64} * 1024> buffer{};
  if (input.empty()) in.write.Reset();
  for (;;) {
    std::array<pollfd, 2> polled = {{{out.read.get(), POLLIN, 0}, {in.write.get(), POLLOUT, 0}}};
    if (poll(polled.data(), in.write.valid() ? 2 : 1, -1) < 0 && errno != EINTR) {
      return Fail(SystemError("wait for a program", errno));
    }
    if (in.write.valid() && polled[1].revents != 0) {
      const ssize_t count = write(in.write.get(), input.data(), input.size());
      // A program that does not read its input is its own matter.
      if (count < 0 && errno != EAGAIN && errno != EINTR) in.write.Reset();
      if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
      if (input.empty()) in.write.Reset();
    }
    if (polled[0].revents == 0) continue;
    const ssize_t count = read(out.read.get(), buffer.data(), buffer.size());
    if (count == 0) return {};
    if (count < 0 && errno != EINTR) return Fail(SystemError("read from a program", errno));
    if (count > 0) output.append(buffer.data(), static_cast<std::size_t>(count));
    if (output.size() > limit) return Fail(ErrorCode::kLimitExceeded, "a program prints too much");
  }
}

}  // namespace

Result<ProcessResult> RunProcess(const ProcessRequest& request) {
  PISHIP_TRY(Pipe in, MakePipe());
  PISHIP_TRY(Pipe out, MakePipe());
  fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
  PISHIP_TRY(const pid_t pid, Spawn(request, in.read.get(), out.write.get()));
  in.read.Reset();
  out.write.Reset();
  // A write to a program that has ended must not end this one.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  ProcessResult result;
  const Status exchanged = Exchange(in, out, request.input, request.output_limit, result.output);
  sigaction(SIGPIPE, &before, nullptr);
  out.read.Reset();
  in.write.Reset();
  if (!exchanged) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  PISHIP_CHECK(exchanged);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace piship
