// SPDX-License-Identifier: MIT
#include "source/download.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "home/homes.h"
#include "home/lifecycle_lock.h"
#include "os/lock.h"

namespace piship {
namespace {

constexpr std::chrono::milliseconds kWaitStep{50};

// Appends, or writes from the beginning where the server sends the whole; never more than the signed length.
class FileEnd : public tuf::ArtifactSink {
 public:
  FileEnd(int fd, std::string path, std::uint64_t bytes) : fd_(fd), path_(std::move(path)), bytes_(bytes) {}

  Status Begin(std::uint64_t offset) override {
    at_ = offset;
    if (ftruncate(fd_, static_cast<off_t>(offset)) != 0 || lseek(fd_, static_cast<off_t>(offset), SEEK_SET) < 0) {
      return Fail(SystemError("write '" + path_ + "'", errno));
    }
    return {};
  }
  Status Take(std::string_view bytes) override {
    if (bytes.size() > bytes_ - at_) {
      return Fail(ErrorCode::kIntegrityFailed,
                  "the repository sends more than the " + std::to_string(bytes_) + " bytes that were signed");
    }
    at_ += bytes.size();
    return WriteAll(fd_, bytes, path_);
  }

 private:
  int fd_;
  std::string path_;
  std::uint64_t bytes_;
  std::uint64_t at_ = 0;
};

std::string PathOf(const std::string& directory, const Digest& digest, Extent extent) {
  return JoinPath(directory, digest.Hex() + (extent == Extent::kWhole ? ".part" : ".frames"));
}

}  // namespace

Result<Download> Download::Claim(const std::string& directory, const Digest& digest, Extent extent,
                                 const std::function<void(const std::string&)>& on_wait) {
  PISHIP_CHECK(MakeHomeDirectory(directory));
  const std::string path = PathOf(directory, digest, extent);
  bool told = false;
  for (;;) {
    PISHIP_TRY(UniqueFd fd, OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
    PISHIP_TRY(const LockOutcome outcome, TryLock(fd.get(), LockMode::kExclusive, path));
    // Without locks two processes may write the same bytes; the digest decides in the end.
    if (outcome != LockOutcome::kHeld && IsStillNamed(fd.get(), path)) return Download(path, std::move(fd), digest);
    if (outcome == LockOutcome::kHeld) {
      if (!told) on_wait(DescribeLockHolder(fd.get()));
      told = true;
      std::this_thread::sleep_for(kWaitStep);
    }
  }
}

Result<std::uint64_t> Download::Resume(std::uint64_t bytes) {
  struct stat status {};
  if (fstat(fd_.get(), &status) != 0) return Fail(SystemError("read '" + path_ + "'", errno));
  const auto present = static_cast<std::uint64_t>(status.st_size);
  if (present <= bytes) return present;
  if (ftruncate(fd_.get(), 0) != 0) return Fail(SystemError("write '" + path_ + "'", errno));
  return 0;
}

Status Download::Fill(std::uint64_t bytes, const std::function<Status(std::uint64_t, tuf::ArtifactSink&)>& fetch) {
  PISHIP_TRY(const std::uint64_t present, Resume(bytes));
  Status filled = FillFrom(present, bytes, fetch);
  const auto ended_with = [&](ErrorCode code) { return !filled && filled.error().code == code; };
  if (present > 0 && (ended_with(ErrorCode::kIntegrityFailed) || ended_with(ErrorCode::kHttpFailed))) {
    filled = FillFrom(0, bytes, fetch);
  }
  if (filled) return {};
  const auto got = Resume(bytes);
  const bool wrong = ended_with(ErrorCode::kIntegrityFailed) || ended_with(ErrorCode::kLimitExceeded);
  if (wrong || (got && *got == 0)) Remove();
  return filled;
}

Status Download::FillFrom(std::uint64_t present, std::uint64_t bytes,
                          const std::function<Status(std::uint64_t, tuf::ArtifactSink&)>& fetch) {
  FileEnd end(fd_.get(), path_, bytes);
  if (present < bytes) PISHIP_CHECK(fetch(present, end));
  PISHIP_TRY(const std::uint64_t filled, Resume(bytes));
  PISHIP_TRY(const Digest digest, DigestOfFile(fd_.get(), path_));
  if (filled == bytes && digest == digest_) return {};
  return Fail(ErrorCode::kIntegrityFailed,
              "what the repository sent has " + std::to_string(filled) + " bytes and the SHA-256 " + digest.Hex() +
                  ", and " + std::to_string(bytes) + " bytes with " + digest_.Hex() + " were signed",
              "try again later, or tell the owner of the channel");
}

Result<bool> Download::IsWhole() const {
  PISHIP_TRY(const Digest digest, DigestOfFile(fd_.get(), path_));
  return digest == digest_;
}

Result<Digest> DigestOfFile(int fd, const std::string& name) {
  if (lseek(fd, 0, SEEK_SET) != 0) return Fail(SystemError("read '" + name + "'", errno));
  Sha256 hasher;
  std::string buffer(std::size_t{256} * 1024, '\0');
  for (;;) {
    PISHIP_TRY(const std::size_t size, ReadSome(fd, buffer.data(), buffer.size(), name));
    if (size == 0) return hasher.Finish();
    hasher.Update({buffer.data(), size});
  }
}

void Download::Discard(const std::string& directory, const Digest& digest) {
  for (const Extent extent : {Extent::kWhole, Extent::kFrames}) {
    const std::string path = PathOf(directory, digest, extent);
    const auto file = OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!file) continue;
    const auto outcome = TryLock(file->get(), LockMode::kExclusive, path);
    if (outcome && *outcome == LockOutcome::kAcquired) unlink(path.c_str());
  }
}

void Download::Remove() { unlink(path_.c_str()); }

}  // namespace piship
