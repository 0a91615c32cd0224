// SPDX-License-Identifier: MIT
#include "source/listed_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "os/beneath.h"

namespace piship {
namespace {

constexpr std::size_t kWholeFile = std::size_t{8} << 20;  // larger ones go in parts
constexpr std::size_t kPart = std::size_t{1} << 20;

}  // namespace

std::string ListedFiles::Subject(std::string_view path) const { return JoinPath(name_, path); }

Error ListedFiles::Changed(const std::string& subject) const {
  return Error{ErrorCode::kIntegrityFailed, "'" + subject + "' does not match the release's inventory", hint_};
}

Result<UniqueFd> ListedFiles::Open(std::string_view path) const {
  const int fd = OpenBeneath(root_, std::string(path).c_str(), O_RDONLY | O_NONBLOCK);
  if (fd >= 0) return UniqueFd(fd);
  Error error = SystemError("read '" + Subject(path) + "'", -fd);
  if (IsAbsent(fd)) error.code = ErrorCode::kIntegrityFailed;
  return Fail(std::move(error));
}

Result<UniqueFd> ListedFiles::OpenSized(std::string_view path, const InventoryEntry& entry) const {
  PISHIP_TRY(UniqueFd fd, Open(path));
  const std::string subject = Subject(path);
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) return Fail(SystemError("read '" + subject + "'", errno));
  if (!S_ISREG(status.st_mode)) return Fail(ErrorCode::kIntegrityFailed, "'" + subject + "' is not a regular file");
  if (static_cast<std::uint64_t>(status.st_size) != entry.size) return Fail(Changed(subject));
  return fd;
}

Result<std::string> ListedFiles::ReadWhole(int fd, std::string_view path, const InventoryEntry& entry) const {
  const std::string subject = Subject(path);
  std::string bytes(static_cast<std::size_t>(entry.size), '\0');
  PISHIP_TRY(const std::size_t count, ReadSome(fd, bytes.data(), bytes.size(), subject));
  if (count != bytes.size() || Digest::Of(bytes) != entry.digest) return Fail(Changed(subject));
  return bytes;
}

Result<std::string> ListedFiles::Read(const InventoryEntry& entry) const {
  PISHIP_TRY(const UniqueFd fd, OpenSized(entry.path.str(), entry));
  return ReadWhole(fd.get(), entry.path.str(), entry);
}

Status ListedFiles::Check(std::string_view path, const InventoryEntry& entry) const {
  class Nowhere : public PayloadSink {
   public:
    Status Begin(const Inventory& /*inventory*/, std::string_view /*text*/) override { return {}; }
    Status File(const InventoryEntry& /*entry*/, std::string_view /*bytes*/) override { return {}; }
    Status Part(const InventoryEntry& /*entry*/, std::uint64_t /*offset*/, std::string_view /*bytes*/) override {
      return {};
    }
  } nowhere;
  return HandOn(path, entry, nowhere);
}

Status ListedFiles::HandOn(std::string_view path, const InventoryEntry& entry, PayloadSink& sink) const {
  PISHIP_TRY(const UniqueFd fd, OpenSized(path, entry));
  if (entry.size > kWholeFile) return HandOnParts(fd.get(), Subject(path), entry, sink);
  PISHIP_TRY(const std::string bytes, ReadWhole(fd.get(), path, entry));
  return sink.File(entry, bytes);
}

Status ListedFiles::HandOnParts(int fd, const std::string& subject, const InventoryEntry& entry,
                                PayloadSink& sink) const {
  std::string buffer(kPart, '\0');
  Sha256 hasher;
  for (std::uint64_t offset = 0; offset < entry.size;) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(kPart, entry.size - offset));
    PISHIP_TRY(const std::size_t count, ReadSome(fd, buffer.data(), step, subject));
    if (count != step) return Fail(Changed(subject));
    const std::string_view bytes(buffer.data(), count);
    hasher.Update(bytes);
    PISHIP_CHECK(sink.Part(entry, offset, bytes));
    offset += count;
  }
  if (hasher.Finish() != entry.digest) return Fail(Changed(subject));
  return {};
}

}  // namespace piship
