// SPDX-License-Identifier: MIT
// What an npm package contains, as it comes to lie on disk, and the memory of it: a package is unpacked once ever, and
// then known by its integrity. docs/formats/package.md has the text that is remembered.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/inventory.h"
#include "store/store.h"
#include "vendor/tarball.h"

namespace piship {

// A file that begins with "#!" and a line that ends as on Windows. npm takes the carriage return out if the file is a
// command of its package, since no Unix would start it.
struct UnixScript {
  RelativePath path;
  Digest digest;  // without the carriage return
  std::uint64_t size = 0;
};

struct Package {
  std::vector<InventoryEntry> files;  // sorted by path
  std::vector<UnixScript> scripts;
  std::vector<SkippedEntry> skipped;

  std::string Text() const;
  static std::optional<Package> Parse(std::string_view text);
};

// Puts every file's content into the store. `name` ("name@version") is the subject of errors.
Result<Package> UnpackPackage(std::string_view tarball, std::string_view name, const Store& store);

// The key under which a package is remembered: changes with every rule that decides what a tarball becomes.
std::string PackageKey(std::string_view canonical_integrity);
inline constexpr std::string_view kPackageMemo = "package";

// The file's content as npm leaves it where it is a command; nothing where it stays as it is.
std::optional<std::string> WithUnixFirstLine(std::string_view content);

}  // namespace piship
