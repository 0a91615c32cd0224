// SPDX-License-Identifier: MIT
// The content store: bytes under their SHA-256, shared by every build of a user. docs/formats/store.md has the layout and
// the rules that make it safe for several processes and for a kill at any moment.
//
// What Read gives always matches its digest. A damaged object is named, removed (epoch first) and reported as
// kObjectDamaged; a missing one rewrites the epoch and is kObjectMissing, so that the next build makes it again.
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

class Store {
 public:
  // Makes the directory and the epoch where they are missing. Safe while other processes use the store.
  static Result<Store> Open(const std::string& directory);

  // Absolute; every edge that puts objects lists it in its depfile.
  const std::string& epoch_path() const { return epoch_path_; }

  // Puts bytes, or the content of a regular file read once in pieces. An object that is there is not written again.
  // All functions may be called from several threads.
  Result<Digest> Put(std::string_view bytes) const;
  Result<Digest> PutAs(const Digest& digest, std::string_view bytes) const;  // the caller has hashed the bytes
  Result<StoredObject> PutFile(const std::string& path) const;

  // The whole object, checked.
  Result<std::string> Read(const Digest& digest, std::uint64_t size) const;
  // The object in pieces, in order; the last call may be followed by an error, so a taker acts on success only.
  Status Stream(const Digest& digest, std::uint64_t size, const std::function<Status(std::string_view)>& take) const;

  // The digests of `inventory` that the store lacks, by name and size only; each once.
  Result<std::vector<Digest>> Missing(const Inventory& inventory) const;

  // Remembered results: a small text under a kind ("package", "frame") and a key of any bytes. Absent, damaged or written
  // for another key: nothing.
  std::optional<std::string> Recall(std::string_view kind, std::string_view key) const;
  Status Remember(std::string_view kind, std::string_view key, std::string_view value) const;

  // Rewrites the epoch, so that every edge which puts objects runs again.
  Status TouchEpoch() const;

 private:
  explicit Store(std::string directory);
  std::string directory_;
  std::string epoch_path_;
};

}  // namespace piship
