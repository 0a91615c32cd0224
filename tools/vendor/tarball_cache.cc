// SPDX-License-Identifier: MIT
#include "vendor/tarball_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

namespace piship {
namespace {

constexpr std::string_view kTemporaryPrefix = ".tmp-";
constexpr std::chrono::hours kTemporaryLifetime{24};
constexpr std::size_t kLargestTarball = std::size_t{1} << 30;

void RemoveOldTemporaries(const std::string& directory) {
  std::error_code error;
  const auto now = std::filesystem::file_time_type::clock::now();
  // Not a range-based loop: its increment throws.
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().substr(0, kTemporaryPrefix.size()) != kTemporaryPrefix) continue;
    std::error_code ignored;
    const auto written = entry->last_write_time(ignored);
    if (!ignored && now - written > kTemporaryLifetime) std::filesystem::remove(entry->path(), ignored);
  }
}

std::string HashOf(HashAlgorithm algorithm, std::string_view bytes) {
  Hasher hasher(algorithm);
  hasher.Update(bytes);
  return hasher.Finish();
}

}  // namespace

Result<TarballCache> TarballCache::Open(const std::string& directory) {
  PISHIP_CHECK(MakeDirectories(directory));
  RemoveOldTemporaries(directory);
  return TarballCache(directory);
}

std::string TarballCache::PathOf(HashAlgorithm algorithm, std::string_view raw_digest) const {
  const std::string hex = HexOf(raw_digest);
  return directory_ + "/" + std::string(HashAlgorithmName(algorithm)) + "/" + hex.substr(0, 2) + "/" + hex + ".tgz";
}

std::string TarballCache::PathOfUrl(std::string_view url) const {
  const std::string hex = Digest::Of(url).Hex();
  return directory_ + "/url/" + hex.substr(0, 2) + "/" + hex;
}

Result<std::optional<std::string>> TarballCache::Read(const Integrity& integrity) const {
  for (const std::string& digest : integrity.digests()) {
    const std::string path = PathOf(integrity.algorithm(), digest);
    auto bytes = ReadFile(path, kLargestTarball);
    if (!bytes && bytes.error().code == ErrorCode::kFileNotFound) continue;
    if (bytes && HashOf(integrity.algorithm(), *bytes) == digest) return std::optional<std::string>(*std::move(bytes));
    if (!bytes && bytes.error().code != ErrorCode::kLimitExceeded && bytes.error().code != ErrorCode::kFileInvalid) {
      return Fail(std::move(bytes).error());
    }
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  return std::optional<std::string>();
}

std::optional<Integrity> TarballCache::Recall(std::string_view url) const {
  const auto text = ReadFile(PathOfUrl(url), 4096);
  if (!text) return std::nullopt;
  auto integrity = Integrity::Parse(*text);
  return integrity ? std::optional<Integrity>(*std::move(integrity)) : std::nullopt;
}

Status TarballCache::Remember(std::string_view url, const Integrity& integrity) const {
  const std::string path = PathOfUrl(url);
  PISHIP_CHECK(MakeDirectories(ParentPath(path)));
  return WriteFileAtomically(path, integrity.Canonical() + "\n");
}

TarballWriter::TarballWriter(const TarballCache& cache, HashAlgorithm algorithm)
    : cache_(cache), algorithm_(algorithm), hasher_(algorithm) {}

TarballWriter::~TarballWriter() { Discard(); }

void TarballWriter::Discard() {
  file_.Reset();
  if (!path_.empty()) unlink(path_.c_str());
  path_.clear();
  hasher_.Reset();
  bytes_ = 0;
}

Status TarballWriter::Begin(const ResponseHead&) {
  Discard();
  path_ = TemporaryNameFor(JoinPath(cache_.directory(), "tarball"));
  auto file = OpenFile(path_, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) {
    path_.clear();
    return Fail(std::move(file).error());
  }
  file_ = *std::move(file);
  return {};
}

Status TarballWriter::Take(std::string_view bytes) {
  hasher_.Update(bytes);
  bytes_ += bytes.size();
  return WriteAll(file_.get(), bytes, path_);
}

Result<Integrity> TarballWriter::Commit(const std::optional<Integrity>& expected) {
  if (!file_.valid()) return Fail(ErrorCode::kHttpFailed, "the server sent no body");
  const std::string digest = hasher_.Finish();
  if (expected && !expected->Matches(digest)) {
    Error error{ErrorCode::kIntegrityMismatch,
                "expected " + expected->Canonical() + ", found " + FormatIntegrity(algorithm_, digest) + " (" +
                    std::to_string(bytes_) + " bytes)",
                "The registry holds other bytes than those that were locked: find out why before you change the lock."};
    Discard();
    return Fail(std::move(error));
  }
  const std::string path = cache_.PathOf(algorithm_, digest);
  PISHIP_CHECK(MakeDirectories(ParentPath(path)));
  file_.Reset();
  if (rename(path_.c_str(), path.c_str()) != 0) return Fail(SystemError("rename " + path_ + " to " + path, errno));
  path_.clear();
  return Integrity::Parse(FormatIntegrity(algorithm_, digest));
}

}  // namespace piship
