// SPDX-License-Identifier: MIT
// Reading, and what happens to an object that is not what its name says.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/beneath.h"
#include "store/impl.h"

namespace piship {
namespace {

constexpr std::string_view kBuildAgain = "build again: what made it then makes it anew";

// The digest of what `fd` gives from its beginning. Nothing where the disk can't read it.
std::optional<Digest> DigestOfFile(int fd) {
  if (lseek(fd, 0, SEEK_SET) != 0) return std::nullopt;
  std::string buffer(kPiece, '\0');
  Sha256 hasher;
  for (;;) {
    const auto count = ReadSome(fd, buffer.data(), buffer.size(), "");
    if (!count) return std::nullopt;
    hasher.Update({buffer.data(), *count});
    if (*count < buffer.size()) return hasher.Finish();
  }
}

}  // namespace

Error Store::Impl::Missing(const Digest& digest) const {
  if (auto touched = TouchEpoch(); !touched) {
    return std::move(touched).error().While("noting that the object " + digest.Hex() + " is missing");
  }
  Error error;
  error.code = ErrorCode::kObjectMissing;
  error.message = "the store '" + directory + "' lacks the object " + digest.Hex();
  error.hint = kBuildAgain;
  return error;
}

Error Store::Impl::Damaged(const Digest& digest, int fd, std::string_view reason) const {
  const std::string path = ObjectPath(digest);
  Error error;
  error.code = ErrorCode::kObjectDamaged;
  error.message = "the object " + Subject(path) + " is damaged: it " + std::string(reason);
  error.hint = "it was removed; " + std::string(kBuildAgain);
  if (auto touched = TouchEpoch(); !touched) {
    error.hint = "remove it, and build again; the store can't be written: " + touched.error().message;
    return error;
  }
  const auto held = Root();
  struct stat opened {};
  struct stat named {};
  if (fd >= 0 && fstat(fd, &opened) == 0 && fstatat(held->get(), path.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      (opened.st_ino != named.st_ino || opened.st_dev != named.st_dev)) {
    return error;  // somebody has removed the damaged one and made it again
  }
  if (const int failed = RemoveBeneath(held->get(), path.c_str()); failed != 0) {
    error.hint =
        "remove it, and build again; here it could not be removed: " + SystemError("remove it", -failed).message;
  }
  return error;
}

Error Store::Impl::WrongSize(const Digest& digest, int fd, std::uint64_t size) const {
  struct stat status {};
  const bool known = fstat(fd, &status) == 0;
  const std::string has = known ? std::to_string(status.st_size) : "?";
  if (DigestOfFile(fd) == digest) {
    Error error;
    error.code = ErrorCode::kInventoryInvalid;
    error.message = "an inventory says that " + digest.Hex() + " has " + std::to_string(size) + " bytes; it has " + has;
    return error;
  }
  return Damaged(digest, fd, "has " + has + " bytes instead of " + std::to_string(size));
}

Result<UniqueFd> Store::Impl::OpenObject(const Digest& digest, struct stat& status) const {
  const std::string path = ObjectPath(digest);
  for (bool again = true;;) {
    const auto held = Root();
    // Whatever stands there, opening it does not wait, follow a link or get a terminal.
    UniqueFd fd(openat(held->get(), path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd.valid()) {
      const int error_number = errno;
      switch (error_number) {
        case EINTR:
          continue;
        case ENOENT: {
          if (again) {
            PISHIP_TRY(const bool reopened, Reopen());
            again = false;
            if (reopened) continue;
          }
          return Fail(Missing(digest));
        }
        case ELOOP:
          return Fail(Damaged(digest, -1, "is a symbolic link"));
        case ENXIO:
        case ENODEV:
          return Fail(Damaged(digest, -1, "is not a regular file"));
        default:
          return Fail(SystemError("read the object " + Subject(path), error_number));
      }
    }
    if (fstat(fd.get(), &status) != 0) return Fail(SystemError("read the object " + Subject(path), errno));
    if (!S_ISREG(status.st_mode)) return Fail(Damaged(digest, fd.get(), "is not a regular file"));
    if (IsStale(status)) MarkUsed(held->get(), path.c_str());
    return fd;
  }
}

Status Store::ReadInto(const Digest& digest, std::uint64_t size, std::string& buffer) const {
  struct stat status {};
  PISHIP_TRY(const UniqueFd fd, impl_->OpenObject(digest, status));
  if (static_cast<std::uint64_t>(status.st_size) != size) return Fail(impl_->WrongSize(digest, fd.get(), size));
  buffer.resize(size);
  const auto count = ReadSome(fd.get(), buffer.data(), buffer.size(), "");
  if (!count) return Fail(impl_->Damaged(digest, fd.get(), "can't be read: " + count.error().message));
  if (*count != size || Digest::Of(buffer) != digest) {
    return Fail(impl_->Damaged(digest, fd.get(), "does not match its digest"));
  }
  return {};
}

Result<std::string> Store::Read(const Digest& digest, std::uint64_t size) const {
  std::string bytes;
  PISHIP_CHECK(ReadInto(digest, size, bytes));
  return bytes;
}

Status Store::Stream(const Digest& digest, std::uint64_t size,
                     const std::function<Status(std::string_view)>& take) const {
  struct stat status {};
  PISHIP_TRY(const UniqueFd fd, impl_->OpenObject(digest, status));
  if (static_cast<std::uint64_t>(status.st_size) != size) return Fail(impl_->WrongSize(digest, fd.get(), size));
  std::string buffer(std::min<std::uint64_t>(size, kPiece), '\0');
  Sha256 hasher;
  for (std::uint64_t left = size; left > 0;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
    const auto count = ReadSome(fd.get(), buffer.data(), wanted, "");
    if (!count) return Fail(impl_->Damaged(digest, fd.get(), "can't be read: " + count.error().message));
    if (*count != wanted) return Fail(impl_->Damaged(digest, fd.get(), "ends early"));
    const std::string_view piece(buffer.data(), wanted);
    hasher.Update(piece);
    PISHIP_CHECK(take(piece));
    left -= wanted;
  }
  if (hasher.Finish() != digest) return Fail(impl_->Damaged(digest, fd.get(), "does not match its digest"));
  return {};
}

Result<bool> Store::CloneTo(const Digest& digest, std::uint64_t size, int fd) const {
  struct stat status {};
  PISHIP_TRY(const UniqueFd object, impl_->OpenObject(digest, status));
  if (static_cast<std::uint64_t>(status.st_size) != size) return Fail(impl_->WrongSize(digest, object.get(), size));
  if (ioctl(fd, FICLONE, object.get()) != 0) {
    if (errno == ENOSPC || errno == EDQUOT || errno == EIO)
      return Fail(SystemError("share blocks of the object " + digest.Hex(), errno));
    return false;
  }
  if (DigestOfFile(object.get()) != digest) {
    return Fail(impl_->Damaged(digest, object.get(), "does not match its digest"));
  }
  return true;
}

}  // namespace piship
