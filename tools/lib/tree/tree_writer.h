// SPDX-License-Identifier: MIT
// Creates files below one directory, from several threads at once. It never follows a link and never overwrites: a name
// that exists in whatever form is an error, except directories, which are entered when they are real ones.
//
// Modes are exactly 0644, 0755 and (directories) 0755, whatever the umask and default ACLs say. Nothing is synced.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/files.h"
#include "base/result.h"
#include "model/inventory.h"

namespace piship {

class TreeWriter {
 public:
  // Uses the open directory `directory`, which must stay open; `name` is what errors call it.
  TreeWriter(int directory, std::string name) : directory_(directory), name_(std::move(name)) {}
  TreeWriter(const TreeWriter&) = delete;
  TreeWriter& operator=(const TreeWriter&) = delete;

  // A whole file. Safe from several threads.
  Status Create(const RelativePath& path, FileMode mode, std::string_view bytes);

  // A file in parts: for one file one call at a time, on whatever thread. A File that is destroyed without Finish
  // leaves what was written.
  class File {
   public:
    File(File&&) noexcept = default;
    File& operator=(File&&) noexcept = default;
    Status Append(std::string_view bytes);
    // Reports what the system has held back until close(2).
    Status Finish();
    // For copying by other means (reflink); position and content are then the caller's.
    int fd() const { return fd_.get(); }

   private:
    friend class TreeWriter;
    File(UniqueFd fd, std::string subject) : fd_(std::move(fd)), subject_(std::move(subject)) {}
    UniqueFd fd_;
    std::string subject_;
  };
  // `size` is reserved on the disk at once where the file system can, so that a full one shows before hours of copying.
  Result<File> Begin(const RelativePath& path, FileMode mode, std::uint64_t size);

 private:
  Result<UniqueFd> Open(const RelativePath& path, FileMode mode);
  Status MakeParents(std::string_view parent);
  std::string Subject(std::string_view path) const;

  // Whether files come out with the mode that was asked for: found out by the first file of each mode, since the umask
  // and an inherited ACL are the same for the whole tree.
  enum class ModeFit : std::uint8_t { kUnknown, kExact, kNeedsChmod };

  int directory_;
  std::string name_;
  std::array<std::atomic<ModeFit>, 2> mode_fit_{};
  std::mutex mutex_;  // protects made_
  std::unordered_set<std::string> made_;
};

}  // namespace piship
