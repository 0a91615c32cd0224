// SPDX-License-Identifier: MIT
#include "home/managed_home.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "format/archive_reader.h"
#include "model/home_layout.h"
#include "model/names.h"
#include "model/receipt.h"
#include "model/release.h"
#include "os/beneath.h"
#include "tree/payload_writer.h"

namespace piship::managed_home {
namespace {

constexpr std::size_t kReleaseLimit = std::size_t{1} << 20;

// Every file goes below the version's directory.
class HomeSink : public PayloadSink {
 public:
  HomeSink(int payload, const std::string& name) : writer_(payload, name) {}

  Status Begin(const Inventory&, std::string_view inventory_text) override {
    PISHIP_TRY(const RelativePath path, RelativePath::Parse(kPayloadInventory));
    return writer_.Create(path, FileMode::kPlain, inventory_text);
  }
  Status File(const InventoryEntry& entry, std::string_view bytes) override {
    if (entry.path.str() == kPayloadLock) lock_ = entry.digest;
    return writer_.Create(entry.path, entry.mode, bytes);
  }
  Status Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view bytes) override {
    return writer_.Part(entry, offset, bytes);
  }
  const Digest& lock() const { return lock_; }

 private:
  PayloadWriter writer_;
  Digest lock_;
};

// Directories of a home are for everybody, whatever the umask. They are made one by one, because each is new.
Status MakeNew(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0 && chmod(path.c_str(), 0755) == 0) return {};
  return Fail(SystemError("make the directory '" + path + "'", errno));
}

Status RequireEmpty(const std::string& output) {
  const auto directory = OpenFile(output, O_RDONLY | O_DIRECTORY);
  if (!directory) return Fail(directory.error());
  std::vector<DirectoryEntry> entries;
  if (const int error = ReadDirectory(directory->get(), entries); error != 0) {
    return Fail(SystemError("read the directory '" + output + "'", -error));
  }
  if (entries.empty()) return {};
  return Fail(ErrorCode::kFileInvalid, "'" + output + "' is not empty", "name a directory that is yet to be made");
}

Receipt ReceiptOf(const Release& release, const Options& options) {
  Receipt receipt;
  receipt.id = release.id;
  receipt.command = release.command;
  receipt.active.version = release.version;
  receipt.active.platform = release.platform;
  receipt.active.inventory = release.inventory;
  receipt.active.lock = release.lock;
  receipt.active.archive = release.archive;
  receipt.active.origin = Origin::kSha256;
  receipt.active.qualification = release.qualification;
  receipt.managed_by = ManagedBy{options.manager, options.package};
  return receipt;
}

Status WriteReleaseFiles(const Release& release, const std::string& archive, const std::string& output) {
  PISHIP_CHECK(MakeNew(JoinPath(output, "apps")));
  PISHIP_CHECK(MakeNew(AppDirectory(output, release.id)));
  const std::string path = VersionDirectory(output, release.id, release.version);
  PISHIP_CHECK(MakeNew(path));
  PISHIP_TRY(const UniqueFd payload, OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PISHIP_TRY(const UniqueFd file, OpenFile(archive, O_RDONLY));
  HomeSink sink(payload.get(), path);
  PISHIP_TRY(const ArchiveSummary summary, ReadArchive(file.get(), archive, sink));
  const bool named = summary.archive == release.archive && summary.inventory == release.inventory;
  if (!named || sink.lock() != release.lock) {
    return Fail(ErrorCode::kIntegrityFailed, "'" + archive + "' is not the archive that its release.json names",
                "build the release again");
  }
  // The launcher is a copy of the payload's runtime.
  auto runtime = ReadFile(JoinPath(path, kPayloadRuntime));
  if (!runtime) {
    if (runtime.error().code != ErrorCode::kFileNotFound) return Fail(std::move(runtime).error());
    return Fail(ErrorCode::kPayloadInvalid, "the payload has no '" + std::string(kPayloadRuntime) + "'");
  }
  return WriteFileAtomically(LauncherPath(output, release.id), *runtime, 0755, Umask::kIgnored);
}

}  // namespace

Status Make(const Options& options) {
  PISHIP_CHECK(CheckId(options.manager, "the package manager"));
  if (!IsPackageName(options.package)) {
    return Fail(ErrorCode::kNameInvalid, "'" + Printable(options.package) + "' is not the name of a package",
                "use lower-case letters, digits, '+', '-' and '.', beginning with a letter or digit, at least two");
  }
  PISHIP_TRY(const std::string text, ReadFile(options.release, kReleaseLimit));
  PISHIP_TRY(const Release release, Release::Parse(text, options.release));
  PISHIP_CHECK(MakeDirectories(options.output));
  PISHIP_CHECK(RequireEmpty(options.output));
  if (chmod(options.output.c_str(), 0755) != 0) {
    return Fail(SystemError("set the mode of '" + options.output + "'", errno));
  }
  PISHIP_CHECK(WriteReleaseFiles(release, JoinPath(ParentPath(options.release), release.archive_name), options.output));
  PISHIP_CHECK(MakeNew(ReceiptsDirectory(options.output)));
  return WriteFileAtomically(ReceiptPath(options.output, release.id), ReceiptOf(release, options).Text(), 0644,
                             Umask::kIgnored);
}

}  // namespace piship::managed_home
