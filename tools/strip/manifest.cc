// SPDX-License-Identifier: MIT
// A manifest closes a package to the outside when it has "exports": then Node, and every loader that follows it,
// refuses to resolve any other path of the package. What "exports" and every other member name must still not be a
// TypeScript source, under any spelling that some loader would lead to one: with the ending, with a JavaScript ending
// in its place, without any, by a pattern or by a directory.
#include "strip/manifest.h"

#include <algorithm>
#include <array>

#include "base/json.h"

namespace piship::strip {
namespace {

// Members that say nothing about what runs: for people, for npm, for the compiler.
constexpr std::array<std::string_view, 22> kSilent = {"types",
                                                      "typings",
                                                      "typesVersions",
                                                      "scripts",
                                                      "dependencies",
                                                      "devDependencies",
                                                      "files",
                                                      "description",
                                                      "keywords",
                                                      "peerDependencies",
                                                      "optionalDependencies",
                                                      "bundleDependencies",
                                                      "author",
                                                      "contributors",
                                                      "maintainers",
                                                      "repository",
                                                      "homepage",
                                                      "bugs",
                                                      "license",
                                                      "funding",
                                                      "publishConfig",
                                                      "name"};

constexpr std::array<std::string_view, 6> kEndings = {".mts", ".cts", ".ts", ".mjs", ".cjs", ".js"};

std::string_view WithoutEnding(std::string_view path) {
  for (const std::string_view ending : kEndings) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

std::string_view Normal(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool IsDeclaration(std::string_view path) {
  return path.ends_with(".d.ts") || path.ends_with(".d.mts") || path.ends_with(".d.cts");
}

// Whether a loader might come to `source` when it is asked for `target`.
bool MayReach(std::string_view target, std::string_view source) {
  if (IsDeclaration(target)) return false;
  const std::string_view path = Normal(target);
  if (path.empty() || path == ".") return WithoutEnding(source) == "index";
  const std::size_t star = path.find('*');
  if (star != std::string_view::npos) {
    const std::string_view before = path.substr(0, star);
    const std::string_view after = WithoutEnding(path.substr(path.rfind('*') + 1));
    const std::string_view stem = WithoutEnding(source);
    return source.starts_with(before) && stem.size() >= before.size() && stem.ends_with(after);
  }
  return WithoutEnding(path) == WithoutEnding(source) ||
         (source.size() > path.size() && source.starts_with(path) && source[path.size()] == '/');
}

bool AnyTargetReaches(const json::Value& value, const std::vector<std::string_view>& sources) {
  if (value.is(json::Kind::kString)) {
    return std::any_of(sources.begin(), sources.end(),
                       [&](std::string_view source) { return MayReach(value.string(), source); });
  }
  if (value.is(json::Kind::kArray)) {
    return std::any_of(value.array().begin(), value.array().end(),
                       [&](const json::Value& item) { return AnyTargetReaches(item, sources); });
  }
  if (!value.is(json::Kind::kObject)) return false;
  return std::any_of(value.object().begin(), value.object().end(), [&](const json::Member& member) {
    // Conditions that only a compiler asks for.
    if (member.name == "types" || member.name.starts_with("types@")) return false;
    return AnyTargetReaches(member.value, sources);
  });
}

bool IsExtension(const json::Value& manifest) {
  if (manifest.Find("pi") != nullptr) return true;
  const json::Value* keywords = manifest.Find("keywords");
  if (keywords == nullptr || !keywords->is(json::Kind::kArray)) return false;
  return std::any_of(keywords->array().begin(), keywords->array().end(), [](const json::Value& keyword) {
    return keyword.is(json::Kind::kString) && (keyword.string() == "pi-package" || keyword.string() == "pi-extension");
  });
}

}  // namespace

std::string_view WhyManifestKeepsTypeScript(std::string_view text, const std::vector<std::string_view>& sources) {
  const auto parsed = json::Parse(text, "package.json");
  if (!parsed || !parsed->is(json::Kind::kObject)) return "typescript-manifest-unreadable";
  if (IsExtension(*parsed)) return "typescript-extension";
  const json::Value* exports = parsed->Find("exports");
  if (exports == nullptr || exports->is(json::Kind::kNull)) return "typescript-open-package";
  for (const json::Member& member : parsed->object()) {
    if (std::find(kSilent.begin(), kSilent.end(), member.name) != kSilent.end()) continue;
    if (AnyTargetReaches(member.value, sources)) return "typescript-named-by-manifest";
  }
  return {};
}

}  // namespace piship::strip
