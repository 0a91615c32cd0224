// SPDX-License-Identifier: MIT
// esbuild as a program: what it prints and what its metafile says. Its version is pinned (cmake/PiShip/internal/
// Bundler.cmake), because both are read here: docs/adr/0016.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship::bundle {

// One warning or error. Lines count from 1, columns are bytes and count from 0, as esbuild prints them.
struct Message {
  bool is_error = false;
  std::string text;
  std::string id;    // "unsupported-dynamic-import"; empty for most errors
  std::string file;  // relative to the directory that it runs in; empty where there is none
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::vector<std::string> notes;  // what is said below it, without source lines
};
std::vector<Message> ParseMessages(std::string_view text);

struct Import {
  std::string path;  // of the tree; where `external`: as it stands in the output
  std::string kind;  // "import-statement", "dynamic-import", "require-call", "require-resolve"
  bool external = false;
  bool operator==(const Import&) const = default;
};

struct Input {
  std::int64_t bytes = 0;
  std::string format;  // "esm", "cjs" or empty
  std::vector<Import> imports;
};

struct Output {
  std::int64_t bytes = 0;
  std::string entry_point;
  std::vector<std::string> exports;
  std::map<std::string, std::int64_t> inputs;  // the bytes of each in this output
};

struct Metafile {
  std::map<std::string, Input> inputs;
  std::map<std::string, Output> outputs;
};
Result<Metafile> ParseMetafile(std::string_view text, std::string_view name);

struct Esbuild {
  std::string executable;
  std::string directory;  // the tree that it runs in
};

// Runs it; messages of all kinds that are asked for here are in the result, sorted as esbuild prints them. An error
// only where esbuild itself can't be run or ends without having said why.
Result<std::vector<Message>> RunEsbuild(const Esbuild& esbuild, const std::vector<std::string>& arguments);

}  // namespace piship::bundle
