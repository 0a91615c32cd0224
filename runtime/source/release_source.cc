// SPDX-License-Identifier: MIT
#include "source/release_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
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

Result<SourceSummary> ReadRelease(const std::string& source, PayloadSink& sink, const ReadArchiveOptions& options) {
  PISHIP_TRY(const SourceKind kind, KindOfSource(source));
  if (kind == SourceKind::kDirectory) return ReadReleaseDirectory(source, sink, options);
  UniqueFd file;
  std::string name = "standard input";
  int fd = STDIN_FILENO;
  if (kind == SourceKind::kArchive) {
    PISHIP_TRY(file, OpenFile(source, O_RDONLY));
    fd = file.get();
    name = source;
  }
  PISHIP_TRY(const ArchiveSummary archive, ReadArchive(fd, name, sink, options));
  return SourceSummary{archive.archive, archive.bytes, archive.inventory};
}

}  // namespace piship
