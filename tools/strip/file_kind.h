// SPDX-License-Identifier: MIT
// What a file of an npm package is, as far as its name tells.
#pragma once

#include <cstdint>
#include <string_view>

namespace piship::strip {

enum class FileKind : std::uint8_t {
  kOther,        // documentation, images, ...: of no interest here
  kMap,          // *.map: a source map if its text is one
  kDeclaration,  // *.d.ts, *.d.mts, *.d.cts
  kTypeScript,   // *.ts, *.mts, *.cts otherwise
  kManifest,     // package.json, at the package's root or deeper
  kCode,         // what may run or be read by what runs: scripts, JSON, native modules, programs
};

// `path` is relative to the package.
FileKind KindOf(std::string_view path);

}  // namespace piship::strip
