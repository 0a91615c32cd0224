// SPDX-License-Identifier: MIT
// What a command line says of itself, and the forms in which people meet it: --help, the reference in docs/cli, a man
// page, completion scripts. All are printed from the one table that parses, so they can't disagree with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace piship {

struct OptionText {
  std::string name;   // "--output" or "<archive>"
  std::string value;  // "<file>"; empty for a flag, the name again for an argument
  std::string help;   // one sentence
  bool required = false;
  bool repeatable = false;
  bool positional = false;
};

struct CommandText {
  std::string program;  // as it is typed, a verb with its program: "piship install"
  std::string summary;
  std::string example;
  std::vector<OptionText> options;
  std::vector<CommandText> verbs;

  // The last word of `program`.
  std::string_view name() const;
};

// A section of a man page: terms and what they mean.
struct ManSection {
  std::string title;  // "ENVIRONMENT"
  struct Entry {
    std::string term;
    std::string text;
  };
  std::vector<Entry> entries;
};

// One line without its end: "usage: ...".
std::string UsageLine(const CommandText& command);
// What --help prints.
std::string HelpText(const CommandText& command);
// The page in docs/cli, in Markdown.
std::string ReferencePage(const CommandText& command);
// A page for man(1), section 1, in the macros of man(7).
std::string ManPage(const CommandText& command, std::string_view version, const std::vector<ManSection>& sections);

}  // namespace piship
