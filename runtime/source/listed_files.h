// SPDX-License-Identifier: MIT
// Files of a directory that an inventory lists, read once and held against their digests: a release that was extracted,
// or an installed one of which another is made. No link is followed.
#pragma once

#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/files.h"
#include "base/result.h"
#include "format/archive_reader.h"
#include "model/inventory.h"

namespace piship {

// An installed version of which another release is made.
struct InstalledBase {
  std::string directory;
  Digest inventory;
};

class ListedFiles {
 public:
  // `root` must stay open; `name` is what errors call it, `hint` what they say is to be done. What is not there or
  // does not match is kIntegrityFailed.
  ListedFiles(int root, std::string name, std::string hint)
      : root_(root), name_(std::move(name)), hint_(std::move(hint)) {}

  int root() const { return root_; }
  std::string Subject(std::string_view path) const;
  Result<UniqueFd> Open(std::string_view path) const;
  // The whole file of `entry`.
  Result<std::string> Read(const InventoryEntry& entry) const;
  // Whether the file at `path` is that of `entry`: kIntegrityFailed where it is another one.
  Status Check(std::string_view path, const InventoryEntry& entry) const;
  // Hands the file at `path` on as the content of `entry`, which says its size and digest.
  Status HandOn(std::string_view path, const InventoryEntry& entry, PayloadSink& sink) const;

 private:
  Result<UniqueFd> OpenSized(std::string_view path, const InventoryEntry& entry) const;
  Result<std::string> ReadWhole(int fd, std::string_view path, const InventoryEntry& entry) const;
  Status HandOnParts(int fd, const std::string& subject, const InventoryEntry& entry, PayloadSink& sink) const;
  Error Changed(const std::string& subject) const;

  int root_;
  std::string name_;
  std::string hint_;
};

}  // namespace piship
