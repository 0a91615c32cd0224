// SPDX-License-Identifier: MIT
// The environment belongs to the user, and the application and what it starts see it as it is. Only what a user sets
// for an engine of their own is kept from the engine that is started here: it reads those variables before any code
// runs. Then the lock's script gives them back, so that programs which the application starts find the user's values.
#include "launch/environment.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "base/files.h"
#include "home/homes.h"

namespace piship {
namespace {

// What decides which code an engine runs, where it looks for modules, or whether it starts at all; sorted.
constexpr std::array<const char*, 6> kEngineVariables = {"NODE_COMPILE_CACHE",     "NODE_ICU_DATA",
                                                         "NODE_OPTIONS",           "NODE_PATH",
                                                         "NODE_PRESERVE_SYMLINKS", "NODE_PRESERVE_SYMLINKS_MAIN"};
// Options that a user wants the engines of distributions to have.
constexpr const char* kUserOptions = "PISHIP_NODE_OPTIONS";
// For the script: the names of variables to give back, a blank between them; the user's value of each that had one; and
// the directory of the compile cache.
constexpr const char* kRestore = "PISHIP_RESTORE";
constexpr const char* kUserValue = "PISHIP_USER_";
constexpr const char* kCompileCache = "PISHIP_COMPILE_CACHE";

Status Set(const std::string& name, const std::string& value) {
  if (setenv(name.c_str(), value.c_str(), 1) != 0) return Fail(SystemError("set " + name, errno));
  return {};
}

std::optional<std::string> Value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

// What `text` stands for. The state directory is looked up, and made, only for a text that names it.
class Expander {
 public:
  Expander(std::string id, std::string payload) : id_(std::move(id)) { places_.payload = std::move(payload); }

  Result<std::string> Expand(const std::string& text) {
    if (places_.state.empty() && text.find("{state}") != std::string::npos) {
      PISHIP_TRY(const std::string home, StateHomeFromEnvironment());
      places_.state = JoinPath(home, id_);
      // Usually it is there, and one question less is asked. Whether the application needs to write there is its own
      // matter, so a read-only home is not an error here.
      struct stat status {};
      if (stat(places_.state.c_str(), &status) != 0) static_cast<void>(MakeDirectories(places_.state, 0700));
    }
    return ExpandTemplate(text, places_);
  }

 private:
  std::string id_;
  Places places_;
};

class Preparation {
 public:
  Preparation(const DistributionLock& lock, const std::string& payload) : lock_(lock), expander_(lock.id, payload) {}

  Result<EngineStart> Run() {
    if (lock_.engine.prepare) KeepUserValues();
    for (const EnvironmentEntry& entry : lock_.environment) {
      PISHIP_TRY(const std::string value, expander_.Expand(entry.value));
      PISHIP_CHECK(Set(entry.name, value));
    }
    if (lock_.engine.prepare) PISHIP_CHECK(TellScript());
    PISHIP_TRY(start_.flags, ExpandAll(lock_.engine.flags));
    PISHIP_TRY(start_.arguments, ExpandAll(lock_.arguments));
    return std::move(start_);
  }

 private:
  void KeepUserValues() {
    for (std::size_t index = 0; index < kEngineVariables.size(); ++index) {
      user_[index] = Value(kEngineVariables[index]);
      unsetenv(kEngineVariables[index]);
    }
  }

  // What differs between the engine's variables, which are the owner's, and the user's.
  Status TellScript() {
    if (const auto options = Value(kUserOptions)) PISHIP_CHECK(Set("NODE_OPTIONS", *options));
    std::string names;
    for (std::size_t index = 0; index < kEngineVariables.size(); ++index) {
      const std::string name = kEngineVariables[index];
      unsetenv((kUserValue + name).c_str());
      if (Value(name) == user_[index]) continue;
      names += (names.empty() ? "" : " ") + name;
      if (user_[index]) PISHIP_CHECK(Set(kUserValue + name, *user_[index]));
    }
    unsetenv(kCompileCache);
    if (lock_.compile_cache) {
      // Nothing needs the cache, so a start does not fail because there is no home for it.
      if (const auto home = StateHomeFromEnvironment()) {
        PISHIP_CHECK(Set(kCompileCache, CompileCacheDirectory(*home, lock_.id, lock_.version)));
        start_.prepares = true;
      }
    }
    start_.prepares = start_.prepares || !names.empty();
    if (start_.prepares) return Set(kRestore, names);
    unsetenv(kRestore);
    return {};
  }

  Result<std::vector<std::string>> ExpandAll(const std::vector<std::string>& texts) {
    std::vector<std::string> values;
    values.reserve(texts.size());
    for (const std::string& text : texts) {
      PISHIP_TRY(std::string value, expander_.Expand(text));
      values.push_back(std::move(value));
    }
    return values;
  }

  const DistributionLock& lock_;
  Expander expander_;
  std::array<std::optional<std::string>, kEngineVariables.size()> user_;
  EngineStart start_;
};

}  // namespace

Result<EngineStart> PrepareStart(const DistributionLock& lock, const std::string& payload) {
  return Preparation(lock, payload).Run();
}

}  // namespace piship
