// SPDX-License-Identifier: MIT
// Where the tarball of a lock entry is, and how to get it from there: npm's conventions for registries.
#pragma once

#include <string>

#include "base/result.h"
#include "net/http_client.h"
#include "vendor/fetch.h"
#include "vendor/npm_config.h"

namespace piship {

// Where to look first. `by_convention`: the URL follows from name and version, so where nothing lies there the
// registry's metadata may know another place.
struct TarballPlace {
  Url url;
  bool by_convention = false;
};

class Registry {
 public:
  // Both outlive it.
  Registry(const NpmConfig& config, HttpClient& client) : config_(config), client_(client) {}

  // No request is made. kRegistryUnknown where only a registry could say it and none is configured; kLockfileInvalid
  // for a name, a version or a URL that can't be used.
  Result<TarballPlace> Locate(const TarballRequest& request) const;

  // The tarball's bytes to `sink`. kAuthenticationFailed names the setting, kHttpFailed the status.
  Status Download(const TarballRequest& request, BodySink& sink) const;

 private:
  Result<HttpResponse> Get(const Url& url, const TarballRequest& request, std::string accept, std::uint64_t limit,
                           BodySink& sink) const;
  // "dist.tarball" of the package's metadata.
  Result<Url> AskMetadata(const TarballRequest& request) const;
  Error StatusError(const Url& url, const TarballRequest& request, const HttpResponse& response) const;

  const NpmConfig& config_;
  HttpClient& client_;
};

}  // namespace piship
