// SPDX-License-Identifier: MIT
#include "source/release_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "format/installer_file.h"
#include "source/release_directory.h"

namespace piship {

Result<SourceKind> KindOfSource(const std::string& source) {
  if (source == "-") {
    if (isatty(STDIN_FILENO) == 1) {
      return Fail(ErrorCode::kUsage, "standard input is a terminal, not an archive",
                  "pipe an archive into it, or name a file");
    }
    return SourceKind::kStandardInput;
  }
  struct stat status {};
  if (stat(source.c_str(), &status) != 0) return Fail(SystemError("read '" + source + "'", errno));
  if (S_ISDIR(status.st_mode)) return SourceKind::kDirectory;
  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) return SourceKind::kArchive;
  return Fail(ErrorCode::kFileInvalid, "'" + source + "' is neither an archive nor a directory");
}

namespace {

// An archive, or an installer with one in it.
Result<ArchiveSummary> ReadFromFile(int fd, const std::string& name, PayloadSink& sink, ReadArchiveOptions options) {
  PISHIP_TRY(const auto installer, FindInstaller(fd, name));
  if (!installer) return ReadArchive(fd, name, sink, options);
  PISHIP_CHECK(CheckInstallerProgram(fd, *installer, name));
  if (lseek(fd, static_cast<off_t>(installer->program_bytes), SEEK_SET) < 0) {
    return Fail(SystemError("read '" + name + "'", errno));
  }
  options.bytes = installer->archive_bytes;
  PISHIP_TRY(const ArchiveSummary archive, ReadArchive(fd, name, sink, options));
  if (archive.archive == installer->archive) return archive;
  return Fail(ErrorCode::kIntegrityFailed,
              "'" + name + "': the installer's archive is not the one that its trailer names", "get it again");
}

}  // namespace

Result<SourceSummary> ReadRelease(const std::string& source, PayloadSink& sink, const ReadArchiveOptions& options) {
  PISHIP_TRY(const SourceKind kind, KindOfSource(source));
  if (kind == SourceKind::kDirectory) return ReadReleaseDirectory(source, sink, options);
  ArchiveSummary archive;
  if (kind == SourceKind::kStandardInput) {
    PISHIP_TRY(archive, ReadArchive(STDIN_FILENO, "standard input", sink, options));
  } else {
    PISHIP_TRY(const UniqueFd file, OpenFile(source, O_RDONLY));
    PISHIP_TRY(archive, ReadFromFile(file.get(), source, sink, options));
  }
  return SourceSummary{archive.archive, archive.bytes, archive.inventory};
}

}  // namespace piship
