// SPDX-License-Identifier: MIT
// npm tarballs on disk, by what they must hash to: <directory>/<algorithm>/<first two digits>/<hexadecimal>.tgz. A file
// is checked whenever it is read, so a damaged one is the same as none. A tarball without integrity lies under its
// SHA-256, which <directory>/url/<first two digits>/<SHA-256 of its URL> names. Several processes may use one
// directory: files appear by rename, complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "net/http_client.h"
#include "vendor/integrity.h"

namespace piship {

class TarballCache {
 public:
  // Makes the directory, and removes temporary files of killed processes that are older than a day.
  static Result<TarballCache> Open(const std::string& directory);

  // The bytes, checked; nothing where they are missing or damaged (then the file is removed).
  Result<std::optional<std::string>> Read(const Integrity& integrity) const;
  // The integrity of what came from `url` before.
  std::optional<Integrity> Recall(std::string_view url) const;
  Status Remember(std::string_view url, const Integrity& integrity) const;

  std::string PathOf(HashAlgorithm algorithm, std::string_view raw_digest) const;
  const std::string& directory() const { return directory_; }

 private:
  explicit TarballCache(std::string directory) : directory_(std::move(directory)) {}
  std::string PathOfUrl(std::string_view url) const;
  std::string directory_;
};

// Writes a tarball into the cache while it arrives, and hashes it on the way. What is not committed leaves no trace.
class TarballWriter : public BodySink {
 public:
  TarballWriter(const TarballCache& cache, HashAlgorithm algorithm);
  ~TarballWriter() override;
  Status Begin(const ResponseHead& head) override;
  Status Take(std::string_view bytes) override;

  std::uint64_t bytes() const { return bytes_; }
  // Puts the file in its place if `expected` (where there is one) matches; kIntegrityMismatch names both digests.
  Result<Integrity> Commit(const std::optional<Integrity>& expected);

 private:
  void Discard();
  const TarballCache& cache_;
  HashAlgorithm algorithm_;
  Hasher hasher_;
  std::string path_;
  UniqueFd file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace piship
