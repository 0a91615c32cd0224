// SPDX-License-Identifier: MIT
#include "base/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <exception>
#include <new>

#include "base/command_text.h"
#include "base/files.h"
#include "base/problems.h"
#include "base/version.h"

namespace piship {
namespace {

constexpr std::size_t kResponseFileLimit = std::size_t{16} * 1024 * 1024;

// Takes the values that were given; returns an empty string, or what is wrong with them.
using Store = std::function<std::string(const std::vector<std::string>&)>;

struct Row {
  OptionText text;
  Store store;
  CLI::Option* option = nullptr;
  std::vector<std::string> given = {};
};

Error UsageError(const std::string& program, std::string message) {
  return {ErrorCode::kUsage, std::move(message), "'" + program + " --help' lists the options"};
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string DidYouMean(const std::string& word, const std::vector<std::string>& known) {
  const std::string_view nearest = NearestName(word, known);
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

// What stands on the command line before CLI11 sees it. CLI11 would take "--name=" as "--name" with the next word for
// its value, and "@scope/name" may be the value of an option as well as a response file; only who knows which options
// take a value can tell, so both are settled here. CLI11 then sees the value after each such option as a word of its
// own.
class Words {
 public:
  Words(std::string program, std::vector<std::string> valued, std::vector<std::string> flags)
      : program_(std::move(program)), valued_(std::move(valued)), flags_(std::move(flags)) {}

  Status Add(const std::string& word) {
    if (options_ && !value_of_ && word.size() > 1 && word.front() == '@') return AddFile(word.substr(1));
    AddPlain(word);
    return {};
  }
  Status Finish() const {
    if (value_of_) return Fail(UsageError(program_, "the option '" + *value_of_ + "' needs a value"));
    if (valued_flag_) return Fail(UsageError(program_, "the option '" + *valued_flag_ + "' takes no value"));
    return {};
  }
  bool help() const { return help_; }
  const std::vector<std::string>& all() const { return words_; }
  // What stands behind "--".
  const std::vector<std::string>& tail() const { return tail_; }

 private:
  void AddPlain(const std::string& word) {
    if (!options_) {
      tail_.push_back(word);
      return;
    }
    if (value_of_) {
      words_.push_back(word);
      value_of_.reset();
      return;
    }
    const std::string name = word.substr(0, word.find('='));
    options_ = word != "--";
    if (!options_) return;
    if (name.size() < word.size() && Contains(flags_, name)) valued_flag_ = name;
    help_ = help_ || word == "--help";
    if (!Contains(valued_, name)) {
      words_.push_back(word);
      return;
    }
    words_.push_back(name);
    if (name.size() < word.size()) {
      words_.push_back(word.substr(name.size() + 1));
    } else {
      value_of_ = name;
    }
  }
  Status AddFile(const std::string& path) {
    PISHIP_TRY(const std::string text, ReadFile(path, kResponseFileLimit));
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      if (end != 0) AddPlain(std::string(rest.substr(0, end)));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return {};
  }

  std::string program_;
  std::vector<std::string> valued_;
  std::vector<std::string> flags_;
  std::vector<std::string> words_;
  std::vector<std::string> tail_;
  std::optional<std::string> value_of_;
  std::optional<std::string> valued_flag_;
  bool options_ = true;
  bool help_ = false;
};

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace

struct CommandLine::Impl {
  std::string program;
  std::string summary;
  std::string example;
  std::unique_ptr<CLI::App> owned;  // the root only
  CLI::App* app = nullptr;
  std::vector<Row> rows;
  std::vector<std::unique_ptr<CommandLine>> verbs;
  std::vector<ManSection> sections;

  // CLI11 finds the verb and the options; their values are taken raw afterwards, because its conversions read more into
  // a text than its owner wrote ("[a,b]" becomes two values, "{}" none), and arguments are what it leaves.
  void AddRow(Row row) {
    if (!row.text.positional) {
      if (row.text.value.empty()) {
        row.option = app->add_flag(row.text.name);
      } else {
        row.option = app->add_option(row.text.name, [](const CLI::results_t&) { return true; });
        row.option->expected(1)->allow_extra_args(false);
      }
      row.option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    rows.push_back(std::move(row));
  }

  void AddNames(std::vector<std::string>& valued, std::vector<std::string>& flags) const {
    for (const Row& row : rows) {
      if (!row.text.positional) (row.text.value.empty() ? flags : valued).push_back(row.text.name);
    }
    for (const auto& verb : verbs) verb->impl_->AddNames(valued, flags);
  }

  Impl& Chosen() {
    for (const auto& verb : verbs) {
      if (verb->impl_->app->parsed()) return *verb->impl_;
    }
    return *this;
  }

  Error UnknownOption(const std::string& word, const Impl& chosen) const {
    const std::string name = word.substr(0, word.find('='));
    const std::vector<std::string> known = chosen.KnownNames();
    if (Contains(known, name)) {
      return UsageError(chosen.program, "'" + name + "' must stand behind '" + chosen.app->get_name() + "'");
    }
    return UsageError(chosen.program, "unknown option '" + name + "'" + DidYouMean(name, known));
  }

  // What the options and arguments were given. An argument is a word that CLI11 left, or one from behind "--".
  Status Collect(Impl& chosen, const std::vector<std::string>& tail) const {
    std::vector<std::string> words = app->remaining();
    if (&chosen != this) {
      const std::vector<std::string> more = chosen.app->remaining();
      words.insert(words.end(), more.begin(), more.end());
    }
    for (const std::string& word : words) {
      if (word.size() > 1 && word.front() == '-') return Fail(UnknownOption(word, chosen));
    }
    words.insert(words.end(), tail.begin(), tail.end());
    if (!verbs.empty() && &chosen == this) {
      if (words.empty()) return Fail(UsageError(program, "a verb is missing"));
      return Fail(
          UsageError(program, "unknown verb '" + words.front() + "'" + DidYouMean(words.front(), KnownNames())));
    }
    auto next = words.begin();
    for (Row& row : chosen.rows) {
      row.given.clear();
      if (row.text.positional) {
        while (next != words.end() && (row.text.repeatable || row.given.empty())) row.given.push_back(*next++);
      } else if (row.text.value.empty()) {
        row.given.resize(row.option->count());
      } else {
        row.given = row.option->results();
      }
    }
    if (next == words.end()) return {};
    return Fail(UsageError(chosen.program, "unexpected argument '" + *next + "'"));
  }

  Status StoreValues() const {
    for (const Row& row : rows) {
      const std::string what = row.text.positional ? row.text.name : "the option '" + row.text.name + "'";
      if (row.text.required && row.given.empty()) return Fail(UsageError(program, what + " is missing"));
      if (!row.text.repeatable && row.given.size() > 1)
        return Fail(UsageError(program, what + " is given more than once"));
      if (row.given.empty()) continue;
      if (const std::string wrong = row.store(row.given); !wrong.empty()) {
        return Fail(UsageError(program, what + " " + wrong));
      }
    }
    return {};
  }

  CommandText Text() const {
    CommandText text{program, summary, example, {}, {}};
    for (const Row& row : rows) text.options.push_back(row.text);
    for (const auto& verb : verbs) text.verbs.push_back(verb->impl_->Text());
    return text;
  }

  std::string Help() const {
    std::string out = HelpText(Text()) + "  --help\n      Prints this text.\n";
    if (owned) out += "  --version\n      Prints the program's name and version.\n";
    return out;
  }

  std::vector<std::string> KnownNames() const {
    std::vector<std::string> names;
    for (const Row& row : rows) {
      if (!row.text.positional) names.push_back(row.text.name);
    }
    for (const auto& verb : verbs) names.push_back(verb->impl_->app->get_name());
    names.emplace_back("--help");
    return names;
  }
};

CommandLine::CommandLine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

CommandLine::CommandLine(std::string program, std::string summary, std::string example)
    : impl_(std::make_unique<Impl>()) {
  impl_->program = std::move(program);
  impl_->summary = std::move(summary);
  impl_->example = std::move(example);
  impl_->owned = std::make_unique<CLI::App>();
  impl_->app = impl_->owned.get();
  impl_->app->set_help_flag();
  impl_->app->allow_extras();
  for (const char* name : {"--help", "--version", "--reference", "--man"}) impl_->app->add_flag(name);
}

CommandLine::~CommandLine() = default;

CommandLine& CommandLine::Flag(bool& target, std::string_view name, std::string_view help) {
  impl_->AddRow(
      {.text = {.name = std::string(name), .value = "", .help = std::string(help)}, .store = [&target](const auto&) {
         target = true;
         return std::string();
       }});
  return *this;
}

CommandLine& CommandLine::Option(std::string& target, std::string_view name, std::string_view value,
                                 std::string_view help, Need need) {
  impl_->AddRow({.text = {.name = std::string(name),
                          .value = std::string(value),
                          .help = std::string(help),
                          .required = need == Need::kRequired},
                 .store = [&target](const auto& given) {
                   target = given.front();
                   return std::string();
                 }});
  return *this;
}

CommandLine& CommandLine::Option(std::optional<std::string>& target, std::string_view name, std::string_view value,
                                 std::string_view help) {
  impl_->AddRow({.text = {.name = std::string(name), .value = std::string(value), .help = std::string(help)},
                 .store = [&target](const auto& given) {
                   target = given.front();
                   return std::string();
                 }});
  return *this;
}

CommandLine& CommandLine::Option(std::int64_t& target, std::string_view name, std::string_view value,
                                 std::string_view help) {
  impl_->AddRow({.text = {.name = std::string(name), .value = std::string(value), .help = std::string(help)},
                 .store = [&target](const auto& given) {
                   const std::string& text = given.front();
                   const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target);
                   const bool good = error == std::errc() && end == text.data() + text.size();
                   return good ? std::string() : "needs an integer, not '" + text + "'";
                 }});
  return *this;
}

CommandLine& CommandLine::Option(std::vector<std::string>& target, std::string_view name, std::string_view value,
                                 std::string_view help) {
  impl_->AddRow(
      {.text = {.name = std::string(name), .value = std::string(value), .help = std::string(help), .repeatable = true},
       .store = [&target](const auto& given) {
         target = given;
         return std::string();
       }});
  return *this;
}

CommandLine& CommandLine::Positional(std::string& target, std::string_view value, std::string_view help, Need need) {
  impl_->AddRow({.text = {.name = std::string(value),
                          .value = std::string(value),
                          .help = std::string(help),
                          .required = need == Need::kRequired,
                          .positional = true},
                 .store = [&target](const auto& given) {
                   target = given.front();
                   return std::string();
                 }});
  return *this;
}

CommandLine& CommandLine::Rest(std::vector<std::string>& target, std::string_view value, std::string_view help) {
  impl_->AddRow({.text = {.name = std::string(value),
                          .value = std::string(value),
                          .help = std::string(help),
                          .repeatable = true,
                          .positional = true},
                 .store = [&target](const auto& given) {
                   target = given;
                   return std::string();
                 }});
  return *this;
}

CommandLine& CommandLine::Verb(std::string_view name, std::string_view summary, std::string_view example) {
  auto impl = std::make_unique<Impl>();
  impl->program = impl_->program + " " + std::string(name);
  impl->summary = summary;
  impl->example = example;
  impl->app = impl_->app->add_subcommand(std::string(name));
  impl->app->set_help_flag();
  impl->app->allow_extras();
  impl->app->add_flag("--help");
  impl_->app->require_subcommand(0, 1);
  impl_->verbs.push_back(std::unique_ptr<CommandLine>(new CommandLine(std::move(impl))));
  return *impl_->verbs.back();
}

CommandLine& CommandLine::Section(ManSection section) {
  impl_->sections.push_back(std::move(section));
  return *this;
}

Result<CommandLine::Outcome> CommandLine::Parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> valued;
  std::vector<std::string> flags = {"--help", "--version", "--reference", "--man"};
  impl_->AddNames(valued, flags);
  Words words(impl_->program, std::move(valued), std::move(flags));
  for (const std::string& argument : arguments) PISHIP_CHECK(words.Add(argument));
  std::vector<std::string> reversed(words.all().rbegin(), words.all().rend());  // CLI11 takes them from the back
  std::string failure;
  try {
    impl_->app->parse(reversed);
  } catch (const CLI::ParseError& error) {
    failure = error.what();
  }
  Impl& chosen = impl_->Chosen();
  const auto asked = [&](const char* name) { return impl_->app->get_option(name)->count() > 0; };
  if (words.help()) {
    Print(chosen.Help());
    return Outcome::kDone;
  }
  if (asked("--version")) {
    Print(impl_->program + " " + kVersion + "\n");
    return Outcome::kDone;
  }
  if (asked("--reference")) {
    Print(ReferencePage(Text()));
    return Outcome::kDone;
  }
  if (asked("--man")) {
    Print(ManPage(Text(), kVersion, impl_->sections));
    return Outcome::kDone;
  }
  PISHIP_CHECK(words.Finish());
  PISHIP_CHECK(impl_->Collect(chosen, words.tail()));
  if (!failure.empty()) return Fail(UsageError(chosen.program, std::move(failure)));
  PISHIP_CHECK(chosen.StoreValues());
  return Outcome::kRun;
}

std::string_view CommandLine::verb() const {
  for (const auto& verb : impl_->verbs) {
    if (verb->impl_->app->parsed()) return verb->impl_->app->get_name();
  }
  return {};
}

const std::string& CommandLine::program() const { return impl_->program; }

CommandText CommandLine::Text() const { return impl_->Text(); }

int RunMain(int argc, char** argv, CommandLine& command_line, const std::function<Status()>& run) {
  const auto report = [&](const Error& error) {
    const std::string text = FormatError(command_line.program(), error) + "\n";
    std::fflush(stdout);  // what was printed before comes first, also where both go to one place
    std::fwrite(text.data(), 1, text.size(), stderr);
    return ExitStatus(error.code);
  };
  try {
    const auto outcome = command_line.Parse({argv + std::min(argc, 1), argv + argc});
    if (!outcome) return report(outcome.error());
    if (*outcome == CommandLine::Outcome::kRun) {
      if (const Status status = run(); !status) return report(status.error());
    }
    if (std::fflush(stdout) != 0) return report(SystemError("write to standard output", errno));
    return 0;
  } catch (const std::bad_alloc&) {
    return report(SystemError("get memory", ENOMEM));
  } catch (const std::exception& exception) {
    Error error;
    error.message = std::string("unexpected: ") + exception.what();
    error.hint = "this is a bug in PiShip; please report it with this message";
    return report(error);
  }
}

}  // namespace piship
