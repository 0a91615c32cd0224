// SPDX-License-Identifier: MIT
// What may happen to each system call that the runtime makes.
#pragma once

#include <string>
#include <vector>

#include "support/traced_program.h"

namespace piship {

struct CallFaults {
  const char* name = nullptr;  // null: a call of which nothing is said here, which is an error of the table
  std::vector<int> errors = {};
  bool shortens = false;
  // The calls by which a program gets memory: without it the C library ends the program before main, or the program
  // says that it is out of memory. What is on disk must be right all the same.
  bool memory = false;
};

// The faults of this call, which depend on what it was asked for.
CallFaults FaultsOf(const SystemCall& call);

}  // namespace piship
