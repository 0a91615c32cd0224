// SPDX-License-Identifier: MIT
// One type for every failure that is not a bug: what is wrong, with its subject, what to do next, and a stable code.
// The code alone decides the exit status (errors.def). Errors travel in Result (result.h); nothing throws across a
// function boundary and nothing below RunMain (cli.h) prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace piship {

enum class ErrorCode : std::uint8_t {
#define PISHIP_ERROR(name, code, exit_status, summary) k##name,
#include "base/errors.def"
#undef PISHIP_ERROR
};

// The stable spelling, for example "INVENTORY_INVALID".
std::string_view ErrorCodeName(ErrorCode code);
// The process exit status that belongs to the code.
int ExitStatus(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;    // what is wrong, with its subject: path, package, URL
  std::string hint = {};  // what to do next; one sentence, or empty
  std::vector<std::string> problems =
      {};  // each problem of one input, "file:line:column: text", where there are several
  std::vector<std::string> context = {};  // the operations around it, innermost first

  // The same error, seen from one operation further out ("installing acme 1.2.0").
  Error While(std::string operation) &&;
};

// The error for a failed system call: `action` is a verb phrase with its subject ("write /tmp/x"), `error_number` an
// errno.
Error SystemError(std::string_view action, int error_number);

// The text that a program prints: several lines, control characters of hostile names made visible, no final newline.
std::string FormatError(std::string_view program, const Error& error);

// `text` with control characters, DEL and invalid UTF-8 replaced by \xNN: safe to print on a terminal.
std::string Printable(std::string_view text);

}  // namespace piship
