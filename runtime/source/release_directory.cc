// SPDX-License-Identifier: MIT
#include "source/release_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/parallel.h"
#include "home/homes.h"
#include "os/beneath.h"
#include "source/listed_files.h"

namespace piship {
namespace {

class DirectoryReader {
 public:
  DirectoryReader(int root, std::string name, PayloadSink& sink)
      : files_(root, std::move(name), "extract the archive again"), sink_(sink) {}

  Result<SourceSummary> Read(const ReadArchiveOptions& options) {
    SourceSummary summary;
    PISHIP_CHECK(ReadInventory(options, summary));
    PISHIP_CHECK(RefuseUnlisted());
    PISHIP_CHECK(sink_.Begin(inventory_, inventory_text_));
    const std::vector<InventoryEntry>& entries = inventory_.entries();
    const InventoryEntry* lock = inventory_.Find(kPayloadLock);
    if (lock != nullptr) PISHIP_CHECK(files_.HandOn(lock->path.str(), *lock, sink_));
    PISHIP_CHECK(ParallelFor(entries.size(), options.threads, [&](std::size_t index, unsigned /*worker*/) -> Status {
      const InventoryEntry& entry = entries[index];
      return &entry == lock ? Status() : files_.HandOn(entry.path.str(), entry, sink_);
    }));
    summary.bytes = inventory_.total_bytes();
    return summary;
  }

 private:
  Status ReadInventory(const ReadArchiveOptions& options, SourceSummary& summary) {
    PISHIP_TRY(const UniqueFd fd, files_.Open(kPayloadInventory));
    PISHIP_TRY(inventory_text_, ReadAll(fd.get(), files_.Subject(kPayloadInventory), options.limits.inventory_bytes));
    PISHIP_TRY(inventory_,
               Inventory::Parse(inventory_text_, files_.Subject(kPayloadInventory), options.limits.inventory));
    if (inventory_.Find(kPayloadInventory) != nullptr) {
      return Fail(ErrorCode::kInventoryInvalid, files_.Subject(kPayloadInventory) + ": lists itself");
    }
    summary.inventory = Digest::Of(inventory_text_);
    return {};
  }

  // Names only: what a listed file holds is checked when it is read.
  Status RefuseUnlisted() const {
    std::set<std::string, std::less<>> directories = {"metadata"};
    for (const InventoryEntry& entry : inventory_.entries()) {
      for (std::string_view parent = entry.path.parent(); !parent.empty();) {
        if (!directories.emplace(parent).second) break;
        const std::size_t slash = parent.rfind('/');
        parent = slash == std::string_view::npos ? std::string_view() : parent.substr(0, slash);
      }
    }
    for (const std::string& directory : directories) PISHIP_CHECK(RefuseUnlistedIn(directory, directories));
    return RefuseUnlistedIn("", directories);
  }

  Status RefuseUnlistedIn(const std::string& directory, const std::set<std::string, std::less<>>& directories) const {
    const int fd = OpenBeneath(files_.root(), directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY);
    // Missing or no directory: reading the files in it says so, with their names.
    if (IsAbsent(fd)) return {};
    if (fd < 0) return Fail(SystemError("read the directory '" + files_.Subject(directory) + "'", -fd));
    const UniqueFd owned(fd);
    std::vector<DirectoryEntry> entries;
    if (const int error = ReadDirectory(fd, entries); error != 0) {
      return Fail(SystemError("read the directory '" + files_.Subject(directory) + "'", -error));
    }
    for (const DirectoryEntry& entry : entries) {
      const std::string path = directory.empty() ? entry.name : JoinPath(directory, entry.name);
      const bool listed = entry.type == DT_DIR ? directories.contains(path)
                                               : inventory_.Find(path) != nullptr || path == kPayloadInventory;
      if (!listed) {
        return Fail(ErrorCode::kIntegrityFailed, "'" + files_.Subject(path) + "' is not in the release's inventory",
                    "extract the archive into an empty directory");
      }
    }
    return {};
  }

  ListedFiles files_;
  PayloadSink& sink_;
  std::string inventory_text_;
  Inventory inventory_;
};

}  // namespace

Result<SourceSummary> ReadReleaseDirectory(const std::string& directory, PayloadSink& sink,
                                           const ReadArchiveOptions& options) {
  PISHIP_TRY(const UniqueFd root, OpenFile(directory, O_RDONLY | O_DIRECTORY));
  const UniqueFd inventory(OpenBeneath(root.get(), std::string(kPayloadInventory).c_str(), O_RDONLY | O_NONBLOCK));
  if (IsAbsent(inventory.get())) {
    return Fail(ErrorCode::kFileInvalid,
                "'" + directory + "' is not an extracted release: it has no '" + std::string(kPayloadInventory) + "'");
  }
  return DirectoryReader(root.get(), directory, sink).Read(options);
}

}  // namespace piship
