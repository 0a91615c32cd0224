// SPDX-License-Identifier: MIT
#include "vendor/dependency.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "model/semver.h"

namespace piship {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_.!~*'()").find(c) != std::string_view::npos;
}

bool IsNamePart(std::string_view part) {
  return !part.empty() && part[0] != '.' && std::all_of(part.begin(), part.end(), IsNameCharacter);
}

// "a:" at the beginning, where a is a scheme.
std::string_view SchemeOf(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon < 2) return {};
  const std::string_view scheme = text.substr(0, colon);
  const bool word = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-';
  });
  return word ? scheme : std::string_view{};
}

bool LooksLikePath(std::string_view text) {
  if (text.starts_with('.') || text.starts_with('/') || text.starts_with("~/")) return true;
  return text.size() > 1 && text[1] == ':' && std::isalpha(static_cast<unsigned char>(text[0])) != 0;
}

SpecifierKind KindOfScheme(std::string_view scheme) {
  if (scheme == "file" || scheme == "link") return SpecifierKind::kLocal;
  if (scheme == "workspace") return SpecifierKind::kWorkspace;
  if (scheme == "http" || scheme == "https") return SpecifierKind::kRemote;
  return SpecifierKind::kGit;
}

std::string_view Trim(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

class DependencyReader {
 public:
  DependencyReader(const json::Value& package, Problems& problems) : package_(package), problems_(problems) {}

  void Read(std::string_view group, DependencyKind kind) {
    const json::Value* members = ObjectOrNull(group);
    if (members == nullptr) return;
    for (const json::Member& member : members->object()) {
      if (!member.value.is(json::Kind::kString)) {
        problems_.Add(member.value.position(), "\"" + std::string(group) + "\" must give '" + Printable(member.name) +
                                                   "' a string, not " +
                                                   std::string(json::KindName(member.value.kind())));
        continue;
      }
      const bool optional_peer = kind == DependencyKind::kPeer && IsOptionalPeer(member.name);
      Put({member.name, member.value.string(), Accepted(member.name),
           optional_peer ? DependencyKind::kOptionalPeer : kind});
    }
  }
  std::vector<Dependency> Take() { return std::move(dependencies_); }

 private:
  const json::Value* ObjectOrNull(std::string_view name) {
    const json::Value* value = package_.Find(name);
    if (value == nullptr || value->is(json::Kind::kObject)) return value;
    problems_.Add(value->position(),
                  "\"" + std::string(name) + "\" must be an object, not " + std::string(json::KindName(value->kind())));
    return nullptr;
  }
  bool IsOptionalPeer(std::string_view name) const {
    const json::Value* meta = package_.Find("peerDependenciesMeta");
    const json::Value* entry = meta != nullptr ? meta->Find(name) : nullptr;
    const json::Value* optional = entry != nullptr ? entry->Find("optional") : nullptr;
    return optional != nullptr && optional->is(json::Kind::kBoolean) && optional->boolean();
  }
  std::optional<std::string> Accepted(std::string_view name) const {
    const json::Value* accepted = package_.Find("acceptDependencies");
    const json::Value* specifier = accepted != nullptr ? accepted->Find(name) : nullptr;
    if (specifier == nullptr || !specifier->is(json::Kind::kString)) return std::nullopt;
    return specifier->string();
  }
  void Put(Dependency dependency) {
    const auto same = std::find_if(dependencies_.begin(), dependencies_.end(),
                                   [&](const Dependency& other) { return other.name == dependency.name; });
    if (same != dependencies_.end()) dependencies_.erase(same);
    dependencies_.push_back(std::move(dependency));
  }

  const json::Value& package_;
  Problems& problems_;
  std::vector<Dependency> dependencies_;
};

}  // namespace

std::vector<Dependency> ReadDependencies(const json::Value& package, DevelopmentDependencies development,
                                         Problems& problems) {
  DependencyReader reader(package, problems);
  reader.Read("peerDependencies", DependencyKind::kPeer);
  reader.Read("dependencies", DependencyKind::kProduction);
  reader.Read("optionalDependencies", DependencyKind::kOptional);
  if (development == DevelopmentDependencies::kRead) reader.Read("devDependencies", DependencyKind::kDevelopment);
  return reader.Take();
}

Specifier ClassifySpecifier(std::string_view specifier) {
  specifier = Trim(specifier);
  if (specifier.starts_with("npm:")) {
    // "npm:name@range" or "npm:@scope/name@range"; without a range any version will do.
    specifier.remove_prefix(4);
    const std::size_t at = specifier.find('@', 1);
    specifier = at == std::string_view::npos ? std::string_view{} : Trim(specifier.substr(at + 1));
  } else if (LooksLikePath(specifier)) {
    return {SpecifierKind::kLocal, std::string(specifier)};
  } else if (const std::string_view scheme = SchemeOf(specifier); !scheme.empty()) {
    return {KindOfScheme(scheme), std::string(specifier)};
  } else if (specifier.find('/') != std::string_view::npos || specifier.starts_with("git@")) {
    return {SpecifierKind::kGit, std::string(specifier)};
  }
  if (specifier.empty()) return {SpecifierKind::kRange, "*"};
  const bool range = VersionRange::Parse(specifier, SemverGrammar::kLoose).has_value();
  return {range ? SpecifierKind::kRange : SpecifierKind::kTag, std::string(specifier)};
}

std::vector<std::string> ReadWords(const json::Value& value, std::string_view what, Problems& problems) {
  if (value.is(json::Kind::kString)) return {value.string()};
  std::vector<std::string> words;
  bool good = value.is(json::Kind::kArray);
  if (good) {
    for (const json::Value& item : value.array()) {
      good = good && item.is(json::Kind::kString);
      if (good) words.push_back(item.string());
    }
  }
  if (!good) problems.Add(value.position(), "\"" + std::string(what) + "\" must be a string or an array of strings");
  return words;
}

bool IsPackageName(std::string_view name) {
  if (name.size() > 214 || name == "node_modules" || name == "favicon.ico") return false;
  if (!name.starts_with('@')) return IsNamePart(name);
  const std::size_t slash = name.find('/');
  return slash != std::string_view::npos && IsNamePart(name.substr(1, slash - 1)) && IsNamePart(name.substr(slash + 1));
}

}  // namespace piship
