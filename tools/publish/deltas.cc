// SPDX-License-Identifier: MIT
#include "publish/deltas.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/files.h"
#include "format/archive_file.h"
#include "format/archive_reader.h"
#include "format/delta.h"
#include "model/semver.h"
#include "os/sync.h"
#include "publish/entries.h"

namespace piship::publish {
namespace {

using json::Value;

constexpr int kLevel = 19;
constexpr std::string_view kArchiveEnd = ".tar.zst";
// A delta of more than this share of the archive is not worth its place in the metadata.
constexpr std::uint64_t kWorthwhile = 2;

struct Published {
  std::string path;
  Version version;
  const Value* entry = nullptr;
};

// The releases of one distribution for one platform, newest first.
using Line = std::vector<Published>;

std::string LineOf(const Value& entry, std::string_view member) {
  return TextOf(entry, member, "id") + " " + TextOf(entry, member, "platform");
}

Result<std::map<std::string, Line>> LinesOf(const Value& targets) {
  std::map<std::string, Line> lines;
  for (const json::Member& member : targets.object()) {
    if (TextOf(member.value, kReleaseEntry, "id").empty()) continue;
    PISHIP_TRY(const Version version, Version::Parse(TextOf(member.value, kReleaseEntry, "version")));
    lines[LineOf(member.value, kReleaseEntry)].push_back({member.name, version, &member.value});
  }
  for (auto& [name, line] : lines) {
    std::stable_sort(line.begin(), line.end(),
                     [](const Published& a, const Published& b) { return a.version > b.version; });
  }
  return lines;
}

std::string DeltaPath(const Published& base, const Published& release) {
  std::string path = release.path;
  if (path.ends_with(kArchiveEnd)) path.resize(path.size() - kArchiveEnd.size());
  return path + ".from-" + TextOf(*base.entry, kReleaseEntry, "version") + ".delta";
}

// Keeps the contents that are asked for.
class Contents : public PayloadSink {
 public:
  explicit Contents(const std::vector<const InventoryEntry*>& wanted) {
    for (const InventoryEntry* entry : wanted) contents_.emplace(entry->digest, std::string());
  }
  Status Begin(const Inventory& /*inventory*/, std::string_view /*text*/) override { return {}; }
  Status File(const InventoryEntry& entry, std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    if (const auto found = contents_.find(entry.digest); found != contents_.end()) found->second = bytes;
    return {};
  }
  Status Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    const auto found = contents_.find(entry.digest);
    // Two entries of one content come one after the other.
    if (found != contents_.end() && found->second.size() == offset) found->second += bytes;
    return {};
  }
  ContentOf Reader() const {
    return [this](const InventoryEntry& entry) -> Result<std::string> { return contents_.at(entry.digest); };
  }

 private:
  std::mutex mutex_;  // protects contents_
  std::unordered_map<Digest, std::string, DigestHash> contents_;
};

// An archive of the repository.
class Archive {
 public:
  static Result<Archive> Open(const Repository& repository, const std::string& channel, const Published& published) {
    const std::string digest = published.entry->Find("hashes")->Find("sha256")->string();
    const std::string path = repository.ArtifactPath(channel, digest, std::string(FileName(published.path)));
    PISHIP_TRY(UniqueFd fd, OpenFile(path, O_RDONLY));
    PISHIP_TRY(ArchiveFile file, ArchiveFile::Open(fd.get(), path));
    return Archive(std::move(fd), path, std::move(file));
  }
  const Inventory& inventory() const { return file_.inventory(); }
  Status Read(Contents& contents) const {
    if (lseek(fd_.get(), 0, SEEK_SET) != 0) return Fail(SystemError("read '" + path_ + "'", errno));
    PISHIP_CHECK(ReadArchive(fd_.get(), path_, contents));
    return {};
  }

 private:
  Archive(UniqueFd fd, std::string path, ArchiveFile file)
      : fd_(std::move(fd)), path_(std::move(path)), file_(std::move(file)) {}
  UniqueFd fd_;
  std::string path_;
  ArchiveFile file_;
};

Result<std::string> DeltaBetween(const Archive& base, const Archive& release) {
  const DeltaContents contents = CompareContents(base.inventory(), release.inventory());
  // Refused by MakeDelta before it asks for any content.
  const bool fits = contents.gone_bytes + contents.added_bytes <= kMaxDeltaMemory;
  Contents gone(contents.gone);
  Contents added(contents.added);
  if (fits) PISHIP_CHECK(base.Read(gone));
  if (fits) PISHIP_CHECK(release.Read(added));
  return MakeDelta(base.inventory(), gone.Reader(), release.inventory(), added.Reader(), kLevel);
}

Status WriteDelta(const std::string& path, std::string_view bytes) {
  PISHIP_CHECK(MakeDirectories(ParentPath(path)));
  PISHIP_CHECK(WriteFileAtomically(path, bytes, 0644));
  PISHIP_TRY(const UniqueFd fd, OpenFile(path, O_RDONLY));
  return SyncFile(fd.get(), path);
}

Value EntryOf(std::string_view bytes, const std::string& channel, const Published& base, const Published& release) {
  Value ours = Value::Object();
  ours.Set("base", TextOf(*base.entry, kReleaseEntry, "inventory"))
      .Set("channel", channel)
      .Set("format", std::int64_t{1});
  for (const char* name : {"id", "inventory", "platform", "version"})
    ours.Set(name, TextOf(*release.entry, kReleaseEntry, name));
  Value custom = Value::Object();
  custom.Set(std::string(kDeltaEntry), std::move(ours));
  Value hashes = Value::Object();
  hashes.Set("sha256", Digest::Of(bytes).Hex());
  Value entry = Value::Object();
  entry.Set("custom", std::move(custom)).Set("hashes", std::move(hashes));
  entry.Set("length", static_cast<std::int64_t>(bytes.size()));
  return entry;
}

class DeltaMaker {
 public:
  DeltaMaker(const Repository& repository, const std::string& channel,
             const std::function<void(const std::string&)>& told)
      : repository_(repository), channel_(channel), told_(told) {}

  // To the newest of the line from the `count` before it.
  Status AddLine(const Line& line, std::size_t count, Value& into) const {
    std::optional<Archive> newest;
    for (std::size_t index = 1; index < std::min(line.size(), count + 1); ++index) {
      if (into.Find(DeltaPath(line[index], line[0])) != nullptr) continue;
      if (!newest) {
        PISHIP_TRY(newest, Archive::Open(repository_, channel_, line[0]));
      }
      PISHIP_CHECK(Add(line[index], line[0], *newest, into));
    }
    return {};
  }

 private:
  Status Add(const Published& base, const Published& release, const Archive& to, Value& into) const {
    const std::string path = DeltaPath(base, release);
    PISHIP_TRY(const Archive from, Archive::Open(repository_, channel_, base));
    auto bytes = DeltaBetween(from, to);
    if (!bytes) {
      if (bytes.error().code != ErrorCode::kLimitExceeded)
        return Fail(std::move(bytes).error().While("making " + path));
      told_("no delta " + path + ": it needs too much memory to be applied");
      return {};
    }
    const auto whole = static_cast<std::uint64_t>(release.entry->Find("length")->integer());
    const std::string sizes = std::to_string(bytes->size()) + " bytes, the archive has " + std::to_string(whole);
    if (bytes->size() > whole / kWorthwhile) {
      told_("no delta " + path + ": it would have " + sizes);
      return {};
    }
    PISHIP_CHECK(
        WriteDelta(repository_.ArtifactPath(channel_, Digest::Of(*bytes).Hex(), std::string(FileName(path))), *bytes));
    told_("added " + path + " (" + sizes + ")");
    into.Set(path, EntryOf(*bytes, channel_, base, release));
    return {};
  }

  const Repository& repository_;
  const std::string& channel_;
  const std::function<void(const std::string&)>& told_;
};

}  // namespace

Result<Value> WithDeltas(const Value& targets, const Repository& repository, const std::string& channel, int count,
                         const std::function<void(const std::string&)>& told) {
  PISHIP_TRY(const auto lines, LinesOf(targets));
  const auto leads_to_newest = [&](const Value& entry) {
    const auto line = lines.find(LineOf(entry, kDeltaEntry));
    return line != lines.end() &&
           TextOf(*line->second[0].entry, kReleaseEntry, "inventory") == TextOf(entry, kDeltaEntry, "inventory");
  };
  Value changed = Value::Object();
  for (const json::Member& member : targets.object()) {
    const bool delta = !TextOf(member.value, kDeltaEntry, "id").empty();
    if (!delta || leads_to_newest(member.value)) changed.Set(member.name, member.value);
  }
  const DeltaMaker maker(repository, channel, told);
  for (const auto& [name, line] : lines) PISHIP_CHECK(maker.AddLine(line, static_cast<std::size_t>(count), changed));
  return changed;
}

}  // namespace piship::publish
