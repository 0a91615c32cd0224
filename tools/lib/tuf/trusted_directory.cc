// SPDX-License-Identifier: MIT
#include "tuf/trusted_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "net/url.h"
#include "os/beneath.h"
#include "os/lock.h"
#include "os/sync.h"
#include "tuf/metadata.h"

namespace piship::tuf {
namespace {

constexpr std::size_t kMaxFile = std::size_t{64} * 1024 * 1024;
// The lock covers a comparison and a rename.
constexpr std::chrono::milliseconds kLockStep{5};
constexpr int kLockSteps = 2000;

// Temporary files whose writers were killed: whoever writes one holds the lock.
Status RemoveLeftovers(int directory) {
  std::vector<DirectoryEntry> entries;
  if (const int error = ReadDirectory(directory, entries); error != 0) {
    return Fail(SystemError("read the directory of the trusted metadata", -error));
  }
  for (const DirectoryEntry& entry : entries) {
    if (entry.name.starts_with(".tmp-")) unlinkat(directory, entry.name.c_str(), 0);
  }
  return {};
}

Result<UniqueFd> LockDirectory(const std::string& path) {
  PISHIP_TRY(UniqueFd directory, OpenFile(path, O_RDONLY | O_DIRECTORY));
  for (int step = 0; step < kLockSteps; ++step) {
    PISHIP_TRY(const LockOutcome outcome, TryLock(directory.get(), LockMode::kExclusive, path));
    // Without locks two updates at once are not told apart; each file is still old or new.
    if (outcome == LockOutcome::kAcquired) PISHIP_CHECK(RemoveLeftovers(directory.get()));
    if (outcome != LockOutcome::kHeld) return directory;
    std::this_thread::sleep_for(kLockStep);
  }
  return Fail(ErrorCode::kLockHeld, "another process keeps '" + path + "' locked");
}

// Zero for what is no metadata: it protects nothing.
std::int64_t VersionIn(std::string_view text) {
  const auto document = json::Parse(text, "metadata");
  const json::Value* body = document ? document->Find("signed") : nullptr;
  const json::Value* version = body != nullptr ? body->Find("version") : nullptr;
  return version != nullptr && version->is(json::Kind::kInteger) ? version->integer() : 0;
}

}  // namespace

std::string TrustedDirectory::PathOf(std::string_view role) const {
  return JoinPath(path_, PercentEncode(role) + ".json");
}

Status TrustedDirectory::Begin(std::string_view text) {
  PISHIP_TRY(const Metadata<Root> root, ParseFirstRoot(text, "root.json"));
  PISHIP_CHECK(MakeDirectories(path_, 0755));
  PISHIP_TRY(const std::optional<std::string> present, Load(kRoot));
  if (!present) return Save(kRoot, text, root.version);
  PISHIP_TRY(const Metadata<Root> old, ParseRoot(*present, "root.json"));
  if (root.version <= old.version) return {};
  PISHIP_CHECK(VerifySignatures(root.signed_bytes, root.signatures, old.body.keys,
                                old.body.roles.at(std::string(kRoot)), "root.json"));
  return Save(kRoot, text, root.version);
}

Result<std::optional<std::string>> TrustedDirectory::Load(std::string_view role) const {
  const std::string path = PathOf(role);
  auto text = ReadFile(path, kMaxFile);
  if (text) return *std::move(text);
  if (text.error().code == ErrorCode::kFileNotFound || text.error().code == ErrorCode::kLimitExceeded) {
    return std::nullopt;
  }
  return Fail(std::move(text).error());
}

Status TrustedDirectory::Save(std::string_view role, std::string_view bytes, std::int64_t version) const {
  PISHIP_TRY(const UniqueFd lock, LockDirectory(path_));
  PISHIP_TRY(const std::optional<std::string> present, Load(role));
  if (present == bytes) return {};
  const bool never_back = role == kRoot || role == kTimestamp || role == kSnapshot;
  if (never_back && present && VersionIn(*present) > version) {
    return Fail(ErrorCode::kRollback, "another process has stored a newer " + std::string(role) + ".json meanwhile",
                "try again");
  }
  // A rename that a power cut loses is as if this run had not been; a file without its bytes may not be.
  return ReplaceFileDurably(PathOf(role), bytes, 0644);
}

Status TrustedDirectory::Remove(std::string_view role) const {
  PISHIP_TRY(const UniqueFd lock, LockDirectory(path_));
  if (unlink(PathOf(role).c_str()) != 0 && errno != ENOENT) {
    return Fail(SystemError("remove '" + PathOf(role) + "'", errno));
  }
  return {};
}

}  // namespace piship::tuf
