// SPDX-License-Identifier: MIT
#include "base/cli.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "base/files.h"
#include "base/problems.h"
#include "base/version.h"

namespace piship {
namespace {

constexpr std::size_t kResponseFileLimit = std::size_t{16} * 1024 * 1024;

struct Row {
  std::string name;   // "--output" or "<archive>"
  std::string value;  // "<file>", empty for a flag
  std::string help;
  bool required = false;
  bool repeatable = false;
  bool positional = false;
};

Result<std::vector<std::string>> ExpandResponseFiles(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  bool options = true;
  for (const std::string& argument : arguments) {
    options = options && argument != "--";
    if (!options || argument.size() < 2 || argument.front() != '@' || argument.find('/') == std::string::npos) {
      out.push_back(argument);
      continue;
    }
    PISHIP_TRY(const std::string text, ReadFile(argument.substr(1), kResponseFileLimit));
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      if (end != 0) out.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }
  return out;
}

}  // namespace

struct CommandLine::Impl {
  std::string program;
  std::string summary;
  std::string example;
  std::unique_ptr<CLI::App> owned;  // the root only
  CLI::App* app = nullptr;
  std::vector<Row> rows;
  std::vector<std::unique_ptr<CommandLine>> verbs;
  bool help = false;
  bool reference = false;
  bool version = false;

  std::string Usage() const {
    std::string out = "usage: " + program;
    if (!verbs.empty()) out += " <verb>";
    for (const Row& row : rows) {
      std::string text = row.positional ? row.name : row.name + (row.value.empty() ? "" : " " + row.value);
      if (row.repeatable) text += "...";
      out += row.required ? " " + text : " [" + text + "]";
    }
    return out;
  }

  std::string Help() const {
    std::string out = Usage() + "\n\n" + summary + "\n\nexample:\n  " + example + "\n";
    if (!verbs.empty()) {
      out += "\nverbs:\n";
      for (const auto& verb : verbs) {
        const std::string name(verb->impl_->app->get_name());
        out += "  " + name + std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') + verb->impl_->summary + "\n";
      }
    }
    out += "\noptions:\n";
    for (const Row& row : rows) {
      const std::string name = row.name + (row.value.empty() || row.positional ? "" : " " + row.value);
      out += "  " + name + (row.repeatable ? "..." : "") + "\n      " + row.help + "\n";
    }
    out += "  --help\n      Prints this text.\n";
    if (owned) out += "  --version\n      Prints the program's name and version.\n";
    return out;
  }

  void AppendReference(std::string& out, int level) const {
    out += std::string(static_cast<std::size_t>(level), '#') + " " + program + "\n\n" + summary + "\n\n```text\n" +
           Usage() + "\n```\n\nExample: `" + example + "`\n\n";
    if (!rows.empty()) {
      out += "| Option | Meaning |\n| --- | --- |\n";
      for (const Row& row : rows) {
        out += "| `" + row.name + (row.value.empty() || row.positional ? "" : " " + row.value) + "`";
        if (row.required) out += " (required)";
        if (row.repeatable) out += " (may be repeated)";
        out += " | " + row.help + " |\n";
      }
      out += "\n";
    }
    for (const auto& verb : verbs) verb->impl_->AppendReference(out, level + 1);
  }

  std::vector<std::string> KnownNames() const {
    std::vector<std::string> names;
    for (const Row& row : rows) {
      if (!row.positional) names.push_back(row.name);
    }
    for (const auto& verb : verbs) names.push_back(verb->impl_->app->get_name());
    names.emplace_back("--help");
    return names;
  }

  Error UsageError(std::string message) const {
    Error error;
    error.code = ErrorCode::kUsage;
    error.message = std::move(message);
    error.hint = "'" + program + " --help' lists the options";
    return error;
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
  impl_->app->add_flag("--help", impl_->help);
  impl_->app->add_flag("--version", impl_->version);
  impl_->app->add_flag("--reference", impl_->reference);
  impl_->app->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

CommandLine::~CommandLine() = default;

CommandLine& CommandLine::Flag(bool& target, std::string_view name, std::string_view help) {
  impl_->app->add_flag(std::string(name), target)->disable_flag_override();
  impl_->rows.push_back({std::string(name), "", std::string(help)});
  return *this;
}

CommandLine& CommandLine::Option(std::string& target, std::string_view name, std::string_view value,
                                 std::string_view help, Need need) {
  impl_->app->add_option(std::string(name), target);
  impl_->rows.push_back({std::string(name), std::string(value), std::string(help), need == Need::kRequired});
  return *this;
}

CommandLine& CommandLine::Option(std::optional<std::string>& target, std::string_view name, std::string_view value,
                                 std::string_view help) {
  impl_->app->add_option_function<std::string>(std::string(name), [&target](const std::string& given) { target = given; });
  impl_->rows.push_back({std::string(name), std::string(value), std::string(help)});
  return *this;
}

CommandLine& CommandLine::Option(std::int64_t& target, std::string_view name, std::string_view value,
                                 std::string_view help) {
  impl_->app->add_option(std::string(name), target);
  impl_->rows.push_back({std::string(name), std::string(value), std::string(help)});
  return *this;
}

CommandLine& CommandLine::Option(std::vector<std::string>& target, std::string_view name, std::string_view value,
                                 std::string_view help) {
  // One value each time: without allow_extra_args(false) an option would swallow the positional arguments after it.
  impl_->app->add_option(std::string(name), target)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->allow_extra_args(false);
  impl_->rows.push_back({std::string(name), std::string(value), std::string(help), false, true});
  return *this;
}

CommandLine& CommandLine::Positional(std::string& target, std::string_view value, std::string_view help, Need need) {
  std::string name(value.substr(1, value.size() - 2));
  impl_->app->add_option(name, target);
  impl_->rows.push_back({std::string(value), std::string(value), std::string(help), need == Need::kRequired, false, true});
  return *this;
}

CommandLine& CommandLine::Rest(std::vector<std::string>& target, std::string_view value, std::string_view help) {
  std::string name(value.substr(1, value.size() - 2));
  impl_->app->add_option(name, target)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  impl_->rows.push_back({std::string(value), std::string(value), std::string(help), false, true, true});
  return *this;
}

CommandLine& CommandLine::Verb(std::string_view name, std::string_view summary, std::string_view example) {
  auto impl = std::make_unique<Impl>();
  impl->program = impl_->program + " " + std::string(name);
  impl->summary = summary;
  impl->example = example;
  impl->app = impl_->app->add_subcommand(std::string(name));
  impl->app->set_help_flag();
  impl->app->add_flag("--help", impl->help);
  impl_->app->require_subcommand(0, 1);
  impl_->verbs.push_back(std::unique_ptr<CommandLine>(new CommandLine(std::move(impl))));
  return *impl_->verbs.back();
}

Result<CommandLine::Outcome> CommandLine::Parse(const std::vector<std::string>& arguments) {
  PISHIP_TRY(std::vector<std::string> expanded, ExpandResponseFiles(arguments));
  std::vector<std::string> reversed(expanded.rbegin(), expanded.rend());  // CLI11 takes them from the back
  std::string failure;
  try {
    impl_->app->parse(reversed);
  } catch (const CLI::ParseError& error) {
    failure = error.what();
  }
  Impl* chosen = impl_.get();
  for (const auto& verb : impl_->verbs) {
    if (verb->impl_->app->parsed()) chosen = verb->impl_.get();
  }
  if (impl_->help || chosen->help) {
    const std::string text = chosen->Help();
    std::fwrite(text.data(), 1, text.size(), stdout);
    return Outcome::kDone;
  }
  if (impl_->version) {
    std::printf("%s %s\n", impl_->program.c_str(), kVersion);
    return Outcome::kDone;
  }
  if (impl_->reference) {
    const std::string text = Reference();
    std::fwrite(text.data(), 1, text.size(), stdout);
    return Outcome::kDone;
  }
  if (!failure.empty()) {
    for (const std::string& word : expanded) {
      const std::string name = word.substr(0, word.find('='));
      if (failure.find(word) == std::string::npos) continue;
      const std::vector<std::string> known = chosen->KnownNames();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string_view nearest = NearestName(name, known);
      std::string message = (name.starts_with("-") ? "unknown option '" : "unexpected argument '") + name + "'";
      if (!nearest.empty()) message += "; did you mean '" + std::string(nearest) + "'?";
      return Fail(chosen->UsageError(std::move(message)));
    }
    return Fail(chosen->UsageError(std::move(failure)));
  }
  if (!impl_->verbs.empty() && chosen == impl_.get()) return Fail(impl_->UsageError("a verb is missing"));
  for (const Row& row : chosen->rows) {
    if (!row.required) continue;
    const std::string name = row.positional ? row.name.substr(1, row.name.size() - 2) : row.name;
    if (chosen->app->get_option(name)->count() == 0) return Fail(chosen->UsageError(row.name + " is missing"));
  }
  return Outcome::kRun;
}

std::string_view CommandLine::verb() const {
  for (const auto& verb : impl_->verbs) {
    if (verb->impl_->app->parsed()) return verb->impl_->app->get_name();
  }
  return {};
}

const std::string& CommandLine::program() const { return impl_->program; }

std::string CommandLine::Reference() const {
  std::string out;
  impl_->AppendReference(out, 1);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

int RunMain(int argc, char** argv, CommandLine& command_line, const std::function<Status()>& run) {
  const auto report = [&](const Error& error) {
    const std::string text = FormatError(command_line.program(), error) + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
    return ExitStatus(error.code);
  };
  try {
    const auto outcome = command_line.Parse({argv + 1, argv + argc});
    if (!outcome) return report(outcome.error());
    if (*outcome == CommandLine::Outcome::kRun) {
      if (const Status status = run(); !status) return report(status.error());
    }
    if (std::fflush(stdout) != 0) return report(SystemError("write to standard output", errno));
    return 0;
  } catch (const std::exception& exception) {
    Error error;
    error.message = std::string("unexpected: ") + exception.what();
    error.hint = "this is a bug in PiShip; please report it with this message";
    return report(error);
  }
}

}  // namespace piship
