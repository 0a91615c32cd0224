// SPDX-License-Identifier: MIT
#include "sources/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/files.h"
#include "os/beneath.h"

namespace piship::sources {
namespace {

std::string_view KindOf(unsigned char type) {
  switch (type) {
    case DT_LNK:
      return "a symbolic link";
    case DT_FIFO:
      return "a pipe";
    case DT_SOCK:
      return "a socket";
    case DT_CHR:
    case DT_BLK:
      return "a device";
    default:
      return "neither a file nor a directory";
  }
}

class Walker {
 public:
  Walker(int base, Problems& problems, ErrorCode& code) : base_(base), problems_(problems), code_(code) {}

  // One line of the list.
  void Take(std::string_view line, std::uint32_t number) {
    line_ = number;
    while (line.size() > 1 && line.ends_with('/')) line.remove_suffix(1);
    if (line == ".") return WalkDirectory(".");
    if (const char* why = RelativePath::WhyNot(line)) return Refuse(ErrorCode::kPathInvalid, line, why);
    const std::string path(line);
    const UniqueFd fd(OpenBeneath(base_, path.c_str(), O_PATH | O_NOFOLLOW));
    if (fd.get() < 0) return RefuseUnopened(path, -fd.get());
    struct stat status {};
    if (fstat(fd.get(), &status) != 0) return RefuseUnopened(path, errno);
    if (S_ISDIR(status.st_mode)) return WalkDirectory(path);
    if (S_ISREG(status.st_mode)) {
      files_.insert(path);
    } else {
      RefuseKind(path, static_cast<unsigned char>(IFTODT(status.st_mode)));
    }
  }

  Found Finish() const {
    Found found;
    for (const std::string& path : files_) found.files.push_back(*RelativePath::Parse(path));
    found.directories.assign(directories_.begin(), directories_.end());
    return found;
  }

 private:
  void Refuse(ErrorCode code, std::string_view path, std::string_view why) {
    if (problems_.empty()) code_ = code;
    problems_.Add(json::Position{line_, 1}, "'" + std::string(path) + "' " + std::string(why));
  }

  void RefuseUnopened(std::string_view path, int error_number) {
    switch (error_number) {
      case ENOENT:
        return Refuse(ErrorCode::kFileNotFound, path, "does not exist");
      case ELOOP:
      case ENOTDIR:
        return Refuse(ErrorCode::kFileInvalid, path, "lies behind a symbolic link or a file");
      default: {
        const Error error = SystemError("read it", error_number);
        return Refuse(error.code, path, "can't be taken: " + error.message);
      }
    }
  }

  void RefuseKind(std::string_view path, unsigned char type) {
    Refuse(ErrorCode::kFileInvalid, path, "is " + std::string(KindOf(type)) + "; a payload has regular files only");
  }

  void WalkDirectory(const std::string& path) {
    if (!directories_.insert(path).second) return;
    const UniqueFd fd(OpenBeneath(base_, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    if (fd.get() < 0) return RefuseUnopened(path, -fd.get());
    std::vector<DirectoryEntry> entries;
    if (const int error = ReadDirectory(fd.get(), entries); error != 0) return RefuseUnopened(path, -error);
    std::sort(entries.begin(), entries.end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
    for (const DirectoryEntry& entry : entries) {
      if (IsLeftOut(entry.name)) continue;
      const std::string below = path == "." ? entry.name : path + "/" + entry.name;
      if (const char* why = RelativePath::WhyNot(below)) {
        Refuse(ErrorCode::kPathInvalid, below, why);
      } else if (entry.type == DT_DIR) {
        WalkDirectory(below);
      } else if (entry.type == DT_REG) {
        files_.insert(below);
      } else {
        RefuseKind(below, entry.type);
      }
    }
  }

  int base_;
  Problems& problems_;
  ErrorCode& code_;
  std::uint32_t line_ = 0;
  std::set<std::string> files_;
  std::set<std::string> directories_;
};

}  // namespace

bool IsLeftOut(std::string_view name) { return name == ".DS_Store" || name == ".git"; }

Found Walk(int base, std::string_view list, Problems& problems, ErrorCode& code) {
  Walker walker(base, problems, code);
  for (std::uint32_t number = 1; !list.empty(); ++number) {
    const std::size_t end = std::min(list.find('\n'), list.size());
    if (end > 0) walker.Take(list.substr(0, end), number);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return walker.Finish();
}

}  // namespace piship::sources
