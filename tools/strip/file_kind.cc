// SPDX-License-Identifier: MIT
#include "strip/file_kind.h"

#include <algorithm>
#include <array>

#include "model/names.h"

namespace piship::strip {
namespace {

std::string_view NameOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
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

}  // namespace piship::strip
