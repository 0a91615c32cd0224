// SPDX-License-Identifier: MIT
#include "base/command_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace piship {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

CommandText Tool() {
  CommandText verb{"tool add", "Adds a\\b.", "tool add x", {}, {}};
  verb.options.push_back({.name = "--level", .value = "<n>", .help = ".5 is 'half'."});
  verb.options.push_back({.name = "<file>", .value = "<file>", .help = "What.", .required = true, .positional = true});
  return {"tool", "Does things.", "tool add --level 1 x", {}, {verb}};
}

TEST(CommandTexts, AVerbsNameIsItsLastWord) {
  EXPECT_EQ(Tool().name(), "tool");
  EXPECT_EQ(Tool().verbs.front().name(), "add");
}

TEST(CommandTexts, UsageMarksWhatMayBeLeftOut) {
  EXPECT_EQ(UsageLine(Tool()), "usage: tool <verb>");
  EXPECT_EQ(UsageLine(Tool().verbs.front()), "usage: tool add [--level <n>] <file>");
}

TEST(CommandTexts, ManPageHasItsSectionsAndNoTextThatRoffWouldRead) {
  const std::string page = ManPage(Tool(), "1.2.3", {{"FILES", {{"~/.x", "'Its' file."}}}});
  EXPECT_THAT(page, StartsWith(".TH tool 1 \"\" \"PiShip 1.2.3\"\n.SH NAME\ntool \\- Does things\n"));
  EXPECT_THAT(page, HasSubstr("\n.SS add\ntool add [\\-\\-level <n>] <file>\n.PP\nAdds a\\eb.\n"));
  EXPECT_THAT(page, HasSubstr("\n.TP\n\\fB\\-\\-level <n>\\fR\n\\&.5 is 'half'.\n"));
  EXPECT_THAT(page, HasSubstr("\n.SH FILES\n.TP\n\\fB~/.x\\fR\n\\&'Its' file.\n"));
  EXPECT_THAT(page, Not(HasSubstr("\n'")));
}

}  // namespace
}  // namespace piship
