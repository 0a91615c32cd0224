// SPDX-License-Identifier: MIT
#include "home/launcher.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/files.h"
#include "home/payload_check.h"
#include "os/kept_modes.h"
#include "os/sync.h"

namespace piship {
namespace {

constexpr std::size_t kLauncherLimit = std::size_t{256} << 20;
constexpr unsigned kLauncherMode = 0755;

}  // namespace

Status PlaceLauncher(const std::string& install_home, const std::string& id, const std::string& version) {
  const std::string launcher = LauncherPath(install_home, id);
  const std::string source = JoinPath(VersionDirectory(install_home, id, version), kPayloadRuntime);
  PISHIP_TRY(const std::string bytes, ReadFile(source, kLauncherLimit));
  struct stat status {};
  const bool there = lstat(launcher.c_str(), &status) == 0;
  if (there && S_ISREG(status.st_mode) && (status.st_mode & 07777) == kLauncherMode &&
      static_cast<std::size_t>(status.st_size) == bytes.size()) {
    const auto present = ReadFile(launcher, kLauncherLimit);
    if (present && *present == bytes) return {};
  }
  // What starts the installed version must not be lost in a power cut for what may start the next one.
  if (there) return ReplaceFileDurably(launcher, bytes, kLauncherMode, Umask::kIgnored);
  return WriteFileAtomically(launcher, bytes, kLauncherMode, Umask::kIgnored);
}

Result<Digest> LauncherDigest(const std::string& install_home, const std::string& id) {
  const std::string launcher = LauncherPath(install_home, id);
  auto fd = OpenFile(launcher, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) {
    if (SaysDamaged(fd.error())) fd.error().code = ErrorCode::kIntegrityFailed;
    return Fail(std::move(fd).error());
  }
  struct stat status {};
  if (fstat(fd->get(), &status) != 0) return Fail(SystemError("read '" + launcher + "'", errno));
  if (!S_ISREG(status.st_mode)) return Fail(ErrorCode::kIntegrityFailed, "'" + launcher + "' is not a regular file");
  if ((status.st_mode & 07777) != kLauncherMode && KeepsModes(fd->get())) {
    return Fail(ErrorCode::kIntegrityFailed, "'" + launcher + "' has another mode than 0755");
  }
  PISHIP_TRY(const std::string bytes, ReadAll(fd->get(), status, launcher, kLauncherLimit));
  return Digest::Of(bytes);
}

}  // namespace piship
