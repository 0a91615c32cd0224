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

namespace piship {
namespace {

constexpr std::size_t kWholeFile = std::size_t{8} << 20;  // larger ones go in parts
constexpr std::size_t kPart = std::size_t{1} << 20;

class DirectoryReader {
 public:
  DirectoryReader(int root, std::string name, PayloadSink& sink) : root_(root), name_(std::move(name)), sink_(sink) {}

  Result<SourceSummary> Read(const ReadArchiveOptions& options) {
    SourceSummary summary;
    PISHIP_CHECK(ReadInventory(options, summary));
    PISHIP_CHECK(RefuseUnlisted());
    PISHIP_CHECK(sink_.Begin(inventory_, inventory_text_));
    const std::vector<InventoryEntry>& entries = inventory_.entries();
    const InventoryEntry* lock = inventory_.Find(kPayloadLock);
    if (lock != nullptr) PISHIP_CHECK(HandOn(*lock));
    PISHIP_CHECK(ParallelFor(entries.size(), options.threads, [&](std::size_t index, unsigned /*worker*/) -> Status {
      return &entries[index] == lock ? Status() : HandOn(entries[index]);
    }));
    summary.bytes = inventory_.total_bytes();
    return summary;
  }

 private:
  Status ReadInventory(const ReadArchiveOptions& options, SourceSummary& summary) {
    PISHIP_TRY(const UniqueFd fd, Open(kPayloadInventory));
    PISHIP_TRY(inventory_text_, ReadAll(fd.get(), Subject(kPayloadInventory), options.limits.inventory_bytes));
    PISHIP_TRY(inventory_, Inventory::Parse(inventory_text_, Subject(kPayloadInventory), options.limits.inventory));
    if (inventory_.Find(kPayloadInventory) != nullptr) {
      return Fail(ErrorCode::kInventoryInvalid, Subject(kPayloadInventory) + ": lists itself");
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
    const int fd = OpenBeneath(root_, directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY);
    // Missing or no directory: reading the files in it says so, with their names.
    if (IsAbsent(fd)) return {};
    if (fd < 0) return Fail(SystemError("read the directory '" + Subject(directory) + "'", -fd));
    const UniqueFd owned(fd);
    std::vector<DirectoryEntry> entries;
    if (const int error = ReadDirectory(fd, entries); error != 0) {
      return Fail(SystemError("read the directory '" + Subject(directory) + "'", -error));
    }
    for (const DirectoryEntry& entry : entries) {
      const std::string path = directory.empty() ? entry.name : JoinPath(directory, entry.name);
      const bool listed = entry.type == DT_DIR ? directories.contains(path)
                                               : inventory_.Find(path) != nullptr || path == kPayloadInventory;
      if (!listed) {
        return Fail(ErrorCode::kIntegrityFailed, "'" + Subject(path) + "' is not in the release's inventory",
                    "extract the archive into an empty directory");
      }
    }
    return {};
  }

  Status HandOn(const InventoryEntry& entry) {
    PISHIP_TRY(const UniqueFd fd, Open(entry.path.str()));
    const std::string subject = Subject(entry.path.str());
    struct stat status {};
    if (fstat(fd.get(), &status) != 0) return Fail(SystemError("read '" + subject + "'", errno));
    if (!S_ISREG(status.st_mode)) return Fail(ErrorCode::kIntegrityFailed, "'" + subject + "' is not a regular file");
    if (static_cast<std::uint64_t>(status.st_size) != entry.size) return Fail(Changed(subject));
    if (entry.size > kWholeFile) return HandOnParts(entry, fd.get(), subject);
    std::string bytes(static_cast<std::size_t>(entry.size), '\0');
    PISHIP_TRY(const std::size_t count, ReadSome(fd.get(), bytes.data(), bytes.size(), subject));
    if (count != bytes.size() || Digest::Of(bytes) != entry.digest) return Fail(Changed(subject));
    return sink_.File(entry, bytes);
  }

  Status HandOnParts(const InventoryEntry& entry, int fd, const std::string& subject) {
    std::string buffer(kPart, '\0');
    Sha256 hasher;
    for (std::uint64_t offset = 0; offset < entry.size;) {
      const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(kPart, entry.size - offset));
      PISHIP_TRY(const std::size_t count, ReadSome(fd, buffer.data(), step, subject));
      if (count != step) return Fail(Changed(subject));
      const std::string_view bytes(buffer.data(), count);
      hasher.Update(bytes);
      PISHIP_CHECK(sink_.Part(entry, offset, bytes));
      offset += count;
    }
    if (hasher.Finish() != entry.digest) return Fail(Changed(subject));
    return {};
  }

  Result<UniqueFd> Open(std::string_view path) const {
    const int fd = OpenBeneath(root_, std::string(path).c_str(), O_RDONLY | O_NONBLOCK);
    if (fd >= 0) return UniqueFd(fd);
    Error error = SystemError("read '" + Subject(path) + "'", -fd);
    if (IsAbsent(fd)) error.code = ErrorCode::kIntegrityFailed;
    return Fail(std::move(error));
  }

  static Error Changed(const std::string& subject) {
    Error error;
    error.code = ErrorCode::kIntegrityFailed;
    error.message = "'" + subject + "' does not match the release's inventory";
    error.hint = "extract the archive again";
    return error;
  }

  std::string Subject(std::string_view path) const { return JoinPath(name_, path); }

  int root_;
  std::string name_;
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
