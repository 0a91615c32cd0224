// SPDX-License-Identifier: MIT
#include "publish/entries.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "format/archive_file.h"
#include "model/channel_place.h"
#include "model/release.h"
#include "os/sync.h"

namespace piship::publish {
namespace {

using json::Value;

constexpr std::size_t kMaxRelease = std::size_t{1024} * 1024;

// Copies the file and checks it on the way; nothing is at `to` unless it is right.
Status CopyChecked(const std::string& from, const std::string& to, const Digest& digest, std::uint64_t bytes) {
  struct stat status {};
  // The name holds the digest, and files come there by rename only.
  if (stat(to.c_str(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) == bytes) return {};
  PISHIP_CHECK(MakeDirectories(ParentPath(to)));
  PISHIP_TRY(const UniqueFd source, OpenFile(from, O_RDONLY));
  const std::string temporary = TemporaryNameFor(to);
  const auto copy = [&]() -> Status {
    PISHIP_TRY(const UniqueFd target, OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL, 0644));
    Sha256 hasher;
    std::uint64_t copied = 0;
    std::string buffer(std::size_t{1024} * 1024, '\0');
    for (;;) {
      PISHIP_TRY(const std::size_t size, ReadSome(source.get(), buffer.data(), buffer.size(), from));
      if (size == 0) break;
      hasher.Update({buffer.data(), size});
      copied += size;
      PISHIP_CHECK(WriteAll(target.get(), {buffer.data(), size}, temporary));
    }
    if (copied != bytes || hasher.Finish() != digest) {
      return Fail(ErrorCode::kIntegrityFailed,
                  "the archive '" + from + "' is not the one that its release.json describes",
                  "build the release again");
    }
    PISHIP_CHECK(SyncFile(target.get(), temporary));
    if (std::rename(temporary.c_str(), to.c_str()) != 0) return Fail(SystemError("write '" + to + "'", errno));
    return {};
  };
  Status copied = copy();
  if (!copied) unlink(temporary.c_str());
  return copied;
}

// `member` kReleaseEntry: the release itself, kDeltaEntry: a delta to it.
bool IsSelected(const Value& entry, std::string_view member, const Selection& selection) {
  return TextOf(entry, member, "id") == selection.id && TextOf(entry, member, "version") == selection.version &&
         (!selection.platform || TextOf(entry, member, "platform") == *selection.platform);
}

Error NothingSelected(const Selection& selection, const std::string& channel) {
  return Error{ErrorCode::kTargetUnknown, "the channel '" + channel + "' has no release " +
                                              Printable(selection.version) + " of '" + Printable(selection.id) + "'"};
}

// What a client must know to fetch single frames: how many there are, and the digest of the index at the archive's end.
Status SetFrames(Value& ours, const Release& release, const std::string& archive) {
  PISHIP_TRY(const UniqueFd fd, OpenFile(archive, O_RDONLY));
  PISHIP_TRY(const ArchiveFile file, ArchiveFile::Open(fd.get(), archive));
  if (Digest::Of(file.inventory_text()) != release.inventory) {
    return Fail(
        ErrorCode::kIntegrityFailed,
        "the archive of " + release.id + " " + release.version + " holds another inventory than its release.json says",
        "build the release again");
  }
  ours.Set("frames", static_cast<std::int64_t>(file.frames().size()));
  ours.Set("frame_index", Digest::Of(FrameIndexBytes(file.frames())).Hex());
  return {};
}

Result<Value> EntryFor(const Release& release, const std::string& channel, const std::string& archive) {
  Value ours = Value::Object();
  ours.Set("format", std::int64_t{1}).Set("id", release.id).Set("version", release.version);
  ours.Set("platform", release.platform.str()).Set("channel", channel).Set("command", release.command);
  ours.Set("inventory", release.inventory.Hex()).Set("lock", release.lock.Hex());
  ours.Set("minimum_runtime", kRuntimeFormat);
  ours.Set("qualification", QualificationName(release.qualification));
  PISHIP_CHECK(SetFrames(ours, release, archive));
  Value custom = Value::Object();
  custom.Set(std::string(kReleaseEntry), std::move(ours));
  Value hashes = Value::Object();
  hashes.Set("sha256", release.archive.Hex());
  Value entry = Value::Object();
  entry.Set("custom", std::move(custom)).Set("hashes", std::move(hashes));
  entry.Set("length", static_cast<std::int64_t>(release.archive_bytes));
  return entry;
}

// The same archive is the same entry; another one under a version that exists is refused.
Result<Value> WithEntry(const Value& targets, const std::string& path, Value entry) {
  const Selection same{TextOf(entry, kReleaseEntry, "id"), TextOf(entry, kReleaseEntry, "version"),
                       TextOf(entry, kReleaseEntry, "platform")};
  for (const json::Member& member : targets.object()) {
    if (!IsSelected(member.value, kReleaseEntry, same)) continue;
    if (json::Canonical(*member.value.Find("hashes")) != json::Canonical(*entry.Find("hashes"))) {
      return Fail(ErrorCode::kVersionConflict,
                  "version " + same.version + " of '" + same.id + "' for " + same.platform.value_or("") +
                      " is in the channel with other content",
                  "what users may have keeps its number; publish a new version");
    }
    if (member.name != path)
      return Fail(ErrorCode::kVersionConflict, "the same release is in the channel as " + member.name);
  }
  return With(targets, path, std::move(entry));
}

}  // namespace

std::string TextOf(const Value& entry, std::string_view member, std::string_view name) {
  const Value* custom = entry.Find("custom");
  const Value* ours = custom != nullptr ? custom->Find(member) : nullptr;
  const Value* value = ours != nullptr ? ours->Find(name) : nullptr;
  return value != nullptr && value->is(json::Kind::kString) ? value->string() : std::string();
}

bool IsChannelName(std::string_view name) {
  return HasChannelNameForm(name) && !tuf::IsTopLevel(name) && name != "channel";
}

Result<Value> WithRelease(const Value& targets, const Repository& repository, const std::string& channel,
                          const std::string& release_file) {
  PISHIP_TRY(const std::string text, ReadFile(release_file, kMaxRelease));
  PISHIP_TRY(const Release release, Release::Parse(text, release_file));
  const std::string path = channel + "/" + release.archive_name;
  const std::string archive = repository.ArtifactPath(channel, release.archive.Hex(), release.archive_name);
  PISHIP_CHECK(CopyChecked(JoinPath(ParentPath(release_file), release.archive_name), archive, release.archive,
                           release.archive_bytes));
  PISHIP_TRY(Value entry, EntryFor(release, channel, archive));
  return WithEntry(targets, path, std::move(entry));
}

Result<Value> WithoutReleases(const Value& targets, const Selection& selection, const std::string& channel) {
  Value left = Value::Object();
  bool any = false;
  for (const json::Member& member : targets.object()) {
    const bool selected = IsSelected(member.value, kReleaseEntry, selection);
    any = any || selected;
    if (!selected && !IsSelected(member.value, kDeltaEntry, selection)) left.Set(member.name, member.value);
  }
  if (!any) return Fail(NothingSelected(selection, channel));
  return left;
}

Result<Value> WithPromoted(const Value& targets, const Repository& repository, const Value& candidates,
                           const Selection& selection, const std::string& from, const std::string& to) {
  Value changed = targets;
  bool any = false;
  for (const json::Member& member : candidates.object()) {
    const bool release = IsSelected(member.value, kReleaseEntry, selection);
    if (!release && !IsSelected(member.value, kDeltaEntry, selection)) continue;
    any = any || release;
    const std::string_view kind = release ? kReleaseEntry : kDeltaEntry;
    const std::string name(FileName(member.name));
    const Value& ours = *member.value.Find("custom")->Find(kind);
    Value entry = With(member.value, "custom", With(*member.value.Find("custom"), kind, With(ours, "channel", to)));
    if (release) {
      PISHIP_TRY(changed, WithEntry(changed, to + "/" + name, entry));
    } else {
      changed = With(changed, to + "/" + name, entry);
    }
    PISHIP_TRY(const Digest digest, Digest::Parse(entry.Find("hashes")->Find("sha256")->string()));
    PISHIP_CHECK(CopyChecked(repository.ArtifactPath(from, digest.Hex(), name),
                             repository.ArtifactPath(to, digest.Hex(), name), digest,
                             static_cast<std::uint64_t>(entry.Find("length")->integer())));
  }
  if (!any) return Fail(NothingSelected(selection, from));
  return changed;
}

}  // namespace piship::publish
