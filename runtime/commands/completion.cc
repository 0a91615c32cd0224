// SPDX-License-Identifier: MIT
// Completion scripts. Each shell has a language of its own, but the question is one: after the words so far, may an
// option stand here, a file, or the id of something installed? What may stand follows from how the table writes the
// value: a word such as <archive>, <file> or <directory> is completed to files, <id> to ids, anything else to nothing.
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/command_text.h"
#include "commands/commands.h"

namespace piship {
namespace {

bool Mentions(const OptionText& option, std::string_view word) { return option.value.find(word) != std::string::npos; }
bool TakesFile(const OptionText& option) {
  constexpr std::array<std::string_view, 3> kWords = {"archive", "file", "directory"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return Mentions(option, word); });
}
bool TakesId(const OptionText& option) { return Mentions(option, "<id"); }
// "<bash|zsh|fish>": the words themselves are what may stand there, unless they name kinds of files.
std::string Choices(const OptionText& option) {
  if (TakesFile(option) || TakesId(option) || option.value.find('|') == std::string::npos) return {};
  std::string words = option.value.substr(1, option.value.size() - 2);
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

const OptionText* Argument(const CommandText& command) {
  const auto found = std::find_if(command.options.begin(), command.options.end(),
                                  [](const OptionText& option) { return option.positional; });
  return found == command.options.end() ? nullptr : &*found;
}

// In single quotes for a shell in which a backslash between them is an ordinary character.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// fish reads \' and \\ between single quotes.
std::string FishQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Inside the brackets and between the colons of an _arguments specification.
std::string ZshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string OptionNames(const CommandText& command) {
  std::string out;
  for (const OptionText& option : command.options) {
    if (!option.positional) out += option.name + " ";
  }
  return out + "--help";
}

std::string VerbNames(const CommandText& command) {
  std::string out;
  for (const CommandText& verb : command.verbs) out += std::string(verb.name()) + " ";
  return out;
}

std::string Ids(const std::string& program) { return "$(" + program + " list 2>/dev/null | cut -d' ' -f1)"; }

// What completes a value in bash; where COMPREPLY stays empty, "-o default" completes to files.
std::string BashValue(const std::string& program, const OptionText& option) {
  const std::string choices = Choices(option);
  if (!choices.empty()) return "mapfile -t COMPREPLY < <(compgen -W " + Quoted(choices) + " -- \"$word\")";
  std::string files = TakesFile(option) ? "; compgen -f -- \"$word\"" : "";
  if (TakesId(option)) {
    return "mapfile -t COMPREPLY < <(compgen -W \"" + Ids(program) + "\" -- \"$word\"" + files + ")";
  }
  return files.empty() ? "compopt +o default" : "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")";
}

std::string BashVerb(const std::string& program, const CommandText& verb) {
  std::string values;
  for (const OptionText& option : verb.options) {
    if (option.positional || option.value.empty()) continue;
    values += "        " + option.name + ") " + BashValue(program, option) + "; return ;;\n";
  }
  const OptionText* argument = Argument(verb);
  std::string out = "    " + std::string(verb.name()) + ")\n";
  if (!values.empty()) out += "      case $previous in\n" + values + "      esac\n";
  return out + "      if [[ $word == -* ]]; then\n        mapfile -t COMPREPLY < <(compgen -W " +
         Quoted(OptionNames(verb)) + " -- \"$word\")\n      else\n        " +
         (argument != nullptr ? BashValue(program, *argument) : "compopt +o default") + "\n      fi ;;\n";
}

std::string Bash(const CommandText& command) {
  const std::string& program = command.program;
  std::string out = "# Completes " + program + " in bash: source this file, or put it into\n# " +
                    "~/.local/share/bash-completion/completions/" + program + "\n_" + program +
                    "() {\n  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n" +
                    "  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n    compopt +o default\n" +
                    "    mapfile -t COMPREPLY < <(compgen -W " +
                    Quoted(VerbNames(command) + OptionNames(command) + " --version") +
                    " -- \"$word\")\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandText& verb : command.verbs) out += BashVerb(program, verb);
  return out + "  esac\n}\ncomplete -o default -o filenames -F _" + program + " " + program + "\n";
}

std::string ZshAction(const std::string& program, const OptionText& option) {
  const std::string choices = Choices(option);
  if (!choices.empty()) return "(" + choices + ")";
  if (TakesId(option)) return TakesFile(option) ? "_" + program + "_ids_and_files" : "_" + program + "_ids";
  return TakesFile(option) ? "_files" : " ";
}

std::string Zsh(const CommandText& command) {
  const std::string& program = command.program;
  std::string out = "#compdef " + program + "\n# Completes " + program + " in zsh: put this file as _" + program +
                    " into a directory of $fpath.\n_" + program + "_ids() { compadd -- ${(f)\"" + Ids(program) +
                    "\"} }\n_" + program + "_ids_and_files() { _" + program + "_ids; _files }\n_" + program +
                    "() {\n  local -a verbs=(\n";
  for (const CommandText& verb : command.verbs) {
    out += "    " + Quoted(std::string(verb.name()) + ":" + ZshText(verb.summary)) + "\n";
  }
  out += "  )\n  if ((CURRENT == 2)); then\n    _describe verb verbs\n    compadd -- --help --version\n    return\n" +
         std::string("  fi\n  local verb=${words[2]}\n  shift words\n  ((CURRENT--))\n  case $verb in\n");
  for (const CommandText& verb : command.verbs) {
    out += "    " + std::string(verb.name()) + ")\n      _arguments \\\n";
    for (const OptionText& option : verb.options) {
      std::string action = ":" + ZshText(option.value) + ":" + ZshAction(program, option);
      if (option.positional && option.repeatable) {
        out += "        " + Quoted("*" + action) + " \\\n";
      } else if (option.positional) {
        out += "        " + Quoted(action) + " \\\n";
      } else {
        out += "        " +
               Quoted(option.name + "[" + ZshText(option.help) + "]" + (option.value.empty() ? "" : action)) + " \\\n";
      }
    }
    out += "        '--help[Prints help.]' ;;\n";
  }
  return out + "  esac\n}\n_" + program + " \"$@\"\n";
}

std::string FishValue(const std::string& program, const OptionText& option) {
  const std::string choices = Choices(option);
  if (!choices.empty()) return " -a " + FishQuoted(choices);
  std::string out = TakesFile(option) ? " -F" : "";
  if (TakesId(option)) out += " -a " + FishQuoted("(" + program + " list 2>/dev/null | string split -f1 ' ')");
  return out;
}

std::string Fish(const CommandText& command) {
  const std::string& program = command.program;
  const std::string all = "complete -c " + program;
  std::string out = "# Completes " + program + " in fish: put this file into ~/.config/fish/completions/" + program +
                    ".fish\n" + all + " -f\n" + all + " -n __fish_use_subcommand -l help -d 'Prints help.'\n" + all +
                    " -n __fish_use_subcommand -l version -d 'Prints the version.'\n";
  for (const CommandText& verb : command.verbs) {
    const std::string name(verb.name());
    out += all + " -n __fish_use_subcommand -a " + name + " -d " + FishQuoted(verb.summary) + "\n";
    const std::string seen = all + " -n '__fish_seen_subcommand_from " + name + "'";
    for (const OptionText& option : verb.options) {
      const std::string value = option.value.empty() ? "" : FishValue(program, option);
      if (option.positional) {
        if (!value.empty()) out += seen + value + "\n";
      } else {
        out += seen + " -l " + option.name.substr(2) + (option.value.empty() ? "" : " -x") + value + " -d " +
               FishQuoted(option.help) + "\n";
      }
    }
  }
  return out;
}

}  // namespace

Status RunCompletion(const CommandText& command, const std::string& shell) {
  constexpr std::array<std::pair<std::string_view, std::string (*)(const CommandText&)>, 3> kShells = {
      {{"bash", Bash}, {"zsh", Zsh}, {"fish", Fish}}};
  for (const auto& [name, script] : kShells) {
    if (shell != name) continue;
    const std::string text = script(command);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return {};
  }
  return Fail(
      Error{ErrorCode::kUsage, "there is no completion for the shell '" + shell + "'", "use bash, zsh or fish"});
}

}  // namespace piship
