// SPDX-License-Identifier: MIT
#include "base/cli.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A program with one option of each kind.
struct Tool {
  bool force = false;
  std::string output;
  std::optional<std::string> prefix;
  std::int64_t level = 3;
  std::vector<std::string> keep;
  std::string input;
  std::vector<std::string> rest;
  CommandLine line{"piship-tool", "Does a thing.", "piship-tool --output out in"};

  Tool() {
    line.Flag(force, "--force", "Does it anyway.")
        .Option(output, "--output", "<file>", "Where it goes.", Need::kRequired)
        .Option(prefix, "--prefix", "<path>", "What comes first.")
        .Option(level, "--level", "<n>", "How much.")
        .Option(keep, "--keep", "<glob>", "What stays.")
        .Positional(input, "<input>", "What is read.", Need::kOptional)
        .Rest(rest, "<args>", "What is left.");
  }
};

// A program with verbs, as the runtime is one.
struct Verbs {
  bool json = false;
  std::string archive;
  std::string id;
  std::vector<std::string> arguments;
  CommandLine line{"piship", "Installs.", "piship list"};

  Verbs() {
    line.Verb("list", "Lists.", "piship list").Flag(json, "--json", "As JSON.");
    line.Verb("install", "Installs.", "piship install x").Positional(archive, "<archive>", "What.", Need::kRequired);
    line.Verb("launch", "Starts.", "piship launch x -- --version")
        .Positional(id, "<id>", "Which.", Need::kRequired)
        .Rest(arguments, "<args>", "For the application.");
  }
};

std::string PrintedBy(CommandLine& line, const std::vector<std::string>& arguments) {
  testing::internal::CaptureStdout();
  const auto outcome = line.Parse(arguments);
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(outcome.has_value() && *outcome == CommandLine::Outcome::kDone);
  return text;
}

template <class Program>
std::string PrintedBy(const std::vector<std::string>& arguments) {
  Program program;
  return PrintedBy(program.line, arguments);
}

template <class Program>
std::string UsageMessage(const std::vector<std::string>& arguments) {
  Program program;
  const auto outcome = program.line.Parse(arguments);
  if (outcome) return "no error";
  EXPECT_EQ(outcome.error().code, ErrorCode::kUsage);
  EXPECT_THAT(outcome.error().hint, HasSubstr("--help"));
  return outcome.error().message;
}

TEST(CommandLine, TakesValuesBesideAndBehindTheName) {
  Tool tool;
  PISHIP_ASSERT_OK(tool.line.Parse({"--output=out", "--prefix", "a/b", "--level=19", "--force", "in"}));
  EXPECT_EQ(tool.output, "out");
  EXPECT_EQ(tool.prefix, "a/b");
  EXPECT_EQ(tool.level, 19);
  EXPECT_TRUE(tool.force);
  EXPECT_EQ(tool.input, "in");
  EXPECT_THAT(tool.rest, IsEmpty());
}

TEST(CommandLine, LeavesWhatIsNotGiven) {
  Tool tool;
  PISHIP_ASSERT_OK(tool.line.Parse({"--output", "out"}));
  EXPECT_EQ(tool.level, 3);
  EXPECT_FALSE(tool.force);
  EXPECT_EQ(tool.prefix, std::nullopt);
  EXPECT_THAT(tool.keep, IsEmpty());
}

TEST(CommandLine, KeepsTheOrderOfRepeatedValues) {
  Tool tool;
  PISHIP_ASSERT_OK(tool.line.Parse({"--keep", "b", "--output", "out", "--keep=a", "--keep", "b", "in"}));
  EXPECT_THAT(tool.keep, ElementsAre("b", "a", "b"));
  EXPECT_EQ(tool.input, "in");
}

TEST(CommandLine, TakesTheWordAfterAnOptionForItsValueWhateverItLooksLike) {
  Tool tool;
  PISHIP_ASSERT_OK(tool.line.Parse({"--output", "--force", "--level", "-5", "--keep", "--", "--keep", "@scope/name"}));
  EXPECT_EQ(tool.output, "--force");
  EXPECT_FALSE(tool.force);
  EXPECT_EQ(tool.level, -5);
  EXPECT_THAT(tool.keep, ElementsAre("--", "@scope/name"));
}

TEST(CommandLine, TakesEmptyAndStrangeValuesAsTheyAre) {
  Tool tool;
  PISHIP_ASSERT_OK(
      tool.line.Parse({"--output=", "--prefix=a=b", "--keep=[a,b]", "--keep", "{}", "--keep", "", "--", "{}"}));
  EXPECT_EQ(tool.output, "");
  EXPECT_EQ(tool.prefix, "a=b");
  EXPECT_THAT(tool.keep, ElementsAre("[a,b]", "{}", ""));
  EXPECT_EQ(tool.input, "{}");
}

TEST(CommandLine, EndsOptionsAtTwoDashes) {
  Tool tool;
  PISHIP_ASSERT_OK(tool.line.Parse({"--output", "o", "in", "--", "--force", "@x", "--output=p", "--", "[a,b]"}));
  EXPECT_EQ(tool.input, "in");
  EXPECT_THAT(tool.rest, ElementsAre("--force", "@x", "--output=p", "--", "[a,b]"));
  EXPECT_FALSE(tool.force);
}

TEST(CommandLine, TakesWhatIsLeftWithoutTwoDashes) {
  Tool tool;
  PISHIP_ASSERT_OK(tool.line.Parse({"in", "a", "--output", "o", "[x,y]", "{}", "--", "-z"}));
  EXPECT_EQ(tool.input, "in");
  EXPECT_THAT(tool.rest, ElementsAre("a", "[x,y]", "{}", "-z"));
}

TEST(CommandLine, RefusesASingleOptionThatIsRepeated) {
  EXPECT_EQ(UsageMessage<Tool>({"--output", "a", "--output", "a"}), "the option '--output' is given more than once");
  EXPECT_EQ(UsageMessage<Tool>({"--output", "a", "--force", "--force"}),
            "the option '--force' is given more than once");
}

TEST(CommandLine, RefusesAMissingValueAndAMissingOption) {
  EXPECT_EQ(UsageMessage<Tool>({"in", "--output"}), "the option '--output' needs a value");
  EXPECT_EQ(UsageMessage<Tool>({"in"}), "the option '--output' is missing");
  EXPECT_EQ(UsageMessage<Verbs>({"install"}), "<archive> is missing");
}

TEST(CommandLine, RefusesAValueForAFlag) {
  EXPECT_THAT(UsageMessage<Tool>({"--output", "a", "--force=yes"}), HasSubstr("'--force' takes no value"));
}

TEST(CommandLine, RefusesWhatIsNotAnInteger) {
  for (const char* text : {"", "x", "1x", " 1", "1.5", "0x10", "99999999999999999999"}) {
    EXPECT_EQ(UsageMessage<Tool>({"--output", "a", "--level", text}),
              "the option '--level' needs an integer, not '" + std::string(text) + "'");
  }
}

TEST(CommandLine, NamesTheNearestOptionForAnUnknownOne) {
  EXPECT_EQ(UsageMessage<Tool>({"a", "--ouput=x"}), "unknown option '--ouput'; did you mean '--output'?");
  EXPECT_EQ(UsageMessage<Tool>({"--output", "a", "-x"}), "unknown option '-x'");
  EXPECT_EQ(UsageMessage<Tool>({"--output", "a", "--zzzzzzzz"}), "unknown option '--zzzzzzzz'");
}

TEST(CommandLine, DoesNotAbbreviateOptions) {
  EXPECT_EQ(UsageMessage<Tool>({"--output", "a", "--forc"}), "unknown option '--forc'; did you mean '--force'?");
}

TEST(CommandLine, RefusesWhatNobodyTakes) {
  EXPECT_EQ(UsageMessage<Verbs>({"list", "more"}), "unexpected argument 'more'");
  EXPECT_EQ(UsageMessage<Verbs>({"install", "a", "--", "b"}), "unexpected argument 'b'");
}

TEST(CommandLine, FindsVerbsAndTheirOptions) {
  Verbs verbs;
  PISHIP_ASSERT_OK(verbs.line.Parse({"list", "--json"}));
  EXPECT_EQ(verbs.line.verb(), "list");
  EXPECT_TRUE(verbs.json);
}

TEST(CommandLine, RefusesAMissingAndAnUnknownVerb) {
  EXPECT_EQ(UsageMessage<Verbs>({}), "a verb is missing");
  EXPECT_EQ(UsageMessage<Verbs>({"instal", "x"}), "unknown verb 'instal'; did you mean 'install'?");
  EXPECT_EQ(UsageMessage<Verbs>({"--json", "list"}), "'--json' must stand behind 'list'");
}

TEST(CommandLine, GivesAnApplicationItsArgumentsUntouched) {
  Verbs verbs;
  PISHIP_ASSERT_OK(
      verbs.line.Parse({"launch", "mypi", "--", "--version", "install", "[a,b]", "--", "", "@f", "--a=b"}));
  EXPECT_EQ(verbs.line.verb(), "launch");
  EXPECT_EQ(verbs.id, "mypi");
  EXPECT_THAT(verbs.arguments, ElementsAre("--version", "install", "[a,b]", "--", "", "@f", "--a=b"));
}

TEST(CommandLine, TakesAVerbsNameAsAnArgument) {
  Verbs verbs;
  PISHIP_ASSERT_OK(verbs.line.Parse({"install", "list"}));
  EXPECT_EQ(verbs.line.verb(), "install");
  EXPECT_EQ(verbs.archive, "list");
}

TEST(CommandLine, PrintsHelpEvenWhereTheRestIsWrong) {
  const std::string help = PrintedBy<Tool>({"--bogus", "--level", "x", "--help", "--output"});
  EXPECT_THAT(help, StartsWith("usage: piship-tool [--force] --output <file> "));
  EXPECT_THAT(help, HasSubstr("\nexample:\n  piship-tool --output out in\n"));
  EXPECT_THAT(help, HasSubstr("--keep <glob>..."));
  EXPECT_THAT(PrintedBy<Verbs>({"launch", "--help"}), StartsWith("usage: piship launch <id> [<args>...]"));
  EXPECT_THAT(PrintedBy<Verbs>({"--help"}), HasSubstr("  install     Installs.\n"));
}

TEST(CommandLine, PrintsItsVersion) {
  EXPECT_THAT(PrintedBy<Tool>({"--version"}), testing::MatchesRegex("piship-tool [0-9.]+\n"));
}

TEST(CommandLine, ReferenceIsAValidTable) {
  bool flag = false;
  CommandLine line("piship-x", "Does x.", "piship-x");
  line.Flag(flag, "--mode", "One of a|b.");
  const std::string text = PrintedBy(line, {"--reference"});
  EXPECT_THAT(text, StartsWith("# piship-x\n\nDoes x.\n"));
  EXPECT_THAT(text, HasSubstr("| `--mode` | One of a\\|b. |\n"));
  EXPECT_FALSE(text.ends_with("\n\n"));
}

TEST(CommandLine, ReadsArgumentsFromAFile) {
  const TempDir dir;
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "arguments", "--output\nwith space\n\n--keep=@x/y\n@z\nlast"));
  Tool tool;
  PISHIP_ASSERT_OK(tool.line.Parse({"--force", "@" + dir / "arguments"}));
  EXPECT_EQ(tool.output, "with space");
  EXPECT_THAT(tool.keep, ElementsAre("@x/y"));
  EXPECT_EQ(tool.input, "@z");
  EXPECT_THAT(tool.rest, ElementsAre("last"));
}

TEST(CommandLine, SaysWhichResponseFileIsMissing) {
  const TempDir dir;
  const auto outcome = Tool().line.Parse({"@" + dir / "none"});
  PISHIP_EXPECT_ERROR(outcome, ErrorCode::kFileNotFound);
  EXPECT_THAT(outcome.error().message, HasSubstr(dir / "none"));
}

int RunWith(std::vector<std::string> words, const std::function<Status()>& run, std::string* output,
            std::string* errors) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Verbs verbs;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = RunMain(static_cast<int>(words.size()), argv.data(), verbs.line, run);
  *output = testing::internal::GetCapturedStdout();
  *errors = testing::internal::GetCapturedStderr();
  return status;
}

TEST(RunMain, ReturnsTheStatusThatBelongsToTheCode) {
  std::string output;
  std::string errors;
  EXPECT_EQ(RunWith(
                {"piship", "list"}, [] { return Status(); }, &output, &errors),
            0);
  EXPECT_EQ(output + errors, "");
  EXPECT_EQ(RunWith(
                {"piship", "lst"}, [] { return Status(); }, &output, &errors),
            2);
  EXPECT_THAT(errors, StartsWith("piship: error: unknown verb 'lst'; did you mean 'list'? [USAGE]\n  hint: "));
  EXPECT_EQ(RunWith(
                {"piship", "list"}, [] { return Status(Fail(ErrorCode::kDiskFull, "full")); }, &output, &errors),
            4);
  EXPECT_EQ(errors, "piship: error: full [DISK_FULL]\n");
}

TEST(RunMain, ReportsAnExceptionAsABug) {
  std::string output;
  std::string errors;
  EXPECT_EQ(RunWith(
                {"piship", "list"}, []() -> Status { throw std::runtime_error("oops"); }, &output, &errors),
            70);
  EXPECT_THAT(errors, HasSubstr("oops [INTERNAL]"));
}

}  // namespace
}  // namespace piship
