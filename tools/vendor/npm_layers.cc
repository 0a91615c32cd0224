// SPDX-License-Identifier: MIT
// npm finds its files from what it has read so far: environment and project may move the user's file, those three the
// global one, whose ordinary place follows from where Node and npm themselves lie.
#include "vendor/npm_layers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"

namespace piship {
namespace {

constexpr std::size_t kNpmrcLimit = std::size_t{1024} * 1024;
constexpr std::string_view kDefaultPrefix = "/usr/local";

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string VariableOr(const Environment& environment, std::string_view name, std::string_view fallback) {
  const auto found = environment.find(name);
  return found == environment.end() || found->second.empty() ? std::string(fallback) : found->second;
}

// Values whose type is a list in npm arrive in the environment with two line feeds between their elements.
std::vector<std::string> SplitList(std::string_view key, const std::string& value) {
  if (key != "ca" && key != "noproxy") return {value};
  std::vector<std::string> values;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = value.find("\n\n", at);
    values.push_back(value.substr(at, end == std::string::npos ? end : end - at));
    if (end == std::string::npos) return values;
    at = end + 2;
  }
}

NpmLayer EnvironmentLayer(const Environment& environment) {
  static constexpr std::string_view kPrefix = "npm_config_";
  NpmLayer layer{"environment", false, {}};
  for (const auto& [name, value] : environment) {
    if (value.empty() || LowerCase(name.substr(0, kPrefix.size())) != kPrefix) continue;
    std::string key = name.substr(kPrefix.size());
    if (key.substr(0, 2) != "//") {
      for (std::size_t i = 1; i < key.size(); ++i) key[i] = key[i] == '_' ? '-' : key[i];
      key = LowerCase(key);
    }
    key = ExpandVariables(key, environment);
    std::vector<std::string> values = SplitList(key, std::string(TrimSpace(value)));
    for (std::string& item : values) item = ExpandVariables(item, environment);
    layer.settings[key] = {std::move(values), layer.source, {}};
  }
  return layer;
}

// The file that a command of PATH is in the end; empty where there is none.
std::string FindProgram(std::string_view name, const Environment& environment) {
  std::string_view path = environment.count("PATH") != 0 ? std::string_view(environment.find("PATH")->second) : "";
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const std::string candidate = JoinPath(path.substr(0, colon), name);
    std::error_code error;
    if (candidate.front() == '/' && std::filesystem::is_regular_file(candidate, error)) {
      const std::filesystem::path real = std::filesystem::canonical(candidate, error);
      if (!error) return real.string();
    }
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
  }
  return {};
}

// npm/npmrc beside npm/bin/npm-cli.js.
std::string BuiltInFile(const Environment& environment) {
  const std::string npm = FindProgram("npm", environment);
  if (npm.empty() || FileName(npm) != "npm-cli.js") return {};
  return JoinPath(ParentPath(ParentPath(npm)), "npmrc");
}

std::string DefaultPrefix(const Environment& environment) {
  if (std::string prefix = VariableOr(environment, "PREFIX", ""); !prefix.empty()) return prefix;
  const std::string node = FindProgram("node", environment);
  std::string prefix = node.empty() ? std::string(kDefaultPrefix) : ParentPath(ParentPath(node));
  const std::string destination = VariableOr(environment, "DESTDIR", "");
  return destination.empty() ? prefix : JoinPath(destination, std::string_view(prefix).substr(1));
}

}  // namespace

std::string ResolvePath(std::string_view path, const std::string& base, const Environment& environment) {
  if (path.substr(0, 2) == "~/") return JoinPath(VariableOr(environment, "HOME", "/"), path.substr(2));
  if (path.substr(0, 1) == "/") return std::string(path);
  return JoinPath(base, path);
}

Status NpmLayers::AddFile(const std::string& path, const Environment& environment) {
  NpmLayer layer{path, true, {}};
  std::error_code ignored;
  if (!path.empty() && std::filesystem::exists(path, ignored)) {
    PISHIP_TRY(const std::string text, ReadFile(path, kNpmrcLimit));
    for (NpmrcEntry& entry : ParseNpmrc(text)) {
      const std::string key = ExpandVariables(entry.key, environment);
      std::vector<std::string> values;
      for (const std::string& value : entry.values) {
        for (const std::string& item : SplitList(key, value)) values.push_back(ExpandVariables(item, environment));
      }
      layer.settings[key] = {std::move(values), path, entry.position};
    }
  }
  layers_.push_back(std::move(layer));
  return {};
}

Result<NpmLayers> NpmLayers::Read(const std::string& project_directory, const Environment& environment) {
  const auto path_of = [&](const NpmSetting* setting, const std::string& otherwise) {
    if (setting == nullptr || setting->value().empty()) return otherwise;
    return ResolvePath(setting->value(), project_directory, environment);
  };
  NpmLayers result;
  // The built-in layer comes last, but may say where others are: read it first, then put it behind them.
  PISHIP_CHECK(result.AddFile(BuiltInFile(environment), environment));
  NpmLayer built_in = std::move(result.layers_.back());
  result.layers_.clear();
  result.layers_.push_back(EnvironmentLayer(environment));
  const auto find = [&](std::string_view key) {
    const NpmSetting* setting = result.Find(key);
    const auto below = built_in.settings.find(key);
    return setting != nullptr || below == built_in.settings.end() ? setting : &below->second;
  };
  const std::string home_file = JoinPath(VariableOr(environment, "HOME", "/"), ".npmrc");
  const std::string project_file = JoinPath(project_directory, ".npmrc");
  std::error_code ignored;
  if (!std::filesystem::equivalent(project_file, path_of(find("userconfig"), home_file), ignored)) {
    PISHIP_CHECK(result.AddFile(project_file, environment));
  }
  PISHIP_CHECK(result.AddFile(path_of(find("userconfig"), home_file), environment));
  const std::string prefix = path_of(find("prefix"), DefaultPrefix(environment));
  PISHIP_CHECK(result.AddFile(path_of(find("globalconfig"), JoinPath(prefix, "etc/npmrc")), environment));
  result.layers_.push_back(std::move(built_in));
  return result;
}

const NpmSetting* NpmLayers::Find(std::string_view key) const {
  for (const NpmLayer& layer : layers_) {
    const auto found = layer.settings.find(key);
    if (found != layer.settings.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace piship
