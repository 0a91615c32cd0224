// SPDX-License-Identifier: MIT
#include "installer/installer.h"

#include <fcntl.h>

#include <algorithm>

#include "base/digest.h"
#include "base/files.h"
#include "base/pending_file.h"
#include "format/archive_file.h"
#include "format/installer_file.h"
#include "format/read_at.h"

namespace piship {
namespace {

constexpr std::string_view kPayloadRuntime = "bin/piship";
constexpr std::size_t kStep = std::size_t{256} * 1024;
constexpr unsigned kInstallerMode = 0777;

struct Copied {
  std::uint64_t bytes = 0;
  Digest digest;
};

Result<Copied> Copy(int fd, const std::string& name, PendingFile& out) {
  Copied copied;
  Sha256 hash;
  std::string piece(kStep, '\0');
  for (;;) {
    PISHIP_TRY(const std::size_t count, ReadSome(fd, piece.data(), piece.size(), name));
    if (count == 0) break;
    const std::string_view bytes(piece.data(), count);
    hash.Update(bytes);
    copied.bytes += count;
    PISHIP_CHECK(out.Append(bytes));
  }
  copied.digest = hash.Finish();
  return copied;
}

// What is installed is the runtime of the payload, so it must be the one that installs: whoever has checked one has
// checked the other. And its end must be known, so that an installer which was cut can say so.
Status CheckRuntime(const InstallerOptions& options, int fd, const Copied& runtime, const Inventory& inventory) {
  const InventoryEntry* entry = inventory.Find(kPayloadRuntime);
  if (entry == nullptr || entry->digest != runtime.digest) {
    return Fail(ErrorCode::kPayloadInvalid, "'" + options.runtime + "' is not the " + std::string(kPayloadRuntime) +
                                                " of '" + options.archive + "'");
  }
  std::string beginning;
  const std::uint64_t size = std::min<std::uint64_t>(runtime.bytes, kProgramHeaderBytes);
  PISHIP_CHECK(ReadAt(fd, 0, static_cast<std::size_t>(size), options.runtime, beginning));
  if (EndOfProgram(beginning) != runtime.bytes) {
    return Fail(ErrorCode::kPayloadInvalid, "'" + options.runtime + "' is not a program that ends with its sections",
                "an installer needs the runtime as it was linked: not packed, with nothing behind it");
  }
  return {};
}

}  // namespace

Status MakeInstaller(const InstallerOptions& options) {
  PISHIP_TRY(const UniqueFd runtime, OpenFile(options.runtime, O_RDONLY));
  PISHIP_TRY(const UniqueFd archive, OpenFile(options.archive, O_RDONLY));
  PISHIP_TRY(const ArchiveFile index, ArchiveFile::Open(archive.get(), options.archive));

  PendingFile file(options.output, kInstallerMode);
  PISHIP_CHECK(file.Create());
  PISHIP_TRY(const Copied program, Copy(runtime.get(), options.runtime, file));
  PISHIP_CHECK(CheckRuntime(options, runtime.get(), program, index.inventory()));
  PISHIP_TRY(const Copied release, Copy(archive.get(), options.archive, file));
  PISHIP_CHECK(file.Append(InstallerTrailerBytes({program.bytes, release.bytes, program.digest, release.digest})));
  PISHIP_TRY(const Digest digest, file.Commit());
  const std::string checksum = digest.Hex() + "  " + std::string(FileName(options.output)) + "\n";
  PISHIP_CHECK(WriteFileIfChanged(options.checksum, checksum));
  return {};
}

}  // namespace piship
