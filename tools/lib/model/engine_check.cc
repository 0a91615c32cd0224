// SPDX-License-Identifier: MIT
// The scripts are ECMAScript 5 on purpose: the engines that must be refused are the old ones, and they have to
// understand the refusal. Everything that varies is data at the top.
#include "model/engine_check.h"

#include "base/utf8.h"

namespace piship {
namespace {

// Common to both scripts: the application finds no sign of them, and forks do not preload them. The engine goes through
// the list that they take themselves out of, so a script behind one of them would be passed over: there is only one.
constexpr std::string_view kRemoveTraces = R"js(
// As this file's own name is without links, a path that leads here through one is resolved first.
function isThisFile(path) {
  if (path === __filename) return true;
  try {
    return require('fs').realpathSync(path) === __filename;
  } catch (error) {
    return false;
  }
}

function removeTraces() {
  var given = process.execArgv;
  for (var i = 0; i + 1 < given.length; i++) {
    if (given[i] === '--require' && isThisFile(given[i + 1])) {
      given.splice(i, 2);
      break;
    }
  }
  var preloaded = process._preload_modules;
  if (Array.isArray(preloaded)) {
    for (var j = 0; j < preloaded.length; j++) {
      if (isThisFile(preloaded[j])) {
        preloaded.splice(j, 1);
        break;
      }
    }
  }
  delete require.cache[__filename];
}
)js";

// Nothing here may stop an application: what can't be done is left.
constexpr std::string_view kPrepare = R"js(
function prepare() {
  var environment = process.env;
  (environment.PISHIP_RESTORE || '').split(' ').forEach(function (name) {
    var kept = 'PISHIP_USER_' + name;
    if (name === '') return;
    if (environment[kept] === undefined) {
      delete environment[name];
    } else {
      environment[name] = environment[kept];
      delete environment[kept];
    }
  });
  delete environment.PISHIP_RESTORE;
  var cache = environment.PISHIP_COMPILE_CACHE;
  delete environment.PISHIP_COMPILE_CACHE;
  try {
    var enable = require('module').enableCompileCache;
    if (cache && enable) {
      require('fs').mkdirSync(cache, { recursive: true, mode: 448 });
      enable(cache);
    }
  } catch (error) {
    // A home that can't be written to: the start is slower, and that is all.
  }
}
)js";

constexpr std::string_view kBody = R"js(
function satisfies(version, comparators) {
  for (var i = 0; i < comparators.length; i++) {
    var difference = 0;
    for (var part = 0; part < 3 && difference === 0; part++) difference = version[part] - comparators[i][part + 1];
    var operator = comparators[i][0];
    if (operator === '=' && difference !== 0) return false;
    if (operator === '<' && difference >= 0) return false;
    if (operator === '<=' && difference > 0) return false;
    if (operator === '>' && difference <= 0) return false;
    if (operator === '>=' && difference < 0) return false;
  }
  return true;
}

var found = String(process.versions.node || process.version);
var parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(found);
var suitable = false;
for (var s = 0; parts && s < sets.length && !suitable; s++) {
  suitable = satisfies([Number(parts[1]), Number(parts[2]), Number(parts[3])], sets[s]);
}
if (suitable) {
  removeTraces();
  prepare();
} else {
  var text = command + ': error: ' + name + ' needs Node.js ' + range + ', found ' + found + ' (' + process.execPath +
    ') [ENGINE_UNSUITABLE]\n  hint: install Node.js ' + range + ' or put it first on PATH\n';
  try {
    require('fs').writeSync(2, text);
  } catch (error) {
    // Standard error is closed or full; the status still says it.
  }
  process.exit(126);
}
})();
)js";

// A string literal of ASCII only, which every engine reads alike.
std::string Literal(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  const auto append_unit = [&out](unsigned unit) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(unit >> static_cast<unsigned>(shift)) & 15U];
  };
  while (!text.empty()) {
    const Utf8Character character = DecodeUtf8(text);
    const char32_t code = character.valid ? character.code_point : U'?';
    if (code >= 0x10000) {
      append_unit(static_cast<unsigned>(0xd800 + ((code - 0x10000) >> 10)));
      append_unit(static_cast<unsigned>(0xdc00 + ((code - 0x10000) & 0x3ff)));
    } else if (code < 0x20 || code > 0x7e || code == U'"' || code == U'\\') {
      append_unit(static_cast<unsigned>(code));
    } else {
      out += static_cast<char>(code);
    }
    text.remove_prefix(character.length);
  }
  return out + "\"";
}

std::string_view OperatorText(Comparator::Operator op) {
  switch (op) {
    case Comparator::Operator::kEqual:
      return "=";
    case Comparator::Operator::kLess:
      return "<";
    case Comparator::Operator::kLessOrEqual:
      return "<=";
    case Comparator::Operator::kGreater:
      return ">";
    case Comparator::Operator::kGreaterOrEqual:
      return ">=";
  }
  return ">=";
}

std::string Sets(const VersionRange& range) {
  std::string out = "[";
  for (const auto& set : range.sets()) {
    out += out.size() > 1 ? ", [" : "[";
    for (std::size_t index = 0; index < set.size(); ++index) {
      const Comparator& comparator = set[index];
      if (index > 0) out += ", ";
      out += "[\"" + std::string(OperatorText(comparator.op)) + "\", " + std::to_string(comparator.version.major()) +
             ", " + std::to_string(comparator.version.minor()) + ", " + std::to_string(comparator.version.patch()) +
             "]";
    }
    out += "]";
  }
  return out + "]";
}

}  // namespace

std::string EngineCheckScript(const VersionRange& range, std::string_view name, std::string_view command) {
  std::string out =
      "// Made by PiShip: sees that the engine's version is the one that the application needs.\n"
      "'use strict';\n"
      "(function () {\n";
  out += "var name = " + Literal(name) + ";\n";
  out += "var command = " + Literal(command) + ";\n";
  out += "var range = " + Literal(range.str()) + ";\n";
  out += "var sets = " + Sets(range) + ";\n";
  out += kRemoveTraces;
  out += kPrepare;
  out += kBody;
  return out;
}

std::string EnginePrepareScript() {
  std::string out =
      "// Made by PiShip: gives the application the environment of its user, and the engine its compile cache.\n"
      "'use strict';\n"
      "(function () {\n";
  out += kRemoveTraces;
  out += kPrepare;
  return out + "\nremoveTraces();\nprepare();\n})();\n";
}

}  // namespace piship
