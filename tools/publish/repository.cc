// SPDX-License-Identifier: MIT
#include "publish/repository.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "os/lock.h"
#include "os/sync.h"
#include "publish/entries.h"

namespace piship::publish {
namespace {

using json::Value;
using tuf::kRoot;
using tuf::kSnapshot;
using tuf::kTargets;
using tuf::kTimestamp;

constexpr std::size_t kMaxMetadata = std::size_t{64} * 1024 * 1024;
constexpr std::string_view kDays = "x-piship-days";
constexpr std::int64_t kDaySeconds = std::int64_t{24} * 60 * 60;

bool IsContent(std::string_view role) { return role != kSnapshot && role != kTimestamp; }

Value MetaFileValue(std::string_view text, std::int64_t version) {
  Value hashes = Value::Object();
  hashes.Set("sha256", Digest::Of(text).Hex());
  Value file = Value::Object();
  file.Set("hashes", std::move(hashes)).Set("length", static_cast<std::int64_t>(text.size())).Set("version", version);
  return file;
}

std::size_t Signed(const Document& document, std::string_view bytes, const Requirement& requirement) {
  return tuf::CountSignatures(bytes, document.Signatures(), requirement.keys, requirement.role);
}

}  // namespace

Result<Repository> Repository::Lock(std::string directory) {
  PISHIP_CHECK(MakeDirectories(directory));
  PISHIP_TRY(UniqueFd lock, OpenFile(directory, O_RDONLY | O_DIRECTORY));
  PISHIP_TRY(const LockOutcome outcome, TryLock(lock.get(), LockMode::kExclusive, directory));
  if (outcome == LockOutcome::kHeld) {
    return Fail(ErrorCode::kLockHeld, "another process publishes to '" + directory + "'");
  }
  return Repository(std::move(directory), std::move(lock));
}

Result<Repository> Repository::Create(std::string directory) {
  PISHIP_TRY(Repository repository, Lock(std::move(directory)));
  PISHIP_CHECK(repository.Load());
  if (!repository.published_.empty() || repository.HasStaged()) {
    return Fail(ErrorCode::kMetadataMismatch, "'" + repository.directory_ + "' holds a repository already",
                "one directory has one history; give another directory, or go on with this one");
  }
  return repository;
}

Result<Repository> Repository::Open(std::string directory) {
  if (access(directory.c_str(), F_OK) != 0) {
    return Fail(ErrorCode::kFileNotFound, "there is no repository '" + directory + "'", "begin with 'init'");
  }
  PISHIP_TRY(Repository repository, Lock(std::move(directory)));
  PISHIP_CHECK(repository.Load());
  if (repository.Latest(kRoot) == nullptr) {
    return Fail(ErrorCode::kFileNotFound, "'" + repository.directory_ + "' is no repository", "begin with 'init'");
  }
  return repository;
}

std::string Repository::MetadataPath(std::string_view role, std::int64_t version) const {
  std::string name = std::string(role) + ".json";
  if (role != kTimestamp) name = std::to_string(version) + "." + name;
  return directory_ + "/metadata/" + name;
}

std::string Repository::ArtifactPath(std::string_view channel, std::string_view digest, std::string_view name) const {
  return directory_ + "/targets/" + std::string(channel) + "/" + std::string(digest) + "." + std::string(name);
}

Status Repository::LoadPublished(const std::string& role, std::int64_t version) {
  if (!tuf::IsTopLevel(role) && !IsChannelName(role)) {
    return Fail(ErrorCode::kMetadataInvalid,
                "the repository has the role '" + Printable(role) + "', which is no channel");
  }
  const std::string path = MetadataPath(role, version);
  PISHIP_TRY(const std::string text, ReadFile(path, kMaxMetadata));
  PISHIP_TRY(Document document, Document::Parse(role, text, path));
  if (document.Text() != text) {
    return Fail(ErrorCode::kMetadataInvalid, "'" + path + "' was not written by this program");
  }
  if (role == kTargets || !tuf::IsTopLevel(role)) PISHIP_CHECK(AsTargets(document));
  published_.insert_or_assign(role, std::move(document));
  return {};
}

Status Repository::Load() {
  std::int64_t root = 0;
  while (access(MetadataPath(kRoot, root + 1).c_str(), F_OK) == 0) ++root;
  if (root > 0) PISHIP_CHECK(LoadPublished(std::string(kRoot), root));
  if (access(MetadataPath(kTimestamp, 0).c_str(), F_OK) == 0) {
    PISHIP_CHECK(LoadPublished(std::string(kTimestamp), 0));
    PISHIP_TRY(const auto timestamp,
               tuf::ParseTimestamp(published_.at(std::string(kTimestamp)).Text(), "timestamp.json"));
    PISHIP_CHECK(LoadPublished(std::string(kSnapshot), timestamp.body.snapshot.version));
    PISHIP_TRY(const auto snapshot, tuf::ParseSnapshot(published_.at(std::string(kSnapshot)).Text(), "snapshot.json"));
    for (const auto& [role, file] : snapshot.body.roles) PISHIP_CHECK(LoadPublished(role, file.version));
  }
  return LoadStaged();
}

Status Repository::LoadStaged() {
  // Only names that can be staged are looked for; a channel's name is known from the targets.
  std::set<std::string> names = {std::string(kRoot), std::string(kTargets), std::string(kSnapshot),
                                 std::string(kTimestamp)};
  const auto load = [&](const std::string& role) -> Status {
    const std::string path = directory_ + "/staged/" + role + ".json";
    auto text = ReadFile(path, kMaxMetadata);
    if (!text && text.error().code == ErrorCode::kFileNotFound) return {};
    if (!text) return Fail(std::move(text).error());
    PISHIP_TRY(Document document, Document::Parse(role, *text, path));
    const Document* published = Published(role);
    // Published by a run that was interrupted before it could clean up, or overtaken by a later one.
    if (published != nullptr && document.version() <= published->version()) return {};
    staged_.insert_or_assign(role, std::move(document));
    return {};
  };
  for (const std::string& role : names) PISHIP_CHECK(load(role));
  if (Latest(kTargets) == nullptr) return {};
  PISHIP_TRY(const std::vector<std::string> channels, Channels());
  for (const std::string& role : channels) PISHIP_CHECK(load(role));
  return {};
}

const Document* Repository::Published(std::string_view role) const {
  const auto found = published_.find(role);
  return found == published_.end() ? nullptr : &found->second;
}

const Document* Repository::Latest(std::string_view role) const {
  const auto found = staged_.find(role);
  return found == staged_.end() ? Published(role) : &found->second;
}

Result<std::vector<std::string>> Repository::Channels() const {
  PISHIP_TRY(const auto targets, AsTargets(*Latest(kTargets)));
  std::vector<std::string> names;
  for (const tuf::DelegatedRole& role : targets.body.delegations) {
    if (!IsChannelName(role.name)) {
      return Fail(ErrorCode::kMetadataInvalid,
                  "the repository has the role '" + Printable(role.name) + "', which is no channel");
    }
    names.push_back(role.name);
  }
  return names;
}

std::int64_t Repository::DaysOf(std::string_view role) const {
  const Document* root = Latest(kRoot);
  const Value* days = root != nullptr ? root->body.Find(kDays) : nullptr;
  const Value* value = days != nullptr ? days->Find(tuf::IsTopLevel(role) ? role : "channel") : nullptr;
  return value != nullptr && value->is(json::Kind::kInteger) ? value->integer() : 30;
}

void Repository::Stage(std::string_view role, const Value& body, std::int64_t now) {
  const Document* published = Published(role);
  Document document;
  document.role = role;
  document.body = With(body, "version", published == nullptr ? std::int64_t{1} : published->version() + 1);
  document.body = With(document.body, "expires", tuf::FormatTime(now + DaysOf(role) * kDaySeconds));
  staged_.insert_or_assign(std::string(role), std::move(document));
  if (!IsContent(role)) return;
  staged_.erase(std::string(kSnapshot));
  staged_.erase(std::string(kTimestamp));
}

void Repository::StageTimestamp(std::string_view snapshot_text, std::int64_t snapshot_version, std::int64_t now) {
  Value meta = Value::Object();
  meta.Set("snapshot.json", MetaFileValue(snapshot_text, snapshot_version));
  Value body = Value::Object();
  body.Set("_type", kTimestamp).Set("spec_version", "1.0.31").Set("meta", std::move(meta));
  Stage(kTimestamp, body, now);
}

Status Repository::PublishTimestamp(const Signers& signers, std::int64_t now) {
  // A staged timestamp belongs to a staged snapshot and gets a higher number when its turn comes.
  std::map<std::string, Document, std::less<>> others;
  others.swap(staged_);
  others.erase(std::string(kTimestamp));
  const Document& snapshot = *Published(kSnapshot);
  StageTimestamp(snapshot.Text(), snapshot.version(), now);
  PISHIP_CHECK(SignStaged(kTimestamp, signers));
  PISHIP_TRY(const std::vector<std::string> missing, MissingSignatures());
  if (!missing.empty()) {
    return Fail(ErrorCode::kSignatureInvalid, "the timestamp lacks signatures: " + missing[0],
                "give its keys with --key or --signer");
  }
  PISHIP_CHECK(WriteMetadata(std::string(kTimestamp)));
  published_.insert_or_assign(std::string(kTimestamp), staged_.at(std::string(kTimestamp)));
  staged_.swap(others);
  return SaveStaged();
}

Status Repository::StageSnapshot(std::int64_t now) {
  PISHIP_TRY(std::vector<std::string> roles, Channels());
  roles.emplace_back(kTargets);
  Value meta = Value::Object();
  for (const std::string& role : roles) {
    const Document* document = Latest(role);
    if (document == nullptr) return Fail(ErrorCode::kMetadataMissing, "the channel '" + role + "' has no metadata");
    meta.Set(role + ".json", MetaFileValue(document->Text(), document->version()));
  }
  Value body = Value::Object();
  body.Set("_type", kSnapshot).Set("spec_version", "1.0.31").Set("meta", std::move(meta));
  Stage(kSnapshot, body, now);
  return {};
}

Result<std::vector<Requirement>> Repository::Required(std::string_view role) const {
  std::vector<Requirement> required;
  PISHIP_TRY(const auto root, AsRoot(*Latest(kRoot)));
  if (!tuf::IsTopLevel(role)) {
    PISHIP_TRY(const auto targets, AsTargets(*Latest(kTargets)));
    for (const tuf::DelegatedRole& each : targets.body.delegations) {
      if (each.name == role) required.push_back({targets.body.delegation_keys, each.keys});
    }
    return required;
  }
  required.push_back({root.body.keys, root.body.roles.find(role)->second});
  if (role == kRoot && Published(kRoot) != nullptr) {
    PISHIP_TRY(const auto before, AsRoot(*Published(kRoot)));
    required.push_back({before.body.keys, before.body.roles.find(role)->second});
  }
  return required;
}

Result<std::vector<Requirement>> Repository::Welcome(std::string_view role) const {
  std::vector<Requirement> welcome;
  if ((role == kSnapshot || role == kTimestamp) && Published(kRoot) != nullptr) {
    PISHIP_TRY(const auto before, AsRoot(*Published(kRoot)));
    welcome.push_back({before.body.keys, before.body.roles.find(role)->second});
  }
  return welcome;
}

Result<bool> Repository::IsComplete(const Document& document) const {
  PISHIP_TRY(const std::vector<Requirement> required, Required(document.role));
  PISHIP_TRY(const std::string bytes, document.SignedBytes());
  return std::all_of(required.begin(), required.end(), [&](const Requirement& each) {
    return Signed(document, bytes, each) >= static_cast<std::uint64_t>(each.role.threshold);
  });
}

Status Repository::SignStaged(std::string_view role, const Signers& signers) {
  const auto found = staged_.find(role);
  if (found == staged_.end()) return {};
  Document& document = found->second;
  PISHIP_TRY(std::vector<Requirement> requirements, Required(role));
  PISHIP_TRY(const std::vector<Requirement> welcome, Welcome(role));
  requirements.insert(requirements.end(), welcome.begin(), welcome.end());
  PISHIP_TRY(const std::string bytes, document.SignedBytes());
  for (const auto& signer : signers) {
    const std::string& id = signer->public_key().id;
    const bool may = std::any_of(requirements.begin(), requirements.end(), [&](const Requirement& each) {
      return std::find(each.role.key_ids.begin(), each.role.key_ids.end(), id) != each.role.key_ids.end();
    });
    if (!may || document.IsSignedBy(id)) continue;
    PISHIP_TRY(const std::string signature, signer->Sign(bytes));
    document.signatures.push_back(tuf::SignatureObject(signer->public_key(), signature));
  }
  return {};
}

Result<std::vector<std::string>> Repository::MissingSignatures() const {
  std::vector<std::string> lines;
  for (const auto& [role, document] : staged_) {
    PISHIP_TRY(const std::vector<Requirement> required, Required(role));
    PISHIP_TRY(const std::string bytes, document.SignedBytes());
    for (const Requirement& each : required) {
      const auto count = static_cast<std::int64_t>(Signed(document, bytes, each));
      if (count >= each.role.threshold) continue;
      std::string line = role + " " + std::to_string(document.version()) + ": " +
                         std::to_string(each.role.threshold - count) + " more of the keys";
      for (const std::string& id : each.role.key_ids) {
        if (!document.IsSignedBy(id)) line += " " + id.substr(0, 12);
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

Result<bool> Repository::ContentComplete() const {
  for (const auto& [role, document] : staged_) {
    if (!IsContent(role)) continue;
    PISHIP_TRY(const bool complete, IsComplete(document));
    if (!complete) return false;
  }
  return true;
}

// Whether what is published of the role no longer does: there is nothing, or the staged root has other keys for it.
Result<bool> Repository::NeedsAnew(std::string_view role) const {
  const Document* published = Published(role);
  if (published == nullptr) return true;
  PISHIP_TRY(const bool complete, IsComplete(*published));
  return !complete;
}

Result<Advanced> Repository::Advance(const Signers& signers, std::int64_t now) {
  for (const auto& [role, document] : staged_) {
    if (IsContent(role)) PISHIP_CHECK(SignStaged(role, signers));
  }
  PISHIP_TRY(const bool content_complete, ContentComplete());
  if (content_complete) {
    const bool targets_changed = std::any_of(
        staged_.begin(), staged_.end(), [](const auto& each) { return IsContent(each.first) && each.first != kRoot; });
    PISHIP_TRY(const bool snapshot_anew, NeedsAnew(kSnapshot));
    if ((targets_changed || snapshot_anew) && !staged_.contains(kSnapshot)) PISHIP_CHECK(StageSnapshot(now));
    PISHIP_CHECK(SignStaged(kSnapshot, signers));
    const Document& snapshot = *Latest(kSnapshot);
    PISHIP_TRY(const bool snapshot_complete, IsComplete(snapshot));
    PISHIP_TRY(const bool timestamp_anew, NeedsAnew(kTimestamp));
    if (snapshot_complete && (staged_.contains(kSnapshot) || timestamp_anew) && !staged_.contains(kTimestamp)) {
      StageTimestamp(snapshot.Text(), snapshot.version(), now);
    }
    PISHIP_CHECK(SignStaged(kTimestamp, signers));
  }
  Advanced advanced;
  PISHIP_TRY(advanced.missing, MissingSignatures());
  PISHIP_CHECK(SaveStaged());
  if (!advanced.missing.empty() || staged_.empty()) return advanced;
  PISHIP_CHECK(Publish());
  advanced.published = true;
  return advanced;
}

Status Repository::SaveStaged() const {
  if (staged_.empty()) return {};
  PISHIP_CHECK(MakeDirectories(directory_ + "/staged"));
  for (const auto& [role, document] : staged_) {
    PISHIP_CHECK(WriteFileAtomically(directory_ + "/staged/" + role + ".json", document.Text()));
  }
  for (const std::string_view role : {kSnapshot, kTimestamp}) {
    const std::string path = directory_ + "/staged/" + std::string(role) + ".json";
    if (!staged_.contains(role) && unlink(path.c_str()) != 0 && errno != ENOENT) {
      return Fail(SystemError("remove '" + path + "'", errno));
    }
  }
  return {};
}

Status Repository::RemoveStaged() {
  for (auto& [role, document] : staged_) {
    unlink((directory_ + "/staged/" + role + ".json").c_str());
    published_.insert_or_assign(role, std::move(document));
  }
  staged_.clear();
  rmdir((directory_ + "/staged").c_str());
  return {};
}

Status Repository::WriteMetadata(const std::string& role) const {
  const Document& document = staged_.at(role);
  PISHIP_CHECK(WriteFileAtomically(MetadataPath(role, document.version()), document.Text(), 0644));
  return SyncFileSystem(lock_.get(), directory_);
}

// With a root that has other keys for snapshot or timestamp, either order leaves clients without valid files for a
// moment, unless the new files are signed by the old keys too: then they go first, and clients on both roots accept
// them.
Result<bool> Repository::RootGoesLast() const {
  if (!staged_.contains(kRoot) || Published(kTimestamp) == nullptr) return false;
  bool rotated = false;
  for (const std::string_view role : {kSnapshot, kTimestamp}) {
    PISHIP_TRY(const bool old_does_not_do, NeedsAnew(role));
    rotated = rotated || old_does_not_do;
    const Document& document = *Latest(role);
    PISHIP_TRY(const std::string bytes, document.SignedBytes());
    PISHIP_TRY(const std::vector<Requirement> before, Welcome(role));
    for (const Requirement& each : before) {
      if (Signed(document, bytes, each) < static_cast<std::uint64_t>(each.role.threshold)) return false;
    }
  }
  return rotated;
}

Status Repository::Publish() {
  PISHIP_CHECK(MakeDirectories(directory_ + "/metadata"));
  // Nobody is led to these yet.
  for (const auto& [role, document] : staged_) {
    if (role != kRoot && role != kTimestamp) PISHIP_CHECK(WriteMetadata(role));
  }
  PISHIP_TRY(const bool root_last, RootGoesLast());
  if (staged_.contains(kRoot) && !root_last) PISHIP_CHECK(WriteMetadata(std::string(kRoot)));
  if (staged_.contains(kTimestamp)) PISHIP_CHECK(WriteMetadata(std::string(kTimestamp)));
  if (root_last) PISHIP_CHECK(WriteMetadata(std::string(kRoot)));
  return RemoveStaged();
}

}  // namespace piship::publish
