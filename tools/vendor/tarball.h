// SPDX-License-Identifier: MIT
// npm package tarballs, read as npm reads them where they are well formed and refused where they are not.
// docs/vendor.md lists what is honoured, skipped and refused; docs/adr/0011 says why libarchive is not the reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/inventory.h"
#include "vendor/gunzip.h"

namespace piship {

// An entry that npm does not unpack either.
struct SkippedEntry {
  std::string path;    // as the tarball has it
  std::string reason;  // "symbolic link", "hard link", "device", ...
  bool operator==(const SkippedEntry&) const = default;
};

struct TarballFile {
  RelativePath path;       // without the tarball's first directory
  std::string_view bytes;  // into Tarball::data
  FileMode mode = FileMode::kPlain;
};

struct Tarball {
  Bytes data;
  std::vector<TarballFile> files;  // sorted by path, each path once
  std::vector<SkippedEntry> skipped;
};

struct TarballLimits {
  GunzipLimits gunzip;
  std::size_t entries = 500'000;
};

// `compressed` is gzip or a plain tar archive. `package` ("name@version") is the subject of errors: kTarballInvalid,
// kLimitExceeded, kPathConflict.
Result<Tarball> ReadTarball(std::string_view compressed, std::string_view package, const TarballLimits& limits = {});

}  // namespace piship
