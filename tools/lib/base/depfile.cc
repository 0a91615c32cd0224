// SPDX-License-Identifier: MIT
#include "base/depfile.h"

#include <algorithm>

#include "base/files.h"

namespace piship {
namespace {

// A depfile of a custom command is read twice: by CMake, which rewrites it (cmake -E cmake_transform_depfile) and turns
// backslashes into slashes and "$$" into "$", and by Ninja, whose reader ends a name at every character that it does
// not know. These are the characters that arrive as they were sent (measured with CMake 3.25 and Ninja 1.11).
constexpr std::string_view kTrackable = "+,/_.~()}{%=@[]!- :";

// No such file can exist, so an edge that lists it runs in every build.
constexpr std::string_view kNeverExists = "/dev/null/untracked";

bool IsTrackable(std::string_view path) {
  if (path.empty() || path.back() == ':') return false;  // "name:" is a target
  return std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80 || kTrackable.find(c) != std::string_view::npos;
  });
}

void AppendEscaped(std::string& out, std::string_view path) {
  for (const char c : path) {
    if (c == ' ') out += '\\';
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
    AppendEscaped(text, IsTrackable(input) ? input : kNeverExists);
  }
  text += '\n';
  if (auto written = WriteFileIfChanged(path, text); !written) return Fail(std::move(written).error());
  return {};
}

}  // namespace piship
