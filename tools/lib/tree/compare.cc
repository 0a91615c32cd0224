// SPDX-License-Identifier: MIT
// The work is cut into independent pieces that several threads take in turn: first the big files, one by one, so that
// none is left for the end; then the directories, whose names alone tell what is extra or of a wrong type; then the
// other files by the score. No piece needs another's result: a file below a directory that is missing or a link simply
// can't be opened, because OpenBeneath follows nothing.
//
// Each file is opened by its whole path with one openat2(2), so neither directory descriptors nor a walk are needed.
#include "tree/compare.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "base/files.h"
#include "base/parallel.h"
#include "os/beneath.h"
#include "os/kept_modes.h"

namespace piship {
namespace {

constexpr std::uint64_t kBigFile = std::uint64_t{1} << 20;
constexpr std::size_t kFilesPerPiece = 32;
constexpr std::size_t kBufferSize = std::size_t{256} * 1024;

// What the inventory needs one directory to hold.
struct ExpectedDirectory {
  std::string path;                     // empty at the top
  std::vector<std::string_view> files;  // names, sorted, as those of the directories
  std::vector<std::string_view> directories;
};

bool Contains(const std::vector<std::string_view>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

class Comparison {
 public:
  Comparison(const Inventory& inventory, int root, std::string_view name, const CompareOptions& options)
      : inventory_(inventory), root_(root), name_(name), options_(options) {}

  Result<std::vector<Difference>> Run() {
    ExpectDirectories();
    SortFiles();
    const unsigned threads = options_.threads == 0 ? UsableProcessors() : options_.threads;
    workers_.resize(threads);
    const std::size_t pieces = (small_.size() + kFilesPerPiece - 1) / kFilesPerPiece;
    PISHIP_CHECK(ParallelFor(big_.size() + directories_.size() + pieces, threads,
                             [this](std::size_t index, unsigned worker) { return Piece(index, workers_[worker]); }));
    std::vector<Difference> all;
    for (Worker& worker : workers_) {
      std::move(worker.found.begin(), worker.found.end(), std::back_inserter(all));
    }
    std::sort(all.begin(), all.end(), [](const Difference& a, const Difference& b) {
      return std::tie(a.path, a.kind) < std::tie(b.path, b.kind);
    });
    return all;
  }

 private:
  struct Worker {
    std::vector<Difference> found;
    std::vector<char> buffer;
    Sha256 hasher;
  };

  ExpectedDirectory& Expect(std::string_view path) {
    const auto [found, added] = by_path_.try_emplace(path, directories_.size());
    if (!added) return directories_[found->second];
    directories_.push_back({std::string(path), {}, {}});
    if (!path.empty()) {
      const std::size_t slash = path.rfind('/');
      const bool top = slash == std::string_view::npos;
      const std::string_view name = top ? path : path.substr(slash + 1);
      Expect(top ? std::string_view() : path.substr(0, slash)).directories.push_back(name);
    }
    return directories_[by_path_.at(path)];
  }

  void ExpectDirectories() {
    Expect("");
    for (const InventoryEntry& entry : inventory_.entries()) {
      Expect(entry.path.parent()).files.push_back(entry.path.name());
    }
    for (const std::string_view path : options_.ignored) {
      const std::size_t slash = path.rfind('/');
      Expect(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash))
          .files.push_back(slash == std::string_view::npos ? path : path.substr(slash + 1));
    }
    for (ExpectedDirectory& directory : directories_) {
      std::sort(directory.files.begin(), directory.files.end());
      std::sort(directory.directories.begin(), directory.directories.end());
    }
  }

  void SortFiles() {
    for (const InventoryEntry& entry : inventory_.entries()) {
      (entry.size >= kBigFile ? big_ : small_).push_back(&entry);
    }
    std::stable_sort(big_.begin(), big_.end(),
                     [](const InventoryEntry* a, const InventoryEntry* b) { return a->size > b->size; });
  }

  Status Piece(std::size_t index, Worker& worker) {
    if (index < big_.size()) return File(*big_[index], worker);
    index -= big_.size();
    if (index < directories_.size()) return Directory(directories_[index], worker);
    index = (index - directories_.size()) * kFilesPerPiece;
    const std::size_t end = std::min(index + kFilesPerPiece, small_.size());
    for (; index < end; ++index) PISHIP_CHECK(File(*small_[index], worker));
    return {};
  }

  Error Refused(std::string_view action, std::string_view path, int error_number) const {
    return SystemError(std::string(action) + " '" + JoinPath(name_, path) + "'", error_number);
  }

  Status Directory(const ExpectedDirectory& expected, Worker& worker) {
    const int opened =
        OpenBeneath(root_, expected.path.empty() ? "." : expected.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    // Its parent says what stands there instead; its files are missing.
    if (IsAbsent(opened)) return {};
    if (opened < 0) return Fail(Refused("read", expected.path, -opened));
    const UniqueFd directory(opened);
    std::vector<DirectoryEntry> entries;
    if (const int error = ReadDirectory(opened, entries); error != 0) {
      return Fail(Refused("read", expected.path, -error));
    }
    for (const DirectoryEntry& entry : entries) {
      const auto note = [&](DifferenceKind kind) {
        worker.found.push_back({kind, expected.path.empty() ? entry.name : expected.path + "/" + entry.name});
      };
      if (Contains(expected.directories, entry.name)) {
        if (entry.type != DT_DIR) note(DifferenceKind::kWrongType);
      } else if (!Contains(expected.files, entry.name)) {
        note(entry.type == DT_DIR ? DifferenceKind::kExtraDirectory : DifferenceKind::kExtra);
      }
    }
    return {};
  }

  Status File(const InventoryEntry& entry, Worker& worker) {
    const auto note = [&](DifferenceKind kind) { worker.found.push_back({kind, entry.path.str()}); };
    // O_NONBLOCK: a pipe in the place of a file must not make us wait for a writer.
    const int opened = OpenBeneath(root_, entry.path.str().c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (opened < 0) return Unopened(entry, -opened, worker);
    const UniqueFd file(opened);
    struct stat status {};
    if (fstat(opened, &status) != 0) return Fail(Refused("read", entry.path.str(), errno));
    if (!S_ISREG(status.st_mode)) {
      note(DifferenceKind::kWrongType);
      return {};
    }
    if (static_cast<std::uint64_t>(status.st_size) != entry.size) {
      note(DifferenceKind::kChanged);
      return {};
    }
    PISHIP_TRY(const bool equal, HasContent(opened, entry, worker));
    if (!equal) {
      note(DifferenceKind::kChanged);
    } else if (IsOtherMode(status.st_mode, entry)) {
      note(DifferenceKind::kWrongMode);
    }
    return {};
  }

  Status Unopened(const InventoryEntry& entry, int error_number, Worker& worker) const {
    DifferenceKind kind = DifferenceKind::kMissing;
    switch (error_number) {
      case ENOENT:
      case ENOTDIR:
        break;
      case ELOOP:
        if (ParentIsReal(entry.path)) kind = DifferenceKind::kWrongType;
        break;
      case ENXIO:  // a socket, or a device without a driver
      case ENODEV:
        kind = DifferenceKind::kWrongType;
        break;
      case EACCES:
        // Where its mode is not ours, nobody can vouch for its bytes; where it is, something else denies them.
        if (!HasOtherMode(entry)) return Fail(Refused("open", entry.path.str(), error_number));
        kind = DifferenceKind::kChanged;
        break;
      default:
        return Fail(Refused("open", entry.path.str(), error_number));
    }
    worker.found.push_back({kind, entry.path.str()});
    return {};
  }

  bool IsOtherMode(mode_t mode, const InventoryEntry& entry) const {
    if ((mode & 07777) == ModeBits(entry.mode)) return false;
    // What can be asked of a mode there: that what must start can be started.
    return KeepsModes(root_) || (entry.mode == FileMode::kExecutable && (mode & S_IXUSR) == 0);
  }

  bool HasOtherMode(const InventoryEntry& entry) const {
    const UniqueFd place(OpenBeneath(root_, entry.path.str().c_str(), O_PATH | O_NOFOLLOW));
    struct stat status {};
    return place.valid() && fstat(place.get(), &status) == 0 && IsOtherMode(status.st_mode, entry);
  }

  bool ParentIsReal(const RelativePath& path) const {
    if (path.parent().empty()) return true;
    const int fd = OpenBeneath(root_, std::string(path.parent()).c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    const UniqueFd close_it(fd < 0 ? -1 : fd);
    return fd >= 0;
  }

  Result<bool> HasContent(int fd, const InventoryEntry& entry, Worker& worker) const {
    if (worker.buffer.empty()) worker.buffer.resize(kBufferSize);
    std::uint64_t total = 0;
    // Stops by the size that the inventory names, so a file that grows meanwhile is not followed for ever.
    while (total <= entry.size) {
      // One byte more than expected, so that a short file needs no second read to see its end.
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kBufferSize, entry.size - total + 1));
      const ssize_t read_bytes = read(fd, worker.buffer.data(), wanted);
      if (read_bytes < 0 && errno == EINTR) continue;
      if (read_bytes < 0) return Fail(Refused("read", entry.path.str(), errno));
      const auto count = static_cast<std::size_t>(read_bytes);
      worker.hasher.Update({worker.buffer.data(), count});
      total += count;
      // A regular file gives fewer bytes than it was asked for only at its end.
      if (count == 0 || (count < wanted && total == entry.size)) break;
    }
    const Digest digest = worker.hasher.Finish();
    return total == entry.size && digest == entry.digest;
  }

  const Inventory& inventory_;
  int root_;
  std::string_view name_;
  const CompareOptions& options_;
  std::vector<ExpectedDirectory> directories_;
  std::unordered_map<std::string_view, std::size_t> by_path_;  // keys point into the inventory's paths
  std::vector<const InventoryEntry*> big_;
  std::vector<const InventoryEntry*> small_;
  std::vector<Worker> workers_;
};

}  // namespace

std::string_view DifferenceName(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::kMissing:
      return "missing";
    case DifferenceKind::kChanged:
      return "changed";
    case DifferenceKind::kWrongMode:
      return "wrong mode";
    case DifferenceKind::kWrongType:
      return "wrong type";
    case DifferenceKind::kExtra:
      return "extra";
    case DifferenceKind::kExtraDirectory:
      return "extra directory";
  }
  return "unknown";
}

Result<std::vector<Difference>> CompareTree(const Inventory& inventory, int directory, std::string_view name,
                                            const CompareOptions& options) {
  return Comparison(inventory, directory, name, options).Run();
}

}  // namespace piship
