// SPDX-License-Identifier: MIT
// A TUF repository directory that its owner keeps and a static server serves:
//   metadata/   <n>.root.json, <n>.targets.json, <n>.<channel>.json, <n>.snapshot.json, timestamp.json     served
//   targets/    <channel>/<sha256>.<archive>                                                               served
//   staged/     what is changed and not published yet: it may wait for signatures of other people          not served
// Nothing is published before every file of a change has its signatures. Publishing writes what nobody refers to yet,
// then timestamp.json, by rename; what was staged goes last, so an interrupted run is finished by the next one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "publish/document.h"
#include "publish/signers.h"
#include "tuf/metadata.h"

namespace piship::publish {

// Who must sign a role: a threshold of each.
struct Requirement {
  tuf::KeySet keys;
  tuf::RoleKeys role;
};

struct Advanced {
  bool published = false;
  std::vector<std::string> missing;  // a line for each role that lacks signatures
};

class Repository {
 public:
  // The directory may be absent or without metadata; a repository that is there is kMetadataMismatch: one history.
  static Result<Repository> Create(std::string directory);
  static Result<Repository> Open(std::string directory);

  const std::string& directory() const { return directory_; }
  std::string ArtifactPath(std::string_view channel, std::string_view digest, std::string_view name) const;
  // Staged, else published; null where there is neither.
  const Document* Latest(std::string_view role) const;
  const Document* Published(std::string_view role) const;
  bool HasStaged() const { return !staged_.empty(); }
  // The delegated roles.
  Result<std::vector<std::string>> Channels() const;
  // How many days a role's metadata is good for, as the root says.
  std::int64_t DaysOf(std::string_view role) const;

  // Puts a changed body in line: one version above the published one, expiring as the root says. What was signed of
  // snapshot and timestamp is made anew.
  void Stage(std::string_view role, const json::Value& body, std::int64_t now);
  // Publishes a new timestamp for what is published, whatever else is staged. kSignatureInvalid where its keys are not
  // at hand.
  Status PublishTimestamp(const Signers& signers, std::int64_t now);
  // Signs with the keys at hand all that is staged; where that completes it, makes snapshot and timestamp and
  // publishes.
  Result<Advanced> Advance(const Signers& signers, std::int64_t now);
  Result<std::vector<std::string>> MissingSignatures() const;

 private:
  explicit Repository(std::string directory, UniqueFd lock)
      : directory_(std::move(directory)), lock_(std::move(lock)) {}
  static Result<Repository> Lock(std::string directory);
  Status Load();
  Status LoadPublished(const std::string& role, std::int64_t version);
  Status LoadStaged();
  Status SaveStaged() const;
  Status RemoveStaged();
  Status Publish();
  Status WriteMetadata(const std::string& role) const;

  std::string MetadataPath(std::string_view role, std::int64_t version) const;
  Result<std::vector<Requirement>> Required(std::string_view role) const;
  // In addition to what is required: keys of the published root, so that clients on either root accept the file.
  Result<std::vector<Requirement>> Welcome(std::string_view role) const;
  Result<bool> IsComplete(const Document& document) const;
  Status SignStaged(std::string_view role, const Signers& signers);
  Result<bool> ContentComplete() const;
  Status StageSnapshot(std::int64_t now);
  void StageTimestamp(std::string_view snapshot_text, std::int64_t snapshot_version, std::int64_t now);
  Result<bool> NeedsAnew(std::string_view role) const;
  Result<bool> RootGoesLast() const;

  std::string directory_;
  UniqueFd lock_;
  std::map<std::string, Document, std::less<>> published_;
  std::map<std::string, Document, std::less<>> staged_;
};

}  // namespace piship::publish
