// SPDX-License-Identifier: MIT
#include "home/homes.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/files.h"

namespace piship {
namespace {

struct HomeRule {
  const char* variable;  // PiShip's own: must be absolute
  const char* xdg;       // the XDG variable above "piship"; null where there is none
  const char* below_home;
};

constexpr HomeRule kInstall = {"PISHIP_INSTALL_HOME", "XDG_DATA_HOME", ".local/share"};
constexpr HomeRule kState = {"PISHIP_STATE_HOME", "XDG_STATE_HOME", ".local/state"};
constexpr HomeRule kBin = {"PISHIP_BIN_HOME", nullptr, ".local/bin"};
constexpr HomeRule kCache = {"PISHIP_CACHE_HOME", "XDG_CACHE_HOME", ".cache"};

const char* Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Result<std::string> HomeOf(const HomeRule& rule) {
  if (const char* value = Variable(rule.variable)) {
    if (*value == '/') return WithoutSlashes(value);
    return Fail(ErrorCode::kHomeInvalid, std::string(rule.variable) + " is not an absolute path: '" + value + "'",
                "set it to an absolute path, or unset it");
  }
  // The XDG specification: a relative path there is to be ignored.
  if (rule.xdg != nullptr) {
    if (const char* value = Variable(rule.xdg); value != nullptr && *value == '/') {
      return JoinPath(WithoutSlashes(value), "piship");
    }
  }
  const char* home = Variable("HOME");
  if (home == nullptr || *home != '/') {
    return Fail(ErrorCode::kHomeInvalid,
                "HOME is not set to an absolute path, so there is no place for " + std::string(rule.variable),
                "set HOME or " + std::string(rule.variable));
  }
  const std::string below = JoinPath(WithoutSlashes(home), rule.below_home);
  return rule.xdg != nullptr ? JoinPath(below, "piship") : below;
}

// The path with the links of its longest existing part resolved, so that two spellings of one place compare equal.
std::string Resolved(const std::string& path) {
  std::string existing = path;
  std::string rest;
  for (;;) {
    if (char* real = realpath(existing.c_str(), nullptr)) {
      std::string out = real;
      free(real);
      return rest.empty() ? out : JoinPath(out, rest);
    }
    const std::string parent = ParentPath(existing);
    if (parent == existing) return path;
    rest = rest.empty() ? std::string(FileName(existing)) : JoinPath(FileName(existing), rest);
    existing = parent;
  }
}

bool Contains(const std::string& outer, const std::string& inner) {
  return inner == outer || outer == "/" || inner.starts_with(outer + "/");
}

Status CheckDisjoint(const Homes& homes) {
  struct Named {
    const char* variable;
    std::string path;
  };
  const std::array<Named, 4> all = {{{kInstall.variable, Resolved(homes.install)},
                                     {kState.variable, Resolved(homes.state)},
                                     {kBin.variable, Resolved(homes.bin)},
                                     {kCache.variable, Resolved(homes.cache)}}};
  for (const Named& outer : all) {
    for (const Named& inner : all) {
      if (&outer == &inner || !Contains(outer.path, inner.path)) continue;
      return Fail(
          ErrorCode::kHomeInvalid,
          std::string(inner.variable) + " ('" + inner.path + "') lies in " + outer.variable + " ('" + outer.path + "')",
          "choose homes that do not contain each other");
    }
  }
  return {};
}

}  // namespace

Result<Homes> HomesFromEnvironment() {
  Homes homes;
  PISHIP_TRY(homes.install, HomeOf(kInstall));
  PISHIP_TRY(homes.state, HomeOf(kState));
  PISHIP_TRY(homes.bin, HomeOf(kBin));
  PISHIP_TRY(homes.cache, HomeOf(kCache));
  PISHIP_CHECK(CheckDisjoint(homes));
  return homes;
}

Result<std::string> InstallHomeFromEnvironment() { return HomeOf(kInstall); }

Result<std::string> StateHomeFromEnvironment() { return HomeOf(kState); }

std::string CompileCachesDirectory(std::string_view state_home, std::string_view id) {
  return JoinPath(JoinPath(state_home, id), ".piship/compile-cache");
}

std::string CompileCacheDirectory(std::string_view state_home, std::string_view id, std::string_view version) {
  return JoinPath(CompileCachesDirectory(state_home, id), version);
}

std::string TrustDirectory(std::string_view install_home, std::string_view id) {
  return JoinPath(JoinPath(install_home, "trust"), id);
}

std::string DownloadsDirectory(std::string_view install_home) { return JoinPath(install_home, "downloads"); }

Status MakeHomeDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0755) != 0) {
    if (errno != ENOENT) return MakeDirectories(path);  // it exists, or the error is worded there
    PISHIP_CHECK(MakeHomeDirectory(ParentPath(path)));
    if (mkdir(path.c_str(), 0755) != 0) return MakeDirectories(path);
  }
  // An uninstall may have taken it away again since it was made; whoever uses it next finds that out.
  if (chmod(path.c_str(), 0755) != 0 && errno != ENOENT) {
    return Fail(SystemError("set the mode of '" + path + "'", errno));
  }
  return {};
}

}  // namespace piship
