// SPDX-License-Identifier: MIT
// The files of a release in a directory of the user's, which the other verbs take as the release itself. Its inventory
// is written last: what was interrupted is no release.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/files.h"
#include "commands/commands.h"
#include "commands/report.h"
#include "home/homes.h"
#include "home/install_sink.h"
#include "os/beneath.h"
#include "os/lock.h"
#include "tree/payload_writer.h"

namespace piship {
namespace {

class ExtractSink : public PayloadSink {
 public:
  ExtractSink(int directory, const std::string& name) : writer_(directory, name) {}

  Status Begin(const Inventory& inventory, std::string_view text) override {
    inventory_ = &inventory;
    inventory_text_ = text;
    files = inventory.entries().size();
    bytes = inventory.total_bytes();
    if (inventory.Find(kPayloadLock) != nullptr) return {};
    return Fail(ErrorCode::kPayloadInvalid, "the payload has no '" + std::string(kPayloadLock) + "'",
                "this is not a release of a distribution");
  }
  Status File(const InventoryEntry& entry, std::string_view content) override {
    if (entry.path.str() == kPayloadLock) {
      PISHIP_TRY(lock, CheckPayloadLock(content, *inventory_));
      lock_digest = entry.digest;
    }
    return writer_.Create(entry.path, entry.mode, content);
  }
  Status Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view content) override {
    return writer_.Part(entry, offset, content);
  }
  // After everything else has succeeded.
  Status WriteInventory() {
    PISHIP_TRY(const RelativePath path, RelativePath::Parse(kPayloadInventory));
    return writer_.Create(path, FileMode::kPlain, inventory_text_);
  }

  DistributionLock lock;
  Digest lock_digest;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;

 private:
  PayloadWriter writer_;
  const Inventory* inventory_ = nullptr;  // the reader's, until it returns
  std::string inventory_text_;
};

// An empty directory that this process alone fills; what it has put there goes again unless it is kept.
class EmptyDirectory {
 public:
  EmptyDirectory() = default;
  EmptyDirectory(const EmptyDirectory&) = delete;
  EmptyDirectory& operator=(const EmptyDirectory&) = delete;
  ~EmptyDirectory() {
    if (!fd_.valid() || kept_) return;
    std::vector<DirectoryEntry> entries;
    if (ReadDirectory(fd_.get(), entries) == 0) {
      for (const DirectoryEntry& entry : entries) RemoveBeneath(fd_.get(), entry.name.c_str());
    }
    if (made_) rmdir(path_.c_str());
  }

  Status Open(const std::string& path) {
    path_ = path;
    PISHIP_CHECK(MakeDirectories(ParentPath(path)));
    made_ = mkdir(path.c_str(), 0777) == 0;
    if (!made_ && errno != EEXIST) return Fail(SystemError("make the directory '" + path + "'", errno));
    PISHIP_TRY(UniqueFd fd, OpenFile(path, O_RDONLY | O_DIRECTORY));
    PISHIP_TRY(const LockOutcome outcome, TryLock(fd.get(), LockMode::kExclusive, path));
    if (outcome == LockOutcome::kHeld) {
      return Fail(ErrorCode::kLockHeld, "another process writes into '" + path + "'", "wait until it has finished");
    }
    std::vector<DirectoryEntry> entries;
    if (const int error = ReadDirectory(fd.get(), entries); error != 0) {
      return Fail(SystemError("read the directory '" + path + "'", -error));
    }
    if (!entries.empty()) {
      return Fail(ErrorCode::kFileInvalid, "'" + path + "' is not empty",
                  "name a directory that is empty or not there");
    }
    fd_ = std::move(fd);
    return {};
  }
  int get() const { return fd_.get(); }
  void Keep() { kept_ = true; }

 private:
  std::string path_;
  UniqueFd fd_;  // valid once the directory was found empty
  bool made_ = false;
  bool kept_ = false;
};

Status Extract(const ExtractOptions& options, json::Value& out) {
  PISHIP_TRY(std::string path, AbsolutePath(options.directory));
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  EmptyDirectory directory;
  PISHIP_CHECK(directory.Open(path));
  ExtractSink sink(directory.get(), path);
  PISHIP_TRY(const SourceSummary summary, ReadReleaseWithin(options.limits, options.source, sink));
  PISHIP_CHECK(sink.WriteInventory());
  directory.Keep();
  InstalledRelease release;
  release.version = sink.lock.version;
  release.platform = sink.lock.platform;
  release.inventory = summary.inventory;
  release.lock = sink.lock_digest;
  release.archive = summary.archive;
  SetRelease(out, release);
  out.Set("action", "extracted");
  out.Set("bytes", static_cast<std::int64_t>(sink.bytes));
  out.Set("directory", path);
  out.Set("files", static_cast<std::int64_t>(sink.files));
  out.Set("id", sink.lock.id);
  if (options.quiet) return {};
  PrintWords("extracted " + sink.lock.id + " " + sink.lock.version + " into '" + path + "' (" + Grouped(sink.files) +
             " files, " + Grouped(sink.bytes) + " bytes)");
  return {};
}

}  // namespace

Status RunExtract(const ExtractOptions& options) {
  return Report(options.json, [&](json::Value& out) -> Status {
    if (Status done = Extract(options, out); !done) {
      return Fail(std::move(done).error().While("extracting '" + options.source + "'"));
    }
    return {};
  });
}

}  // namespace piship
