// SPDX-License-Identifier: MIT
// Runs a program with everything about its surroundings given, and collects what it prints.
#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace piship {

struct Program {
  std::vector<std::string> argv;                        // argv[0] is executed
  std::string executable = {};                          // instead of argv[0]
  std::map<std::string, std::string> environment = {};  // the whole of it
  std::string input = {};                               // through a pipe
  std::string input_file = {};                          // instead of `input`
  std::set<int> closed = {};                            // of 0, 1, 2
  std::string directory = {};                           // working directory
  int umask = -1;                                       // -1: as it is
  std::size_t open_files = 0;                           // RLIMIT_NOFILE; 0: as it is
  std::size_t address_space = 0;                        // RLIMIT_AS; 0: as it is
  std::size_t file_size = 0;                            // RLIMIT_FSIZE, without core files; 0: as it is
};

struct Ran {
  int status = -1;  // the exit status, or 128 + the signal
  std::string out;
  std::string err;
};

Ran RunProgram(const Program& program);

// In a forked child: becomes the program with these descriptors as its standard streams (`err` -1: this process's own).
[[noreturn]] void BecomeProgram(const Program& program, int in, int out, int err);

// A program in the background, with its standard output to be read.
class Background {
 public:
  explicit Background(const Program& program);
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background();  // kills it
  pid_t pid() const { return pid_; }
  // The next line that it prints; empty at the end.
  std::string ReadLine();
  // Closes its standard input and waits.
  int Wait();

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace piship
