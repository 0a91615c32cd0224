// SPDX-License-Identifier: MIT
// What a package asks for, and whether a version answers it: npm's dependency specifiers (the documentation of
// package.json, "dependencies"), read from package.json and from lock entries alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/problems.h"

namespace piship {

enum class DependencyKind : std::uint8_t { kProduction, kDevelopment, kOptional, kPeer, kOptionalPeer };

struct Dependency {
  std::string name;
  std::string specifier;
  std::optional<std::string> accepted;  // a second specifier that answers as well ("acceptDependencies")
  DependencyKind kind = DependencyKind::kProduction;

  bool optional() const { return kind == DependencyKind::kOptional || kind == DependencyKind::kOptionalPeer; }
  bool peer() const { return kind == DependencyKind::kPeer || kind == DependencyKind::kOptionalPeer; }
};

enum class DevelopmentDependencies : std::uint8_t { kIgnore, kRead };

// The dependencies of a package.json or lock entry, each name once: where a name stands in several groups, the later of
// peer, optional peer, production, optional and development counts. Notes what is malformed.
std::vector<Dependency> ReadDependencies(const json::Value& package, DevelopmentDependencies development,
                                         Problems& problems);

enum class SpecifierKind : std::uint8_t {
  kRange,      // a version or a range of versions
  kTag,        // a word that the registry resolves, such as "latest"
  kRemote,     // the URL of a tarball
  kGit,        // a repository, also as "user/repository"
  kLocal,      // a file or directory
  kWorkspace,  // "workspace:", which npm does not know
};

struct Specifier {
  SpecifierKind kind = SpecifierKind::kRange;
  std::string text;  // what is asked for; of an alias ("npm:other@^1") the part behind the name
};

Specifier ClassifySpecifier(std::string_view specifier);

// The words of a lock entry that may be a string or an array of strings ("os", "bundleDependencies").
std::vector<std::string> ReadWords(const json::Value& value, std::string_view what, Problems& problems);

// npm's rule for names: what may stand as a directory below node_modules and in a registry's URL.
bool IsPackageName(std::string_view name);

}  // namespace piship
