// SPDX-License-Identifier: MIT
#include "bundle/module_text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "base/json.h"

namespace piship::bundle {
namespace {

struct Word {
  std::string_view text;
  unsigned bits;
};
constexpr std::array<Word, 24> kWords = {{
    {"import.meta", kMentionsMeta},
    {"import.meta.resolve", kLocatesModules | kResolvesItself},
    {"import.meta.url", kLocatesModules},
    {"import.meta.dirname", kLocatesModules},
    {"import.meta.filename", kLocatesModules},
    {"__dirname", kMentionsPlace | kLocatesModules},
    {"__filename", kMentionsPlace | kLocatesModules},
    {"module.path", kMentionsPlace},
    {"module.filename", kMentionsPlace},
    {"module.id", kMentionsPlace},
    {"require.resolve", kMentionsRequire | kLocatesModules | kRequiresNames},
    {"require.main", kMentionsRequire},
    {"require.cache", kMentionsRequire},
    {"require.extensions", kMentionsRequire},
    {"module.require", kMentionsRequire},
    {"module.parent", kMentionsRequire},
    {"module.children", kMentionsRequire},
    {"module.loaded", kMentionsRequire},
    {"createRequire", kLocatesModules | kRequiresNames},
    {"Worker(", kLocatesModules},
    {"fork(", kLocatesModules},
    {"_resolveFilename", kLocatesModules | kRequiresNames},
    {"arguments.callee", kNeedsSloppyMode},
    {"arguments.caller", kNeedsSloppyMode},
}};

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

enum class Context : std::uint8_t { kImported, kDynamic, kRequired, kOther };

// What the text before and behind a literal makes of it.
Context ContextOf(std::string_view before, std::string_view behind) {
  const auto trim = [&] {
    while (!before.empty() && (before.back() == ' ' || before.back() == '\n' || before.back() == '\t')) {
      before.remove_suffix(1);
    }
  };
  const auto take_word = [&](std::string_view word) {
    if (!before.ends_with(word)) return false;
    const std::string_view rest = before.substr(0, before.size() - word.size());
    return rest.empty() || (!IsNameCharacter(rest.back()) && rest.back() != '.');
  };
  trim();
  if (take_word("from") || take_word("import")) return Context::kImported;
  if (!before.ends_with('(')) return Context::kOther;
  before.remove_suffix(1);
  trim();
  const std::size_t next = behind.find_first_not_of(" \n\t");
  const char follows = next == std::string_view::npos ? '\0' : behind[next];
  if (take_word("import") && (follows == ')' || follows == ',')) return Context::kDynamic;
  return take_word("require") && follows == ')' ? Context::kRequired : Context::kOther;
}

// The text without white space behind `at`, as far as it may matter.
std::string Compact(std::string_view text, std::size_t at) {
  constexpr std::size_t kFar = 64;
  std::string compact;
  for (const char c : text.substr(at, kFar)) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') compact += c == '\'' ? '"' : c;
  }
  return compact;
}

bool HasJsonAttribute(std::string_view text) {
  for (std::size_t at = text.find("with"); at != std::string_view::npos; at = text.find("with", at + 1)) {
    const std::string compact = Compact(text, at);
    if (compact.starts_with("with{type:\"json\"") || compact.starts_with("with{\"type\":\"json\"")) return true;
  }
  return false;
}

// `this` of a function that is called as none's method is the global object in sloppy mode: (function () { return this
// })() and `typeof this`.
bool AsksForGlobalThis(std::string_view text) {
  for (std::size_t at = text.find("return this"); at != std::string_view::npos; at = text.find("return this", at + 1)) {
    std::string compact = Compact(text, at + std::string_view("return this").size());
    if (compact.starts_with(';')) compact.erase(0, 1);
    if (compact.starts_with("}()") || compact.starts_with("})()")) return true;
  }
  return false;
}

// new Function("name", "return import(name)"): what is evaluated imports from the place of the file that evaluates it.
bool EvaluatesImport(std::string_view text) {
  constexpr std::string_view kImport = "import(";
  constexpr std::string_view kReturn = "return ";
  for (std::size_t at = text.find(kImport); at != std::string_view::npos; at = text.find(kImport, at + 1)) {
    std::string_view before = text.substr(0, at);
    if (before.ends_with(kReturn)) before.remove_suffix(kReturn.size());
    std::size_t end = at + kImport.size();
    const std::size_t name = end;
    while (end < text.size() && IsNameCharacter(text[end])) ++end;
    if (before.empty() || end == name || text.substr(end, 1) != ")") continue;
    std::string_view behind = text.substr(end + 1);
    if (behind.starts_with(';')) behind.remove_prefix(1);
    const char quote = before.back();
    if ((quote == '"' || quote == '\'' || quote == '`') && behind.starts_with(quote)) return true;
  }
  return false;
}

// Whether the text begins, behind comments, with the directive.
bool IsStrict(std::string_view text) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n;");
    if (start == std::string_view::npos) return false;
    text.remove_prefix(start);
    const bool block = text.starts_with("/*");
    if (!block && !text.starts_with("//") && !text.starts_with("#!")) break;
    const std::size_t end = text.find(block ? "*/" : "\n");
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + (block ? 2 : 1));
  }
  return text.starts_with("\"use strict\"") || text.starts_with("'use strict'");
}

// Node gives one object to who imports a JSON file and who requires it, esbuild two where the import has an attribute.
// The text is the transform's, which is normalized.
std::string WithoutJsonAttributes(std::string text) {
  constexpr std::string_view kAttribute = "\" with { type: \"json\" };\n";
  for (std::size_t at = text.find(kAttribute); at != std::string::npos; at = text.find(kAttribute, at + 1)) {
    const std::size_t open = text.rfind('"', at - 1);
    const std::size_t line = text.rfind('\n', at) + 1;  // 0 on the first line
    const bool statement = text.compare(line, 7, "import ") == 0 || text.compare(line, 7, "export ") == 0;
    if (open == std::string::npos || open < line || text[open + 1] != '.' || !statement) continue;
    text.replace(at + 1, kAttribute.size() - 1, ";\n");
  }
  return text;
}

// Takes a whole first line off `text` where it is a hashbang or a directive.
std::string_view TakeHeadLine(std::string_view& text, bool first) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = text.substr(0, end + 1);
  const bool hashbang = first && line.starts_with("#!");
  const bool directive = line.size() >= 4 && line.ends_with("\";\n") && line.front() == '"' &&
                         line.substr(1, line.size() - 4).find('"') == std::string_view::npos;
  if (!hashbang && !directive) return {};
  text.remove_prefix(line.size());
  return line;
}

// Turns `__piship_require("x")` back into `require("x")`, which esbuild follows: the transform's output is normalized,
// so a call with one plain string looks exactly like that.
std::string RestoreRequires(std::string_view text) {
  constexpr std::string_view kCall = "__piship_require(";
  std::string out;
  out.reserve(text.size());
  for (;;) {
    const std::size_t at = text.find(kCall);
    if (at == std::string_view::npos) return out.append(text);
    const bool own_name = at == 0 || !IsNameCharacter(text[at - 1]);
    std::size_t end = at + kCall.size();
    const char quote = end < text.size() ? text[end] : '\0';
    bool plain = own_name && (quote == '"' || quote == '\'' || quote == '`');
    if (plain) {
      for (++end; end < text.size() && text[end] != quote && text[end] != '\n'; ++end) {
        if (text[end] == '\\') ++end;
        if (quote == '`' && text.substr(end, 2) == "${") plain = false;
      }
      plain = plain && end + 1 < text.size() && text[end] == quote && text[end + 1] == ')';
    }
    out.append(text.substr(0, at)).append(plain ? "require(" : kCall);
    text.remove_prefix(at + kCall.size());
  }
}

// The path as it stands in a URL that is relative to a directory.
std::string UrlPath(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    if (IsNameCharacter(c) || c == '/' || c == '-' || c == '.' || c == '@' || c == '~' || c == '+') {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return out;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kBindings = {{
    {"__piship_meta", "meta"},
    {"__piship_import", "import"},
    {"__piship_require", "require"},
    {"__piship_main", "main"},
    {"__piship_dirname", "dirname"},
    {"__piship_filename", "filename"},
    {"__piship_parent", "parent"},
    {"__piship_paths", "paths"},
    {"__piship_children", "children"},
    {"__piship_no_require", "nothing"},
}};

}  // namespace

unsigned Mentions(std::string_view text) {
  unsigned bits = 0;
  for (const Word& word : kWords) {
    if ((bits & word.bits) != word.bits && text.find(word.text) != std::string_view::npos) bits |= word.bits;
  }
  if (HasJsonAttribute(text)) bits |= kJsonAttribute;
  if (AsksForGlobalThis(text)) bits |= kNeedsSloppyMode;
  if (EvaluatesImport(text)) bits |= kEvaluatesImport | kLocatesModules;
  if (IsStrict(text)) bits &= ~kNeedsSloppyMode;
  return bits;
}

Literals FindLiterals(std::string_view text) {
  constexpr std::size_t kLongest = 256;
  std::array<std::set<std::string, std::less<>>, 4> found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char quote = text[at];
    if (quote != '"' && quote != '\'' && quote != '`') continue;
    const std::size_t end = text.substr(at + 1, kLongest + 1).find_first_of(std::string{quote, '\n', '\\', '$'});
    if (end == std::string_view::npos || end == 0 || text[at + 1 + end] != quote) continue;
    const Context context = ContextOf(text.substr(0, at), text.substr(at + 2 + end));
    found.at(static_cast<std::size_t>(context)).emplace(text.substr(at + 1, end));
  }
  const auto list = [&](Context context) {
    const auto& set = found.at(static_cast<std::size_t>(context));
    return std::vector<std::string>(set.begin(), set.end());
  };
  return {list(Context::kImported), list(Context::kDynamic), list(Context::kRequired), list(Context::kOther)};
}

Result<std::string> ApplyEdits(std::string_view text, std::vector<Edit> edits, std::string_view name) {
  std::sort(edits.begin(), edits.end());
  edits.erase(std::unique(edits.begin(), edits.end()), edits.end());
  std::string out;
  std::size_t copied = 0;
  std::size_t line_begin = 0;
  std::uint32_t line = 1;
  for (const Edit& edit : edits) {
    for (; line < edit.line; ++line) {
      const std::size_t end = text.find('\n', line_begin);
      if (end == std::string_view::npos) break;
      line_begin = end + 1;
    }
    const std::size_t at = line_begin + edit.column;
    if (line != edit.line || at < copied ||
        text.substr(std::min(at, text.size()), edit.old_text.size()) != edit.old_text) {
      return Fail(ErrorCode::kBundlerFailed, std::string(name) + ":" + std::to_string(edit.line) + ":" +
                                                 std::to_string(edit.column) + ": '" + edit.old_text +
                                                 "' is not there, although esbuild says so");
    }
    out.append(text.substr(copied, at - copied)).append(edit.new_text);
    copied = at + edit.old_text.size();
  }
  return out.append(text.substr(copied));
}

std::vector<std::string> PlaceDefines(Format format, bool all_requires) {
  if (format == Format::kModule) {
    std::vector<std::string> defines = {"--define:import.meta=__piship_meta"};
    // A module has no require; esbuild would give it one.
    if (all_requires) defines.emplace_back("--define:require=__piship_no_require");
    return defines;
  }
  return {"--define:__dirname=__piship_dirname",        "--define:__filename=__piship_filename",
          "--define:require=__piship_require",          "--define:require.main=__piship_main",
          "--define:module.require=__piship_require",   "--define:module.parent=__piship_parent",
          "--define:module.paths=__piship_paths",       "--define:module.path=__piship_dirname",
          "--define:module.filename=__piship_filename", "--define:module.id=__piship_filename",
          "--define:module.children=__piship_children"};
}

std::string BindPlace(std::string_view transformed, Format format, std::string_view path, std::string_view place_module,
                      bool is_program) {
  std::string head;
  for (bool first = true;; first = false) {
    const std::string_view line = TakeHeadLine(transformed, first);
    if (line.empty()) break;
    head += line;
  }
  const std::string body =
      format == Format::kCommonJs ? RestoreRequires(transformed) : WithoutJsonAttributes(std::string(transformed));
  std::string names;
  for (const auto& [name, member] : kBindings) {
    if (name == "__piship_no_require" || body.find(name) == std::string::npos) continue;
    names += ", " + std::string(name) + " = __piship." + std::string(member);
    if (name == "__piship_main" && is_program) names.replace(names.rfind(" = "), std::string::npos, " = module");
  }
  if (names.empty()) return head + body;
  const std::string argument = json::Quote(UrlPath(path));
  const std::string module = json::Quote(place_module);
  if (format == Format::kModule) {
    return head + "import { at as __piship_at } from " + module + ";\nconst __piship = __piship_at(" + argument + ")" +
           names + ";\n" + body;
  }
  return head + "var __piship = require(" + module + ").at(" + argument + ")" + names + ";\n" + body;
}

namespace {

constexpr std::string_view kPlaceModule = R"js(// Where the modules of this bundle lay before they were bundled.
import { createRequire, Module } from "node:module";
import { realpathSync } from "node:fs";
import { dirname as directoryOf } from "node:path";
import { fileURLToPath } from "node:url";

const root = new URL("../../../", import.meta.url);
// Asked of the version, because what transpiles a module for a loader of its own may know no import.meta as a whole.
const [major, minor] = process.versions.node.split(".").map(Number);
const engineHasMain = major > 24 || (major === 24 && minor >= 2);

function isRelative(specifier) {
  return /^\.\.?(?:\/|$)/.test(specifier);
}

function isProgram(filename) {
  try {
    return realpathSync(process.argv[1]) === realpathSync(filename);
  } catch {
    return false;
  }
}

export function at(path) {
  const { href: url } = new URL(path, root);
  const filename = fileURLToPath(url);
  const dirname = directoryOf(filename);
  let require;
  return {
    dirname,
    filename,
    children: [],
    get meta() {
      const meta = { __proto__: null, dirname, filename };
      if (engineHasMain) meta.main = isProgram(filename);
      meta.resolve = (specifier) => isRelative(specifier) ? new URL(specifier, url).href : import.meta.resolve(specifier);
      meta.url = url;
      return meta;
    },
    get import() {
      return (specifier, options) => {
        const text = `${specifier}`;
        return import(isRelative(text) ? new URL(text, url).href : text, options);
      };
    },
    get require() {
      return require ??= createRequire(url);
    },
    get main() {
      return this.require.main;
    },
    get parent() {
      return this.require.main ?? new Module(filename);
    },
    get paths() {
      return this.require.resolve.paths("x");
    },
  };
}
)js";

}  // namespace

std::string_view PlaceModuleText() { return kPlaceModule; }

}  // namespace piship::bundle
