// SPDX-License-Identifier: MIT
// Command lines: one table of options per program, from which parsing, --help and the reference in docs/cli are made.
//
// Shared behaviour: --help goes to standard output with status 0; --version prints "<name> <version>"; --reference and
// --man print the page for docs/cli and the man page, for the build; "--name value" and "--name=value" both work; a
// single option that is repeated, an unknown option (with the nearest name) and a missing value are kUsage; the word
// after an option that takes a value is its value, whatever it looks like; "--" ends the options; "@<file>", where an
// option or argument may stand, is replaced by the lines of that file (empty ones are skipped, "@" is not special in
// it).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/command_text.h"
#include "base/result.h"

namespace piship {

enum class Need : std::uint8_t { kOptional, kRequired };

class CommandLine {
 public:
  // `program` as users type it; `summary` one sentence; `example` one command line.
  CommandLine(std::string program, std::string summary, std::string example);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Targets must outlive Parse. `name` with its dashes, `value` as "<file>", `help` one sentence.
  CommandLine& Flag(bool& target, std::string_view name, std::string_view help);
  CommandLine& Option(std::string& target, std::string_view name, std::string_view value, std::string_view help,
                      Need need);
  CommandLine& Option(std::optional<std::string>& target, std::string_view name, std::string_view value,
                      std::string_view help);
  CommandLine& Option(std::int64_t& target, std::string_view name, std::string_view value, std::string_view help);
  // May be repeated; the values keep their order.
  CommandLine& Option(std::vector<std::string>& target, std::string_view name, std::string_view value,
                      std::string_view help);
  CommandLine& Positional(std::string& target, std::string_view value, std::string_view help, Need need);
  // All that is left, also after "--"; must be the last.
  CommandLine& Rest(std::vector<std::string>& target, std::string_view value, std::string_view help);
  // A verb with options of its own; it belongs to this object. A program with verbs has no options beside theirs.
  CommandLine& Verb(std::string_view name, std::string_view summary, std::string_view example);

  // A section that the man page has behind its options.
  CommandLine& Section(ManSection section);

  enum class Outcome : std::uint8_t {
    kRun,   // go on
    kDone,  // help, version or reference was asked for and printed
  };
  Result<Outcome> Parse(const std::vector<std::string>& arguments);
  // The verb that was given; empty where the program has none.
  std::string_view verb() const;
  const std::string& program() const;
  // What --help, the reference, the man page and the completion scripts are printed from.
  CommandText Text() const;

 private:
  struct Impl;
  explicit CommandLine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// main() of every program: parses, runs, prints the error if there is one, and returns the exit status. An exception
// that gets this far is a bug (status 70).
int RunMain(int argc, char** argv, CommandLine& command_line, const std::function<Status()>& run);

}  // namespace piship
