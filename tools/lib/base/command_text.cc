// SPDX-License-Identifier: MIT
#include "base/command_text.h"

namespace piship {
namespace {

// A cell of a Markdown table.
std::string Cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string WithValue(const OptionText& option) {
  return option.name + (option.value.empty() || option.positional ? "" : " " + option.value);
}

void AppendReference(std::string& out, const CommandText& command, std::size_t level) {
  out += std::string(level, '#') + " " + command.program + "\n\n" + command.summary + "\n\n```text\n" +
         UsageLine(command) + "\n```\n\nExample: `" + command.example + "`\n\n";
  if (!command.options.empty()) {
    out += "| Option | Meaning |\n| --- | --- |\n";
    for (const OptionText& option : command.options) {
      out += "| `" + Cell(WithValue(option)) + "`";
      if (option.required) out += " (required)";
      if (option.repeatable) out += " (may be repeated)";
      out += " | " + Cell(option.help) + " |\n";
    }
    out += "\n";
  }
  for (const CommandText& verb : command.verbs) AppendReference(out, verb, level + 1);
}

// Text for roff: a backslash or a hyphen means something to it, and so does a dot or a quote that begins a line.
std::string Roff(std::string_view text) {
  std::string out;
  if (!text.empty() && (text.front() == '.' || text.front() == '\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Entry(const std::string& term, const std::string& text) {
  return ".TP\n\\fB" + Roff(term) + "\\fR\n" + Roff(text) + "\n";
}

std::string Options(const std::vector<OptionText>& options) {
  std::string out;
  for (const OptionText& option : options) {
    out += Entry(WithValue(option) + (option.repeatable ? "..." : ""), option.help);
  }
  return out;
}

std::string Synopsis(const CommandText& command) {
  constexpr std::string_view kPrefix = "usage: ";
  return Roff(std::string_view(UsageLine(command)).substr(kPrefix.size())) + "\n";
}

}  // namespace

std::string_view CommandText::name() const {
  const std::size_t space = program.rfind(' ');
  return std::string_view(program).substr(space == std::string::npos ? 0 : space + 1);
}

std::string UsageLine(const CommandText& command) {
  std::string out = "usage: " + command.program;
  if (!command.verbs.empty()) out += " <verb>";
  for (const OptionText& option : command.options) {
    const std::string text = WithValue(option) + (option.repeatable ? "..." : "");
    out += option.required ? " " + text : " [" + text + "]";
  }
  return out;
}

std::string HelpText(const CommandText& command) {
  constexpr std::size_t kNameWidth = 12;
  std::string out = UsageLine(command) + "\n\n" + command.summary + "\n\nexample:\n  " + command.example + "\n";
  if (!command.verbs.empty()) {
    out += "\nverbs:\n";
    for (const CommandText& verb : command.verbs) {
      const std::string name(verb.name());
      out +=
          "  " + name + std::string(name.size() < kNameWidth ? kNameWidth - name.size() : 1, ' ') + verb.summary + "\n";
    }
  }
  out += "\noptions:\n";
  for (const OptionText& option : command.options) {
    out += "  " + WithValue(option) + (option.repeatable ? "..." : "") + "\n      " + option.help + "\n";
  }
  return out;
}

std::string ReferencePage(const CommandText& command) {
  std::string out;
  AppendReference(out, command, 1);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string ManPage(const CommandText& command, std::string_view version, const std::vector<ManSection>& sections) {
  std::string summary = command.summary;
  if (summary.ends_with('.')) summary.pop_back();
  std::string out = ".TH " + Roff(command.program) + " 1 \"\" \"PiShip " + std::string(version) + "\"\n.SH NAME\n" +
                    Roff(command.program) + " \\- " + Roff(summary) + "\n.SH SYNOPSIS\n" + Synopsis(command);
  if (!command.options.empty()) out += ".SH OPTIONS\n" + Options(command.options);
  if (!command.verbs.empty()) out += ".SH VERBS\n";
  for (const CommandText& verb : command.verbs) {
    out += ".SS " + Roff(verb.name()) + "\n" + Synopsis(verb) + ".PP\n" + Roff(verb.summary) + "\n" +
           Options(verb.options);
  }
  for (const ManSection& section : sections) {
    out += ".SH " + Roff(section.title) + "\n";
    for (const ManSection::Entry& entry : section.entries) out += Entry(entry.term, entry.text);
  }
  out += ".SH EXAMPLES\n.nf\n" + Roff(command.example) + "\n";
  for (const CommandText& verb : command.verbs) out += Roff(verb.example) + "\n";
  return out + ".fi\n";
}

}  // namespace piship
