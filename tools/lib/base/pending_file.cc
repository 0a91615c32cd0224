// SPDX-License-Identifier: MIT
#include "base/pending_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace piship {
namespace {

constexpr std::size_t kCompareStep = std::size_t{256} * 1024;
constexpr mode_t kExecute = 0111;

}  // namespace

PendingFile::PendingFile(std::string path, unsigned mode)
    : path_(std::move(path)), temporary_(TemporaryNameFor(path_)), mode_(mode) {}

PendingFile::~PendingFile() {
  if (fd_.valid()) unlink(temporary_.c_str());
}

Status PendingFile::Create() {
  PISHIP_TRY(fd_, OpenFile(temporary_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode_));
  return {};
}

Status PendingFile::Append(std::string_view bytes) {
  hash_.Update(bytes);
  bytes_ += bytes.size();
  return WriteAll(fd_.get(), bytes, path_);
}

Result<Digest> PendingFile::Commit() {
  PISHIP_TRY(const bool same, IsThere());
  if (!same) {
    const int fd = fd_.Release();
    if (close(fd) != 0 || rename(temporary_.c_str(), path_.c_str()) != 0) {
      const int error_number = errno;
      unlink(temporary_.c_str());
      return Fail(SystemError("write '" + path_ + "'", error_number));
    }
  }
  return hash_.Finish();
}

Result<bool> PendingFile::IsThere() {
  auto present = OpenFile(path_, O_RDONLY);
  struct stat status {};
  struct stat own {};
  if (!present || fstat(present->get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) != bytes_ || fstat(fd_.get(), &own) != 0 ||
      (status.st_mode & kExecute) != (own.st_mode & kExecute)) {
    return false;
  }
  if (lseek(fd_.get(), 0, SEEK_SET) != 0) return Fail(SystemError("read '" + temporary_ + "'", errno));
  std::string ours(kCompareStep, '\0');
  std::string theirs(kCompareStep, '\0');
  for (;;) {
    PISHIP_TRY(const std::size_t count, ReadSome(fd_.get(), ours.data(), kCompareStep, temporary_));
    PISHIP_TRY(const std::size_t other, ReadSome(present->get(), theirs.data(), kCompareStep, path_));
    if (std::string_view(ours.data(), count) != std::string_view(theirs.data(), other)) return false;
    if (count == 0) return true;
  }
}

}  // namespace piship
