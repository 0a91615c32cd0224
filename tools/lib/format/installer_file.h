// SPDX-License-Identifier: MIT
// The single-file installer: the runtime, a release archive, and a trailer that says where the archive lies.
// docs/formats/installer.md fixes the bytes. The digests find damage; they prove nothing about who made the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"

namespace piship {

struct InstallerTrailer {
  std::uint64_t program_bytes = 0;  // the archive begins there
  std::uint64_t archive_bytes = 0;
  Digest program;
  Digest archive;
  bool operator==(const InstallerTrailer&) const = default;
};

inline constexpr std::size_t kInstallerTrailerBytes = 96;

std::string InstallerTrailerBytes(const InstallerTrailer& trailer);

// `bytes` are the last ones of a file of `file_bytes`; `name` is the subject of errors. Absent where they are no
// trailer of any format. kFormatNewer, kArchiveInvalid where the numbers do not add up to the file.
Result<std::optional<InstallerTrailer>> ParseInstallerTrailer(std::string_view bytes, std::uint64_t file_bytes,
                                                              std::string_view name);

// Where a program of the ELF format ends, as its first bytes say (64 of them are enough): what lies behind was
// appended. Absent where they are no such beginning or do not tell.
inline constexpr std::size_t kProgramHeaderBytes = 64;
std::optional<std::uint64_t> EndOfProgram(std::string_view beginning);

// What the open regular file `fd`, read by position, carries; absent where it is no installer: an archive, or a program
// with no archive behind it. kArchiveTruncated where an archive begins behind the program and the trailer is missing.
Result<std::optional<InstallerTrailer>> FindInstaller(int fd, std::string_view name);

// That the program of an installer is the one that the trailer names. Reads it by position, a piece at a time.
// kIntegrityFailed.
Status CheckInstallerProgram(int fd, const InstallerTrailer& trailer, std::string_view name);

}  // namespace piship
