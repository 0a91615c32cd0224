// SPDX-License-Identifier: MIT
#include "vendor/package_source.h"

#include <algorithm>
#include <unordered_map>

#include "base/parallel.h"
#include "vendor/integrity.h"

namespace piship {

Result<PackageRequest> MakePackageRequest(TarballRequest tarball) {
  PackageRequest request{std::move(tarball), {}};
  if (request.tarball.integrity.empty()) return request;
  PISHIP_TRY(const Integrity integrity, Integrity::Parse(request.tarball.integrity));
  request.key = PackageKey(integrity.Canonical());
  return request;
}

Result<std::vector<Package>> PackageSource::Load(const std::vector<PackageRequest>& requests, Recall recall) {
  std::vector<Package> packages(requests.size());
  std::vector<char> known(requests.size());
  // The first request of each key stands for all of them.
  std::unordered_map<std::string_view, std::size_t> firsts;
  std::vector<std::size_t> same(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    same[i] = requests[i].key.empty() ? i : firsts.try_emplace(requests[i].key, i).first->second;
  }
  PISHIP_CHECK(ParallelFor(requests.size(), 0, [&](std::size_t i, unsigned) -> Status {
    if (recall == Recall::kRefused || same[i] != i || requests[i].key.empty()) return {};
    const auto text = store_.Recall(kPackageMemo, requests[i].key);
    auto package = text ? Package::Parse(*text) : std::nullopt;
    if (!package) return {};
    packages[i] = *std::move(package);
    known[i] = 1;
    return {};
  }));
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (same[i] == i && known[i] == 0) wanted.push_back(i);
  }
  if (!wanted.empty()) PISHIP_CHECK(Unpack(requests, wanted, packages));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (same[i] != i) packages[i] = packages[same[i]];
  }
  return packages;
}

Status PackageSource::Unpack(const std::vector<PackageRequest>& requests, const std::vector<std::size_t>& wanted,
                             std::vector<Package>& packages) {
  std::vector<TarballRequest> tarballs;
  tarballs.reserve(wanted.size());
  for (const std::size_t index : wanted) tarballs.push_back(requests[index].tarball);
  auto summary = FetchTarballs(tarballs, fetch_, [&](std::size_t i, std::string_view tarball) -> Status {
    const PackageRequest& request = requests[wanted[i]];
    PISHIP_TRY(Package package, UnpackPackage(tarball, request.tarball.name + "@" + request.tarball.version, store_));
    // Remembered last: the memory of a package says that its objects were put.
    if (!request.key.empty()) PISHIP_CHECK(store_.Remember(kPackageMemo, request.key, package.Text()));
    packages[wanted[i]] = std::move(package);
    return {};
  });
  if (!summary) return Fail(std::move(summary).error());
  for (std::string& warning : summary->warnings) {
    if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end())
      warnings_.push_back(std::move(warning));
  }
  return {};
}

}  // namespace piship
