// SPDX-License-Identifier: MIT
// Files are placed by several threads, big ones first so that none is left for the end, the others by the score in the
// order of the inventory, so that a thread mostly stays in one directory and its object's memory is used again.
//
// Whether blocks can be shared is found out by the first file that is worth it; small ones never are: a write of a few
// kilobytes costs less than the two file systems' bookkeeping for a shared block.
#include "tree/place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <iterator>
#include <set>

#include "base/parallel.h"
#include "os/beneath.h"
#include "os/kept_modes.h"
#include "tree/tree_writer.h"

namespace piship {
namespace {

constexpr std::uint64_t kBigFile = std::uint64_t{1} << 20;
constexpr std::uint64_t kCloneFrom = std::uint64_t{64} << 10;
constexpr std::size_t kFilesPerPiece = 32;

class Placer {
 public:
  Placer(const Store& store, TreeWriter& writer, unsigned threads)
      : store_(store), writer_(writer), threads_(threads == 0 ? UsableProcessors() : threads), buffers_(threads_) {}

  // `path_of` says where an entry goes.
  Status PlaceAll(const std::vector<const InventoryEntry*>& entries,
                  const std::function<Result<RelativePath>(const InventoryEntry&)>& path_of) {
    std::vector<const InventoryEntry*> big;
    std::vector<const InventoryEntry*> small;
    for (const InventoryEntry* entry : entries) (entry->size >= kBigFile ? big : small).push_back(entry);
    std::stable_sort(big.begin(), big.end(),
                     [](const InventoryEntry* a, const InventoryEntry* b) { return a->size > b->size; });
    const auto place = [&](const InventoryEntry& entry, unsigned worker) -> Status {
      PISHIP_TRY(const RelativePath path, path_of(entry));
      return Place(entry, path, buffers_[worker]);
    };
    const std::size_t pieces = (small.size() + kFilesPerPiece - 1) / kFilesPerPiece;
    return ParallelFor(big.size() + pieces, threads_, [&](std::size_t index, unsigned worker) -> Status {
      if (index < big.size()) return place(*big[index], worker);
      const std::size_t begin = (index - big.size()) * kFilesPerPiece;
      for (std::size_t at = begin; at < std::min(begin + kFilesPerPiece, small.size()); ++at) {
        PISHIP_CHECK(place(*small[at], worker));
      }
      return {};
    });
  }

 private:
  Status Place(const InventoryEntry& entry, const RelativePath& path, std::string& buffer) {
    if (entry.size >= kCloneFrom && may_clone_.load(std::memory_order_relaxed)) {
      PISHIP_TRY(TreeWriter::File file, writer_.Begin(path, entry.mode, 0));
      PISHIP_TRY(const bool cloned, store_.CloneTo(entry.digest, entry.size, file.fd()));
      if (!cloned) {
        may_clone_ = false;
        PISHIP_CHECK(Copy(entry, file, buffer));
      }
      return file.Finish();
    }
    PISHIP_TRY(TreeWriter::File file, writer_.Begin(path, entry.mode, entry.size));
    PISHIP_CHECK(Copy(entry, file, buffer));
    return file.Finish();
  }

  Status Copy(const InventoryEntry& entry, TreeWriter::File& file, std::string& buffer) {
    if (entry.size >= kBigFile) {
      return store_.Stream(entry.digest, entry.size, [&](std::string_view piece) { return file.Append(piece); });
    }
    PISHIP_CHECK(store_.ReadInto(entry.digest, entry.size, buffer));
    return file.Append(buffer);
  }

  const Store& store_;
  TreeWriter& writer_;
  unsigned threads_;
  std::vector<std::string> buffers_;
  std::atomic<bool> may_clone_{true};
};

// Brings an open directory to the inventory.
class Application {
 public:
  Application(const Inventory& inventory, const Store& store, int root, std::string_view name, unsigned threads)
      : inventory_(inventory),
        root_(root),
        name_(name),
        writer_(root, std::string(name)),
        placer_(store, writer_, threads) {}

  Status Run(const std::vector<Difference>& differences) {
    PISHIP_CHECK(MakeWay(differences));
    PISHIP_CHECK(Replace());
    PISHIP_CHECK(
        placer_.PlaceAll(missing_, [](const InventoryEntry& entry) -> Result<RelativePath> { return entry.path; }));
    for (const InventoryEntry* entry : wrong_mode_) PISHIP_CHECK(CorrectMode(*entry));
    RemoveEmptied();
    return {};
  }

 private:
  Error Refused(std::string_view action, std::string_view path, int error_number) const {
    return SystemError(std::string(action) + " '" + JoinPath(name_, path) + "'", error_number);
  }

  // Removes what is extra or of a wrong type, and sorts the rest.
  Status MakeWay(const std::vector<Difference>& differences) {
    for (const Difference& difference : differences) {
      const InventoryEntry* entry = inventory_.Find(difference.path);
      switch (difference.kind) {
        case DifferenceKind::kMissing:
        case DifferenceKind::kChanged:
        case DifferenceKind::kWrongMode:
          if (entry == nullptr) {
            return Fail(ErrorCode::kInternal, "'" + difference.path + "' differs and is not in the inventory");
          }
          (difference.kind == DifferenceKind::kMissing   ? missing_
           : difference.kind == DifferenceKind::kChanged ? changed_
                                                         : wrong_mode_)
              .push_back(entry);
          break;
        case DifferenceKind::kWrongType:
          PISHIP_CHECK(Remove(difference.path));
          if (entry != nullptr) missing_.push_back(entry);
          break;
        case DifferenceKind::kExtra:
        case DifferenceKind::kExtraDirectory:
          PISHIP_CHECK(Remove(difference.path));
          break;
      }
    }
    return {};
  }

  // Opens the directory of `path`; the last component is `leaf`. Not valid where the directory is not there.
  Result<UniqueFd> OpenParent(std::string_view path, std::string& leaf) const {
    const std::size_t slash = path.rfind('/');
    const bool top = slash == std::string_view::npos;
    leaf = path.substr(top ? 0 : slash + 1);
    const std::string parent(top ? "." : path.substr(0, slash));
    const int fd = OpenBeneath(root_, parent.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (fd < 0 && fd != -ENOENT) return Fail(Refused("open", parent, -fd));
    return UniqueFd(fd < 0 ? -1 : fd);
  }

  Status Remove(std::string_view path) {
    std::string leaf;
    PISHIP_TRY(const UniqueFd parent, OpenParent(path, leaf));
    if (!parent.valid()) return {};
    if (const int error = RemoveBeneath(parent.get(), leaf.c_str()); error != 0) {
      return Fail(Refused("remove", path, -error));
    }
    const std::size_t slash = path.rfind('/');
    if (slash != std::string_view::npos) emptied_.emplace(path.substr(0, slash));
    return {};
  }

  // Changed files are written beside their places and renamed, so that a reader sees the old bytes or the new ones.
  Status Replace() {
    const std::string tag = std::string(FileName(TemporaryNameFor("x"))) + "-";
    const auto temporary = [&](const InventoryEntry& entry) -> Result<RelativePath> {
      const std::string name = tag + std::to_string(&entry - inventory_.entries().data());
      return RelativePath::Parse(entry.path.parent().empty() ? name : std::string(entry.path.parent()) + "/" + name);
    };
    Status placed = placer_.PlaceAll(changed_, temporary);
    for (const InventoryEntry* entry : changed_) {
      PISHIP_TRY(const RelativePath from, temporary(*entry));
      std::string leaf;
      PISHIP_TRY(const UniqueFd parent, OpenParent(entry->path.str(), leaf));
      const std::string from_leaf(from.name());
      if (placed && renameat(parent.get(), from_leaf.c_str(), parent.get(), leaf.c_str()) != 0) {
        placed = Fail(Refused("replace", entry->path.str(), errno));
      }
      if (!placed) unlinkat(parent.get(), from_leaf.c_str(), 0);
    }
    return placed;
  }

  Status CorrectMode(const InventoryEntry& entry) const {
    const int opened = OpenBeneath(root_, entry.path.str().c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (opened < 0) return Fail(Refused("open", entry.path.str(), -opened));
    const UniqueFd fd(opened);
    if (fchmod(opened, ModeBits(entry.mode)) != 0 && KeepsModes(opened)) {
      return Fail(Refused("set the mode of", entry.path.str(), errno));
    }
    return {};
  }

  // Directories that lost something and are empty now, and their parents.
  void RemoveEmptied() {
    while (!emptied_.empty()) {
      // The deepest of its branch comes last.
      const std::string path = std::move(emptied_.extract(std::prev(emptied_.end())).value());
      std::string leaf;
      const auto parent = OpenParent(path, leaf);
      if (!parent || !parent->valid() || unlinkat(parent->get(), leaf.c_str(), AT_REMOVEDIR) != 0) continue;
      const std::size_t slash = path.rfind('/');
      if (slash != std::string::npos) emptied_.insert(path.substr(0, slash));
    }
  }

  const Inventory& inventory_;
  int root_;
  std::string_view name_;
  TreeWriter writer_;
  Placer placer_;
  std::vector<const InventoryEntry*> missing_;
  std::vector<const InventoryEntry*> changed_;
  std::vector<const InventoryEntry*> wrong_mode_;
  std::set<std::string> emptied_;
};

}  // namespace

Status PlaceTree(const Inventory& inventory, const Store& store, const std::string& directory,
                 const PlaceOptions& options) {
  PISHIP_CHECK(MakeDirectories(directory));
  PISHIP_TRY(const UniqueFd root, OpenFile(directory, O_RDONLY | O_DIRECTORY));
  std::vector<DirectoryEntry> present;
  if (const int error = ReadDirectory(root.get(), present); error != 0) {
    return Fail(SystemError("read '" + directory + "'", -error));
  }
  if (!present.empty()) {
    return Fail(ErrorCode::kFileInvalid, "'" + directory + "' is not empty", "name a new directory, or empty this one");
  }
  TreeWriter writer(root.get(), directory);
  std::vector<const InventoryEntry*> entries;
  entries.reserve(inventory.entries().size());
  for (const InventoryEntry& entry : inventory.entries()) entries.push_back(&entry);
  return Placer(store, writer, options.threads)
      .PlaceAll(entries, [](const InventoryEntry& entry) -> Result<RelativePath> { return entry.path; });
}

Status ApplyDifferences(const Inventory& inventory, const Store& store, int directory, std::string_view name,
                        const std::vector<Difference>& differences, const PlaceOptions& options) {
  return Application(inventory, store, directory, name, options.threads).Run(differences);
}

}  // namespace piship
