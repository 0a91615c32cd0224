// SPDX-License-Identifier: MIT
#include "os/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace piship {
namespace {

constexpr unsigned kDirectoryMode = 0755;
// Deeper directories are moved up before they are removed, so that no depth needs more descriptors than this.
constexpr int kMaxDepth = 16;
// A question may read the clock.
constexpr unsigned kRemovalsPerQuestion = 64;

std::atomic<bool> kernel_lacks_openat2{false};

int OpenAt2(int root, const char* path, int flags, unsigned mode, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = resolve;
  for (int attempt = 0;; ++attempt) {
    const long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0) return static_cast<int>(fd);
    // EAGAIN: the kernel could not tell because of a rename at the same time.
    if (errno != EINTR && (errno != EAGAIN || attempt > 100)) return -errno;
  }
}

int OpenAt(int parent, const char* name, int flags, unsigned mode) {
  for (;;) {
    const int fd = openat(parent, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd >= 0) return fd;
    if (errno != EINTR) return -errno;
  }
}

int OpenByWalking(int root, std::string_view path, int flags, unsigned mode) {
  UniqueFd held;
  int parent = root;
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string name(path.substr(0, slash));
    if (slash == std::string_view::npos) return OpenAt(parent, name.c_str(), flags, mode);
    const int fd = OpenAt(parent, name.c_str(), O_PATH | O_DIRECTORY, 0);
    if (fd < 0) return fd;
    held.Reset(fd);
    parent = fd;
    path.remove_prefix(slash + 1);
  }
}

// Gives a new directory its exact mode where the umask or an inherited ACL has changed it.
int CorrectDirectoryMode(int parent, const char* name) {
  struct stat status {};
  if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -errno;
  if (!S_ISDIR(status.st_mode)) return -ENOTDIR;
  if ((status.st_mode & 0777) == kDirectoryMode) return 0;
  const UniqueFd fd(OpenAt(parent, name, O_RDONLY | O_DIRECTORY, 0));
  if (fd.valid()) return fchmod(fd.get(), kDirectoryMode) == 0 ? 0 : -errno;
  // The umask took even the owner's right to read.
  return fchmodat(parent, name, kDirectoryMode, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : -errno;
}

class Remover {
 public:
  explicit Remover(const Stop& stop) : stop_(stop) {}

  int Remove(int parent, const char* name, int depth) {
    if (stop_ && removed_++ % kRemovalsPerQuestion == 0 && stop_()) return -ECANCELED;
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT) return 0;
    if (errno != EISDIR && errno != EPERM) return -errno;
    int fd = OpenDirectory(parent, name);
    if (fd == -EACCES && fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW) == 0) fd = OpenDirectory(parent, name);
    if (fd < 0) return fd == -ENOENT ? 0 : fd;
    const UniqueFd directory(fd);
    if (depth == 0) top_ = directory.get();
    // Again until it is empty: what is moved up here appears while the names are gone through.
    for (;;) {
      std::vector<DirectoryEntry> entries;
      if (const int error = ReadDirectory(directory.get(), entries); error != 0) return error;
      if (entries.empty()) break;
      for (const DirectoryEntry& entry : entries) {
        if (const int error = RemoveEntry(directory.get(), entry, depth); error != 0) return error;
      }
    }
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -errno;
  }

 private:
  static int OpenDirectory(int parent, const char* name) {
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    if (!kernel_lacks_openat2) {
      const int fd = OpenAt2(parent, name, flags, 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
      if (fd != -ENOSYS && fd != -EPERM) return fd;
    }
    return OpenAt(parent, name, flags, 0);
  }

  int RemoveEntry(int directory, const DirectoryEntry& entry, int depth) {
    if (entry.type == DT_DIR && depth >= kMaxDepth) {
      const std::string moved = ".removing-" + std::to_string(++moved_);
      if (renameat(directory, entry.name.c_str(), top_, moved.c_str()) == 0 || errno == ENOENT) return 0;
      if (errno != EEXIST && errno != ENOTEMPTY) return -errno;
      return 0;  // the name is taken; the next round tries another
    }
    return Remove(directory, entry.name.c_str(), depth + 1);
  }

  const Stop& stop_;
  unsigned removed_ = 0;
  int top_ = -1;
  unsigned moved_ = 0;
};

}  // namespace

int OpenBeneath(int root, const char* path, int flags, unsigned mode) {
  if (!kernel_lacks_openat2.load(std::memory_order_relaxed)) {
    const int fd = OpenAt2(root, path, flags | O_NOFOLLOW, mode, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
    // Sandboxes that do not know the call refuse it with EPERM; a real EPERM comes back from the walk as well.
    if (fd != -ENOSYS && fd != -EPERM) return fd;
    if (fd == -ENOSYS) kernel_lacks_openat2 = true;
  }
  return OpenByWalking(root, path, flags, mode);
}

int MakeDirectoriesBeneath(int root, std::string_view path) {
  if (path.empty()) return 0;
  const std::size_t slash = path.rfind('/');
  const std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  UniqueFd held;
  int parent = root;
  if (slash != std::string_view::npos) {
    const std::string parent_path(path.substr(0, slash));
    int fd = OpenBeneath(root, parent_path.c_str(), O_PATH | O_DIRECTORY);
    if (fd == -ENOENT) {
      if (const int error = MakeDirectoriesBeneath(root, parent_path); error != 0) return error;
      fd = OpenBeneath(root, parent_path.c_str(), O_PATH | O_DIRECTORY);
    }
    if (fd < 0) return fd;
    held.Reset(fd);
    parent = fd;
  }
  if (mkdirat(parent, name.c_str(), kDirectoryMode) == 0) return CorrectDirectoryMode(parent, name.c_str());
  if (errno != EEXIST) return -errno;
  struct stat status {};
  if (fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return -errno;
  return S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}

int RemoveBeneath(int parent, const char* name, const Stop& stop) { return Remover(stop).Remove(parent, name, 0); }

int ReadDirectory(int directory, std::vector<DirectoryEntry>& entries) {
  entries.clear();
  if (lseek(directory, 0, SEEK_SET) < 0) return -errno;
  alignas(dirent64) std::array<char, 32768> buffer;
  for (;;) {
    const ssize_t size = getdents64(directory, buffer.data(), buffer.size());
    if (size < 0) return -errno;
    if (size == 0) return 0;
    for (ssize_t offset = 0; offset < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + offset);
      offset += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      unsigned char type = entry->d_type;
      if (type == DT_UNKNOWN) {
        struct stat status {};
        if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;  // gone meanwhile
        type = static_cast<unsigned char>(IFTODT(status.st_mode));
      }
      entries.push_back({std::string(name), type});
    }
  }
}

}  // namespace piship
