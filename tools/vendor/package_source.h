// SPDX-License-Identifier: MIT
// The contents of packages, from memory where the store knows them and else from their tarballs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/store.h"
#include "vendor/fetch.h"
#include "vendor/package.h"

namespace piship {

// Where a package's tarball is, and under what its content is remembered.
struct PackageRequest {
  TarballRequest tarball;
  std::string key;  // PackageKey of the canonical integrity; empty: never remembered
};

Result<PackageRequest> MakePackageRequest(TarballRequest tarball);

enum class Recall : std::uint8_t {
  kAllowed,
  kRefused,  // unpack again, because the store lacks objects that it should have
};

class PackageSource {
 public:
  PackageSource(const Store& store, const FetchOptions& fetch) : store_(store), fetch_(fetch) {}
  // One content per request. Equal keys are fetched once.
  Result<std::vector<Package>> Load(const std::vector<PackageRequest>& requests, Recall recall);
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Status Unpack(const std::vector<PackageRequest>& requests, const std::vector<std::size_t>& wanted,
                std::vector<Package>& packages);

  const Store& store_;
  const FetchOptions& fetch_;
  std::vector<std::string> warnings_;
};

}  // namespace piship
