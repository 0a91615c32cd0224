// SPDX-License-Identifier: MIT
// A large file that is written piece by piece: it gets its name last, by rename, and only where its content changed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/files.h"
#include "base/result.h"

namespace piship {

class PendingFile {
 public:
  // `mode` less the umask is the file's.
  explicit PendingFile(std::string path, unsigned mode = 0666);
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();  // what was not committed is gone

  Status Create();
  Status Append(std::string_view bytes);
  std::uint64_t bytes() const { return bytes_; }  // appended so far

  // Puts the file in its place. An equal one (content, and who may execute it) stays, with its time. Gives the digest.
  Result<Digest> Commit();

 private:
  Result<bool> IsThere();

  std::string path_;
  std::string temporary_;
  unsigned mode_;
  UniqueFd fd_;
  Sha256 hash_;
  std::uint64_t bytes_ = 0;
};

}  // namespace piship
