// SPDX-License-Identifier: MIT
// The user's npm configuration, as far as fetching tarballs needs it: the layers that npm reads, in npm's order, and
// what they say about registries, credentials, certificates, proxies and patience. docs/npm-configuration.md has the
// rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http_client.h"
#include "vendor/npmrc.h"

namespace piship {

struct Credentials {
  std::string authorization;  // an Authorization header's value; empty where there are no credentials
  std::string key;            // the setting that they come from, for messages
};

// npm's replace-registry-host. What npm's default means is read as "always".
struct ReplaceHost {
  enum class Rule : std::uint8_t { kAlways, kNever, kHost } rule = Rule::kAlways;
  std::string host;  // kHost: of `resolved` URLs that are replaced
};

class NpmConfig {
 public:
  // Reads environment, project, user, global and built-in configuration. `registry` counts where none of them names
  // one. kNpmrcInvalid names every setting that can't be used, with file, line and column. Relative paths in settings
  // start at `project_directory`.
  static Result<NpmConfig> Load(const std::string& project_directory, const Environment& environment,
                                const std::string& registry);

  // The registry for a package, with its final slash; empty where none is configured.
  std::string RegistryFor(std::string_view package) const;
  // The credentials for a URL: those of the longest configured path above it, else those of the package's registry if
  // that is on the same host. Never for another host.
  Credentials CredentialsFor(const Url& url, std::string_view package) const;
  // The key to set for a registry or another URL: "//host/path/:_authToken".
  static std::string AuthTokenKey(const Url& url);

  const HttpOptions& http() const { return http_; }
  std::size_t max_sockets() const { return max_sockets_; }
  const ReplaceHost& replace_host() const { return replace_host_; }
  // One line each, for the user to see.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  friend class NpmConfigLoader;
  Credentials CredentialsAbove(const Url& url) const;
  std::map<std::string, std::string, std::less<>> settings_;  // "registry", "@scope:registry" and "//...:key"
  HttpOptions http_;
  std::size_t max_sockets_ = 15;
  ReplaceHost replace_host_;
  std::vector<std::string> warnings_;
};

}  // namespace piship
