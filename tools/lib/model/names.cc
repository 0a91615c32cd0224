// SPDX-License-Identifier: MIT
#include "model/names.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/relative_path.h"

namespace piship {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace

Status CheckId(std::string_view text, std::string_view what) {
  bool good = !text.empty() && text.size() <= 64 && IsLower(text.front()) && text.back() != '-' &&
              RelativePath::WhyNot(text) == nullptr;
  for (std::size_t index = 0; good && index < text.size(); ++index) {
    good = IsLower(text[index]) || IsDigit(text[index]) || (text[index] == '-' && text[index + 1] != '-');
  }
  if (good) return {};
  return Fail(ErrorCode::kNameInvalid, std::string(what) + " '" + std::string(text.substr(0, 80)) + "' is not a name",
              "use lower-case letters, digits and single hyphens, beginning with a letter, at most 64");
}

Status CheckEnvironmentName(std::string_view text) {
  const bool form =
      !text.empty() && text.size() <= 128 && !IsDigit(text.front()) &&
      std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_'; });
  if (!form) {
    return Fail(ErrorCode::kNameInvalid,
                "'" + std::string(text.substr(0, 80)) + "' is not the name of an environment variable",
                "use upper-case letters, digits and '_', not beginning with a digit");
  }
  for (const std::string_view prefix : {"LD_", "DYLD_", "PISHIP_"}) {
    if (text.starts_with(prefix)) {
      return Fail(ErrorCode::kNameInvalid,
                  "the environment variable '" + std::string(text) + "' may not be set by a distribution");
    }
  }
  return {};
}

std::string_view PackageOf(std::string_view path) {
  constexpr std::string_view kModules = "node_modules/";
  std::size_t at = path.rfind(kModules);
  // Only a whole component counts.
  while (at != std::string_view::npos && at != 0 && path[at - 1] != '/') {
    at = at == 0 ? std::string_view::npos : path.rfind(kModules, at - 1);
  }
  if (at == std::string_view::npos) return {};
  const std::size_t name = at + kModules.size();
  std::size_t end = path.find('/', name);
  if (end != std::string_view::npos && path[name] == '@') end = path.find('/', end + 1);
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

bool IsLicence(std::string_view path) {
  const std::string name = LowerCase(path.substr(path.rfind('/') + 1));
  constexpr std::array<std::string_view, 6> kBeginnings = {"license", "licence",   "copying",
                                                           "notice",  "copyright", "unlicense"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace piship
