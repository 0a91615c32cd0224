// SPDX-License-Identifier: MIT
// Runs a program and stops it at each of its system calls, to kill it there or to let that call fail. What is traced
// needs no switch for it. Calls are counted from the program's execve until it has ended or has become another program
// (a launched engine), over all of its threads.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/run_program.h"

namespace piship {

struct SystemCall {
  long number = -1;
  std::uint64_t arguments[6] = {};
  std::int64_t result = 0;  // as the program saw it: negative for -errno
  bool ended = false;
  // Of a call that changes or syncs the content of an open file: which file.
  dev_t device = 0;
  ino_t inode = 0;
};

enum class Fault : std::uint8_t {
  kNone,
  kKill,     // before the call does anything; so the kill before the next one is the kill after it
  kFail,     // the call does nothing and gives `error`; a close closes first, as the kernel does
  kShorten,  // a read or write gets half of the bytes that it asked for, at least one
};

struct Intervention {
  std::size_t at = SIZE_MAX;  // the number of the call, from 0
  // Counts only calls of this number, so that a fault hits one that can have it where several threads make calls in
  // another order each time. Negative: counts all.
  long of = -1;
  Fault fault = Fault::kNone;
  int error = 0;
  bool one_processor = true;  // the program sees one processor, so that it does its work in one order
};

struct Traced {
  Ran ran;  // killed: status 137
  std::vector<SystemCall> calls;
  bool became_another = false;  // executed another program, which then ran untraced
  bool hung = false;            // killed because it took longer than any test may
};

// Empty, or why nothing can be traced here.
std::string WhyNotTraceable();

Traced RunTraced(const Program& program, const Intervention& intervention);

}  // namespace piship
