// SPDX-License-Identifier: MIT
// The text of one .npmrc, read exactly as npm reads it (the "ini" package 6 and @npmcli/config of npm 11; what that
// means is in docs/npm-configuration.md). Reading can't fail: npm skips what it can't read, and so does this.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace piship {

using Environment = std::map<std::string, std::string, std::less<>>;
// Of "NAME=value" texts; the first of a name counts.
Environment ParseEnvironment(const std::vector<std::string>& texts);

struct NpmrcEntry {
  std::string key;                  // without "[]"
  std::vector<std::string> values;  // one, or the elements of an array ("key[] = value" repeated)
  bool array = false;
  json::Position position;  // of the first line that names the key
};

// The keys outside of sections, in the order of the text; of a repeated key the last value counts. Nothing is expanded.
std::vector<NpmrcEntry> ParseNpmrc(std::string_view text);

// Replaces ${NAME} and ${NAME?}. An unknown variable stays as it is written, with "?" it becomes nothing; a backslash
// before "$" keeps the text.
std::string ExpandVariables(std::string_view text, const Environment& environment);

// Without white space (as JavaScript's trim has it) at both ends.
std::string_view TrimSpace(std::string_view text);

}  // namespace piship
