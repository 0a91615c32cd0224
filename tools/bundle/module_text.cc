// SPDX-License-Identifier: MIT
#include "bundle/module_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"

namespace piship::bundle {
namespace {

struct Word {
  std::string_view text;
  unsigned bits;
};
constexpr std::array<Word, 22> kWords = {{
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
    {"require.resolve", kMentionsRequire | kLocatesModules},
    {"require.main", kMentionsRequire},
    {"require.cache", kMentionsRequire},
    {"require.extensions", kMentionsRequire},
    {"module.require", kMentionsRequire},
    {"module.parent", kMentionsRequire},
    {"module.children", kMentionsRequire},
    {"module.loaded", kMentionsRequire},
    {"createRequire", kLocatesModules},
    {"Worker(", kLocatesModules},
    {"fork(", kLocatesModules},
    {"_resolveFilename", kLocatesModules},
}};

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
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
  return bits;
}

std::vector<std::string> Literals(std::string_view text) {
  constexpr std::size_t kLongest = 256;
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char quote = text[at];
    if (quote != '"' && quote != '\'' && quote != '`') continue;
    const std::size_t end = text.substr(at + 1, kLongest + 1).find_first_of(std::string{quote, '\n', '\\', '$'});
    if (end == std::string_view::npos || end == 0 || text[at + 1 + end] != quote) continue;
    found.emplace_back(text.substr(at + 1, end));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
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
    if (line != edit.line || at < copied || text.substr(std::min(at, text.size()), edit.old_text.size()) != edit.old_text) {
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
  return {"--define:__dirname=__piship_dirname",       "--define:__filename=__piship_filename",
          "--define:require=__piship_require",         "--define:require.main=__piship_main",
          "--define:module.require=__piship_require",  "--define:module.parent=__piship_parent",
          "--define:module.paths=__piship_paths",      "--define:module.path=__piship_dirname",
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
      format == Format::kCommonJs ? RestoreRequires(transformed) : std::string(transformed);
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

std::string_view PlaceModuleText() {
  return R"js(// Where the modules of this bundle lay before they were bundled.
import { createRequire, Module } from "node:module";
import { realpathSync } from "node:fs";
import { dirname as directoryOf } from "node:path";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const engineHasMain = "main" in import.meta;

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
}

}  // namespace piship::bundle
