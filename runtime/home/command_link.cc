// SPDX-License-Identifier: MIT
#include "home/command_link.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <optional>

#include "base/files.h"
#include "os/beneath.h"

namespace piship {
namespace {

// What the link at `path` says; absent where it is no link or nothing is there.
Result<std::optional<std::string>> LinkTarget(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  if (length < 0) {
    if (errno == EINVAL || errno == ENOENT) return std::optional<std::string>();
    return Fail(SystemError("look up the command '" + path + "'", errno));
  }
  target.resize(static_cast<std::size_t>(length));
  return std::optional<std::string>(std::move(target));
}

bool SameFile(const std::string& a, const std::string& b) {
  struct stat status_a {};
  struct stat status_b {};
  return stat(a.c_str(), &status_a) == 0 && stat(b.c_str(), &status_b) == 0 && status_a.st_dev == status_b.st_dev &&
         status_a.st_ino == status_b.st_ino;
}

// Whether it is known that nothing is there.
bool IsMissing(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

// Whether the link at `path`, which says `target`, is one that this distribution's install made.
bool IsOwnLink(const Homes& homes, const std::string& id, const std::string& path, const std::string& target) {
  const std::string launcher = LauncherPath(homes.install, id);
  if (target == launcher || SameFile(path, launcher)) return true;
  return IsMissing(path) && target.ends_with("/apps/" + id + "/launch");
}

// Whether a name can be made in `directory`, or where that is missing, in what it would be made in. An install learns
// it before it writes anything, not after its commit.
Status CheckWritable(const std::string& directory) {
  std::string existing = directory;
  while (access(existing.c_str(), W_OK | X_OK) != 0) {
    if (errno != ENOENT || existing == "/") {
      return Fail(SystemError("make a command in '" + existing + "'", errno));
    }
    existing = ParentPath(existing);
  }
  return {};
}

// The first directory of PATH that `fits`.
template <class Fits>
std::optional<std::string> FindOnPath(const Fits& fits) {
  const char* path_variable = std::getenv("PATH");
  std::string_view rest = path_variable != nullptr ? path_variable : "";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    std::string directory(rest.substr(0, end));
    if (fits(directory)) return directory;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace

Status CheckCommandFree(const Homes& homes, const std::string& command, const std::string& id) {
  const std::string path = JoinPath(homes.bin, command);
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return CheckWritable(homes.bin);
    return Fail(SystemError("look up the command '" + path + "'", errno));
  }
  PISHIP_TRY(const auto target, LinkTarget(path));
  if (target && IsOwnLink(homes, id, path, *target)) return {};
  const std::string what = target                    ? "is a link to '" + *target + "'"
                           : S_ISDIR(status.st_mode) ? "is a directory"
                                                     : "is a file that PiShip did not make";
  return Fail(ErrorCode::kCommandTaken, "'" + path + "' " + what,
              "move it aside, or set PISHIP_BIN_HOME to another directory");
}

Status MakeCommandLink(const Homes& homes, const std::string& command, const std::string& id) {
  PISHIP_CHECK(CheckCommandFree(homes, command, id));
  const std::string path = JoinPath(homes.bin, command);
  const std::string launcher = LauncherPath(homes.install, id);
  PISHIP_TRY(const auto target, LinkTarget(path));
  if (target == launcher) return {};
  PISHIP_CHECK(MakeDirectories(homes.bin));
  const std::string temporary = TemporaryNameFor(path);
  if (symlink(launcher.c_str(), temporary.c_str()) != 0) {
    return Fail(SystemError("make the command '" + path + "'", errno));
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int error_number = errno;
    unlink(temporary.c_str());
    return Fail(SystemError("make the command '" + path + "'", error_number));
  }
  return {};
}

Result<std::vector<std::string>> CommandLinks(const Homes& homes, const std::string& id) {
  std::vector<std::string> names;
  const auto directory = OpenFile(homes.bin, O_RDONLY | O_DIRECTORY);
  if (!directory) {
    if (directory.error().code == ErrorCode::kFileNotFound) return names;
    return Fail(directory.error());
  }
  std::vector<DirectoryEntry> entries;
  if (const int error = ReadDirectory(directory->get(), entries); error != 0) {
    return Fail(SystemError("read the directory '" + homes.bin + "'", -error));
  }
  for (const DirectoryEntry& entry : entries) {
    if (entry.type != DT_LNK) continue;
    const std::string path = JoinPath(homes.bin, entry.name);
    PISHIP_TRY(const auto target, LinkTarget(path));
    if (target && IsOwnLink(homes, id, path, *target)) names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status RemoveCommandLinks(const Homes& homes, const std::string& id, const std::string& except) {
  PISHIP_TRY(const std::vector<std::string> names, CommandLinks(homes, id));
  for (const std::string& name : names) {
    const std::string path = JoinPath(homes.bin, name);
    if (name != except && unlink(path.c_str()) != 0 && errno != ENOENT) {
      return Fail(SystemError("remove the command '" + path + "'", errno));
    }
  }
  return {};
}

bool BinHomeIsOnPath(const Homes& homes) {
  return FindOnPath(
             [&](const std::string& directory) { return directory == homes.bin || SameFile(directory, homes.bin); })
      .has_value();
}

std::optional<std::string> CommandOnPath(const std::string& command, const std::string& launcher) {
  const auto directory =
      FindOnPath([&](const std::string& each) { return SameFile(JoinPath(each, command), launcher); });
  if (!directory) return std::nullopt;
  return JoinPath(*directory, command);
}

}  // namespace piship
