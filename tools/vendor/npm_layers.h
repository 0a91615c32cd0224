// SPDX-License-Identifier: MIT
// Finds and reads the layers of npm's configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "vendor/npmrc.h"

namespace piship {

struct NpmSetting {
  std::vector<std::string> values;  // expanded; never empty
  std::string source;               // a file, or "environment"
  json::Position position;          // zero for the environment
  const std::string& value() const { return values.back(); }
};

struct NpmLayer {
  std::string source;
  bool is_file = false;
  std::map<std::string, NpmSetting, std::less<>> settings;
};

class NpmLayers {
 public:
  // Missing files are empty layers. kPermissionDenied, kIoFailed, kFileInvalid or kLimitExceeded of a file that is
  // there.
  static Result<NpmLayers> Read(const std::string& project_directory, const Environment& environment);

  // The environment first, the built-in configuration last.
  const std::vector<NpmLayer>& layers() const { return layers_; }
  // The setting of the first layer that names `key`; null where none does.
  const NpmSetting* Find(std::string_view key) const;

 private:
  Status AddFile(const std::string& path, const Environment& environment);
  std::vector<NpmLayer> layers_;
};

// `path` as npm has it: "~/" is the home directory, other relative paths start at `base`.
std::string ResolvePath(std::string_view path, const std::string& base, const Environment& environment);

}  // namespace piship
