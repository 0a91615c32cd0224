// SPDX-License-Identifier: MIT
// The content store: bytes under their SHA-256, shared by every build of a user. docs/formats/store.md has the layout
// and the rules that make it safe for several processes and for a kill at any moment.
//
// What Read gives always matches its digest. A damaged object is named, removed (epoch first) and reported as
// kObjectDamaged; a missing one rewrites the epoch and is kObjectMissing, so that the next build makes it again.
// Nothing is synced: what a power cut spoils is found by its digest like any other damage.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "model/inventory.h"

namespace piship {

struct StoredObject {
  Digest digest;
  std::uint64_t size = 0;  // bytes
};

struct PruneLimits {
  std::uint64_t max_bytes = UINT64_MAX;     // of objects and memos together
  std::uint64_t max_age_days = UINT64_MAX;  // since the last use
  std::uint64_t max_seconds = 60;           // of work; what is left is for the next time
};

struct StoreReport {
  std::uint64_t files = 0;  // objects and memos that were looked at
  std::uint64_t bytes = 0;
  std::uint64_t removed_files = 0;
  std::uint64_t removed_bytes = 0;
  std::vector<std::string> damaged = {};  // what Check removed, each with its reason
  bool complete = true;                   // false: the time was up, or another process is pruning
};

class Store {
 public:
  // Makes the directory and the epoch where they are missing. Safe while other processes use the store.
  static Result<Store> Open(const std::string& directory);

  // Absolute; every edge that puts objects lists it in its depfile.
  const std::string& epoch_path() const;

  // All functions may be called from several threads, and a Store may be copied: copies share what is open.

  // Puts bytes, or the content of a regular file read once in pieces. An object that is there is not written again.
  Result<Digest> Put(std::string_view bytes) const;
  Result<Digest> PutAs(const Digest& digest, std::string_view bytes) const;  // the caller has hashed the bytes
  Result<StoredObject> PutFile(const std::string& path) const;               // links are followed
  Result<StoredObject> PutOpenFile(int fd, std::string_view name) const;     // from its position to its end

  // The whole object, checked. `size` is what the inventory says; an intact object of another size is
  // kInventoryInvalid.
  Result<std::string> Read(const Digest& digest, std::uint64_t size) const;
  // The same into a buffer that is kept between calls.
  Status ReadInto(const Digest& digest, std::uint64_t size, std::string& buffer) const;
  // The object in pieces, in order; the last call may be followed by an error, so a taker acts on success only.
  Status Stream(const Digest& digest, std::uint64_t size, const std::function<Status(std::string_view)>& take) const;
  // Makes the empty file behind `fd` share the object's blocks (FICLONE), and checks the object. False where the file
  // system can't; the file is then still empty.
  Result<bool> CloneTo(const Digest& digest, std::uint64_t size, int fd) const;

  // The digests of `inventory` that the store lacks, by name, kind and size only; each once. Marks the others as used.
  Result<std::vector<Digest>> Missing(const Inventory& inventory) const;
  Result<std::vector<Digest>> Missing(const std::vector<StoredObject>& objects) const;

  // Remembered results: a small text under a kind ("package", "frame") and a key of any bytes. Absent, damaged or
  // written for another key: nothing. A kind has lower-case letters, digits and hyphens.
  std::optional<std::string> Recall(std::string_view kind, std::string_view key) const;
  Status Remember(std::string_view kind, std::string_view key, std::string_view value) const;

  // Rewrites the epoch, so that every edge which puts objects runs again.
  Status TouchEpoch() const;

  // Removes what was not used for long, the oldest first, and what killed writers left. Never waits for another pruner.
  Result<StoreReport> Prune(const PruneLimits& limits) const;
  // Reads and hashes everything; removes what is damaged or does not belong here.
  Result<StoreReport> Check() const;

 private:
  struct Impl;
  explicit Store(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace piship
