// SPDX-License-Identifier: MIT
// The tar format (POSIX.1-2017 pax, section "pax Interchange Format"; GNU tar's 'L' and 'K' entries): from bytes in
// memory to headers with names, types and bodies. What the names mean is tarball.cc's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship {

struct TarEntry {
  std::string path;
  char type = '0';  // '0' also for the NUL of old archives; '5' also for a file whose name ends in a slash
  std::uint32_t mode = 0;
  std::string_view body;
};

// Strict where readers differ, because a difference lets an archive mean two things. Errors are: a bad checksum, a
// malformed number or pax record, a pax header that gives a name or size and is filled up with zeros, names, links or
// sizes that a global header gives, two extensions that contradict each other, content behind what is no file, sparse
// files in pax or with more headers, a prefix in a header that is not POSIX ustar, entries behind a block of zeros, and
// an end inside an entry.
class TarParser {
 public:
  explicit TarParser(std::string_view bytes) : rest_(bytes) {}
  // The next entry that is no extension header; nothing at the end. kTarballInvalid does not name the archive.
  Result<std::optional<TarEntry>> Next();

 private:
  struct Extensions {
    std::optional<std::string> path;
    std::optional<std::uint64_t> size;
    bool any = false;
  };
  Result<bool> Header(TarEntry& entry, Extensions& extensions);
  Status Extend(char type, std::string_view body, Extensions& extensions);
  static Status ReadPaxRecords(std::string_view body, Extensions& extensions, bool global);
  Status CheckBlock(const TarEntry& entry) const;

  std::string_view rest_;
  std::string_view block_;
};

}  // namespace piship
