// SPDX-License-Identifier: MIT
#include "base/depfile.h"

#include "base/files.h"

namespace piship {
namespace {

// Ninja's depfile reader (its manual, "Dependencies") takes a backslash before space, '#' and itself, and "$$" for '$'.
// A backslash needs one only where it stands before one of those.
void AppendEscaped(std::string& out, std::string_view path) {
  for (std::size_t index = 0; index < path.size(); ++index) {
    const char c = path[index];
    if (c == ' ' || c == '#') {
      out += '\\';
    } else if (c == '$') {
      out += '$';
    }
    out += c;
  }
}

}  // namespace

Status WriteDepfile(const std::string& path, std::string_view output, const std::vector<std::string>& inputs) {
  if (inputs.empty() || inputs.size() > kDepfileLimit) {
    return Fail(ErrorCode::kLimitExceeded,
                "'" + std::string(output) + "' would depend on " + std::to_string(inputs.size()) + " files",
                "split it: an edge may have between 1 and " + std::to_string(kDepfileLimit) + " discovered inputs");
  }
  std::string text;
  AppendEscaped(text, output);
  text += ':';
  for (const std::string& input : inputs) {
    text += " \\\n  ";
    AppendEscaped(text, input);
  }
  text += '\n';
  if (auto written = WriteFileIfChanged(path, text); !written) return Fail(std::move(written).error());
  return {};
}

}  // namespace piship
