// SPDX-License-Identifier: MIT
// What a module's text says about where the module lies, and the text with that place bound to the original one.
//
// No JavaScript is parsed here. Words are searched, which finds too much rather than too little; what is then changed,
// esbuild changes, which knows strings, comments and local names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship::bundle {

enum class Format : std::uint8_t { kModule, kCommonJs };

// Bits of Mentions().
inline constexpr unsigned kMentionsMeta = 1;     // import.meta
inline constexpr unsigned kMentionsPlace = 2;    // __dirname, __filename, module.path, ...
inline constexpr unsigned kMentionsRequire = 4;  // require.resolve, require.main, module.require, module.parent, ...
inline constexpr unsigned kLocatesModules = 8;   // createRequire, require.resolve, import.meta.resolve, Worker, fork
inline constexpr unsigned kResolvesItself = 16;  // import.meta.resolve
inline constexpr unsigned kRequiresNames = 32;   // createRequire, require.resolve: looks for packages, as require does
inline constexpr unsigned kJsonAttribute = 64;   // with { type: "json" }
inline constexpr unsigned kNeedsSloppyMode = 128;  // CommonJS that would not run in strict mode; not every such module
inline constexpr unsigned kEvaluatesImport =
    256;  // has import(name) in a string: it is the place of who evaluates that
unsigned Mentions(std::string_view text);

// The texts of string literals without escapes and of template literals without substitutions, each list sorted, each
// text once; also of what only looks like one. Where esbuild follows a literal depends on what stands before it.
struct Literals {
  std::vector<std::string> imported;  // from "x", import "x": always
  std::vector<std::string> dynamic;   // import("x"): always
  std::vector<std::string> required;  // require("x"): where `require` is what a module of CommonJS is given
  std::vector<std::string> others;    // never; the text may locate something by them
  bool operator==(const Literals&) const = default;
};
Literals FindLiterals(std::string_view text);

// A piece of a text that is replaced. Lines count from 1, columns from 0, in bytes.
struct Edit {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string old_text;
  std::string new_text;
  auto operator<=>(const Edit&) const = default;
};
// kBundlerFailed where the old text is not there.
Result<std::string> ApplyEdits(std::string_view text, std::vector<Edit> edits, std::string_view name);

// The defines for esbuild's plain transform, by which the words for a place become names of our own.
std::vector<std::string> PlaceDefines(Format format, bool all_requires);

// The transformed text with what binds these names in front (behind hashbang and directives). `path` is the module's
// below app/, `place_module` the relative path from the module to place.mjs. A program is the file that the
// distribution starts.
std::string BindPlace(std::string_view transformed, Format format, std::string_view path, std::string_view place_module,
                      bool is_program);

// The module place.mjs, which the bundle contains once.
std::string_view PlaceModuleText();

}  // namespace piship::bundle
