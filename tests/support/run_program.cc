// SPDX-License-Identifier: MIT
#include "support/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace piship {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
    read_end = ends[0];
    write_end = ends[1];
  }
};

void Limit(__rlimit_resource resource, std::size_t value) {
  const rlimit limit{value, value};
  if (value != 0 && setrlimit(resource, &limit) != 0) _exit(99);
}

int StatusOf(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Feeds and drains all pipes at once.
void Exchange(int in, std::string_view input, int out, std::string& out_text, int err, std::string& err_text) {
  fcntl(in, F_SETFL, O_NONBLOCK);
  char buffer[65536];
  while (out >= 0 || err >= 0) {
    if (in >= 0 && input.empty()) close(in), in = -1;
    pollfd fds[3] = {{in, POLLOUT, 0}, {out, POLLIN, 0}, {err, POLLIN, 0}};
    if (poll(fds, 3, -1) < 0) continue;
    if (fds[0].revents != 0) {
      const ssize_t count = write(in, input.data(), input.size());
      if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
      if (count < 0 && errno != EAGAIN) input = {};
    }
    const auto drain = [&buffer](int& fd, const pollfd& polled, std::string& text) {
      if (polled.revents == 0) return;
      const ssize_t count = read(fd, buffer, sizeof buffer);
      if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
      if (count <= 0) close(fd), fd = -1;
    };
    drain(out, fds[1], out_text);
    drain(err, fds[2], err_text);
  }
  if (in >= 0) close(in);
}

}  // namespace

void BecomeProgram(const Program& program, int in, int out, int err) {
  std::vector<char*> argv;
  for (const std::string& word : program.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> variables;
  for (const auto& [name, value] : program.environment) variables.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (const std::string& variable : variables) environment.push_back(const_cast<char*>(variable.c_str()));
  environment.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  if (!program.input_file.empty()) in = open(program.input_file.c_str(), O_RDONLY | O_CLOEXEC);
  dup2(in, 0);
  dup2(out, 1);
  if (err >= 0) dup2(err, 2);
  for (const int fd : program.closed) close(fd);
  if (!program.directory.empty() && chdir(program.directory.c_str()) != 0) _exit(98);
  if (program.umask >= 0) ::umask(static_cast<mode_t>(program.umask));
  Limit(RLIMIT_NOFILE, program.open_files);
  Limit(RLIMIT_AS, program.address_space);
  Limit(RLIMIT_FSIZE, program.file_size);
  const std::string& executable = program.executable.empty() ? program.argv[0] : program.executable;
  execve(executable.c_str(), argv.data(), environment.data());
  _exit(97);
}

Ran RunProgram(const Program& program) {
  std::signal(SIGPIPE, SIG_IGN);
  const Pipe in;
  const Pipe out;
  const Pipe err;
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(program, in.read_end, out.write_end, err.write_end);
  close(in.read_end);
  close(out.write_end);
  close(err.write_end);
  Ran ran;
  Exchange(in.write_end, program.input, out.read_end, ran.out, err.read_end, ran.err);
  ran.status = StatusOf(pid);
  return ran;
}

Background::Background(const Program& program) {
  const Pipe in;
  const Pipe out;
  pid_ = fork();
  if (pid_ == 0) BecomeProgram(program, in.read_end, out.write_end, -1);
  close(in.read_end);
  close(out.write_end);
  input_ = in.write_end;
  output_ = out.read_end;
}

Background::~Background() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    StatusOf(pid_);
  }
  if (input_ >= 0) close(input_);
  close(output_);
}

std::string Background::ReadLine() {
  std::string line;
  char c = 0;
  while (read(output_, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

int Background::Wait() {
  if (input_ >= 0) close(input_);
  input_ = -1;
  const int status = StatusOf(pid_);
  pid_ = -1;
  return status;
}

}  // namespace piship
