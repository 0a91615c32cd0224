// SPDX-License-Identifier: MIT
// The metadata that this machine trusts: root.json, timestamp.json, snapshot.json, targets.json and delegated roles
// under their percent-encoded names, each exactly as it was signed. A file is replaced by rename after its bytes are on
// the device, so a crash leaves the old one or the new one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship::tuf {

class TrustedDirectory {
 public:
  explicit TrustedDirectory(std::string path) : path_(std::move(path)) {}

  // Makes the directory and begins with this root, which must be signed by its own keys. Where a root is there already,
  // it stays, unless the given one is newer than what is there and of the same line: trust never goes back.
  Status Begin(std::string_view text);

  // Absent where there is no such file; a file larger than any that is ever stored is absent too.
  Result<std::optional<std::string>> Load(std::string_view role) const;
  // Roles whose version never goes back (root, timestamp, snapshot) are not replaced by an older one, which another
  // process may have stored meanwhile: kRollback.
  Status Save(std::string_view role, std::string_view bytes, std::int64_t version) const;
  Status Remove(std::string_view role) const;

 private:
  std::string PathOf(std::string_view role) const;
  std::string path_;
};

}  // namespace piship::tuf
