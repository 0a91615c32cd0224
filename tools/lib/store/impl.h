// SPDX-License-Identifier: MIT
// What the files of this box share; not for others. Paths below are relative to the store's directory.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/files.h"
#include "store/store.h"

namespace piship {

struct Store::Impl {
  std::string directory;  // absolute
  std::string epoch_path;
  std::string tag;  // random; begins the names of this store's temporary files
  mutable std::atomic<std::uint64_t> temporaries{0};
  mutable std::mutex mutex;                  // protects root
  mutable std::shared_ptr<UniqueFd> root{};  // the open directory; another one after the store was deleted

  std::shared_ptr<UniqueFd> Root() const;
  // Opens the directory anew (and makes it, with an epoch) where the open one was deleted. False where it was not.
  Result<bool> Reopen() const;
  Status OpenRoot() const;

  std::string Subject(std::string_view path) const;  // quoted, for errors
  std::string TemporaryBeside(std::string_view path) const;

  // Writes `bytes` to `path` by temporary file and rename, making its directories where they are missing.
  Status Write(const std::string& path, std::string_view bytes) const;
  // A new temporary file beside `path`.
  Result<UniqueFd> CreateTemporary(const std::string& path, std::string& temporary) const;
  Status MakeParents(const std::string& path) const;
  // Renames; what stands at `path` and is not a file is removed before.
  Status Commit(const std::string& temporary, const std::string& path) const;
  // True where a regular file of that size is at `path`; marks it as used.
  bool IsPresent(const std::string& path, std::uint64_t size) const;

  // A regular file, opened without waiting and marked as used. kObjectMissing, kObjectDamaged (both have been dealt
  // with).
  Result<UniqueFd> OpenObject(const Digest& digest, struct stat& status) const;
  Status TouchEpoch() const;
  Error Missing(const Digest& digest) const;
  // Removes the object, epoch first, unless another file than `fd` (where valid) has taken its name meanwhile.
  Error Damaged(const Digest& digest, int fd, std::string_view reason) const;
  // For an object whose size is not what the caller was told: damaged, or else the caller was told wrong.
  Error WrongSize(const Digest& digest, int fd, std::uint64_t size) const;
};

// "objects/ab/<62 hex>"
std::string ObjectPath(const Digest& digest);

// Files are marked as used by their time of modification, at most once a day, so that reading writes next to nothing.
inline constexpr std::int64_t kDay = std::int64_t{24} * 60 * 60;
bool IsStale(const struct stat& status);
void MarkUsed(int root, const char* path);

inline constexpr std::string_view kTemporaryPrefix = ".tmp-";
inline constexpr std::size_t kPiece = std::size_t{1} << 20;

// The parts of a memo's text; false where it is not one. The views point into `text`.
struct MemoParts {
  std::string_view kind;
  std::string_view key;
  std::string_view value;
};
bool ParseMemo(std::string_view text, MemoParts& parts);
std::string MemoPath(std::string_view kind, std::string_view key);

}  // namespace piship
