// SPDX-License-Identifier: MIT
#include "strip/file_kind.h"

#include <algorithm>
#include <array>
#include <string>

namespace piship::strip {
namespace {

std::string_view NameOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

template <std::size_t kSize>
bool EndsWithAny(std::string_view text, const std::array<std::string_view, kSize>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return text.ends_with(ending); });
}

constexpr std::array<std::string_view, 3> kDeclarations = {".d.ts", ".d.mts", ".d.cts"};
constexpr std::array<std::string_view, 3> kTypeScripts = {".ts", ".mts", ".cts"};
constexpr std::array<std::string_view, 12> kCodes = {".js",   ".mjs",  ".cjs", ".jsx",    ".tsx",   ".json",
                                                     ".node", ".wasm", ".sh",  ".coffee", ".json5", ".html"};

}  // namespace

FileKind KindOf(std::string_view path) {
  const std::string_view name = NameOf(path);
  if (name.ends_with(".map")) return FileKind::kMap;
  if (EndsWithAny(name, kDeclarations)) return FileKind::kDeclaration;
  if (EndsWithAny(name, kTypeScripts)) return FileKind::kTypeScript;
  if (name == "package.json") return FileKind::kManifest;
  // Their mentions of file names are the compiler's business, not the program's.
  const bool compiler_settings =
      (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json");
  if (compiler_settings || IsLicence(path)) return FileKind::kOther;
  if (EndsWithAny(name, kCodes)) return FileKind::kCode;
  // Programs have no ending: scripts of bin/ and executables.
  return name.find('.') == std::string_view::npos ? FileKind::kCode : FileKind::kOther;
}

bool IsLicence(std::string_view path) {
  const std::string name = LowerCase(NameOf(path));
  constexpr std::array<std::string_view, 6> kBeginnings = {"license", "licence",   "copying",
                                                           "notice",  "copyright", "unlicense"};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
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

}  // namespace piship::strip
