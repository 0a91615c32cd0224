// SPDX-License-Identifier: MIT
#include "tree/tree_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/beneath.h"
#include "os/kept_modes.h"

namespace piship {
namespace {

constexpr std::uint64_t kReserveFrom = std::uint64_t{1} << 20;  // smaller files are written by one call anyway

}  // namespace

std::string TreeWriter::Subject(std::string_view path) const { return "'" + JoinPath(name_, path) + "'"; }

Status TreeWriter::MakeParents(std::string_view parent) {
  if (parent.empty()) return {};
  {
    const std::lock_guard lock(mutex_);
    if (made_.contains(std::string(parent))) return {};
  }
  if (const int error = MakeDirectoriesBeneath(directory_, parent); error != 0) {
    return Fail(SystemError("make the directory " + Subject(parent), -error));
  }
  const std::lock_guard lock(mutex_);
  made_.emplace(parent);
  return {};
}

Result<UniqueFd> TreeWriter::Open(const RelativePath& path, FileMode mode) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  PISHIP_CHECK(MakeParents(path.parent()));
  const unsigned bits = ModeBits(mode);
  const int fd = OpenBeneath(directory_, path.str().c_str(), kFlags, bits);
  if (fd < 0) return Fail(SystemError("create " + Subject(path.str()), -fd));
  UniqueFd file(fd);
  std::atomic<ModeFit>& fit = mode_fit_[static_cast<std::size_t>(mode)];
  if (fit.load(std::memory_order_relaxed) == ModeFit::kUnknown) {
    struct stat status {};
    if (fstat(fd, &status) != 0) return Fail(SystemError("create " + Subject(path.str()), errno));
    fit.store((status.st_mode & 07777) == bits ? ModeFit::kExact : ModeFit::kNeedsChmod, std::memory_order_relaxed);
  }
  if (fit.load(std::memory_order_relaxed) == ModeFit::kNeedsChmod && fchmod(fd, bits) != 0 && KeepsModes(fd)) {
    return Fail(SystemError("set the mode of " + Subject(path.str()), errno));
  }
  return file;
}

Status TreeWriter::Create(const RelativePath& path, FileMode mode, std::string_view bytes) {
  PISHIP_TRY(File file, Begin(path, mode, bytes.size()));
  PISHIP_CHECK(file.Append(bytes));
  return file.Finish();
}

Result<TreeWriter::File> TreeWriter::Begin(const RelativePath& path, FileMode mode, std::uint64_t size) {
  PISHIP_TRY(UniqueFd fd, Open(path, mode));
  // Not posix_fallocate: where the file system can't reserve, that writes every block itself.
  if (size >= kReserveFrom && fallocate(fd.get(), 0, 0, static_cast<off_t>(size)) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    return Fail(SystemError("write " + Subject(path.str()), errno));
  }
  return File(std::move(fd), JoinPath(name_, path.str()));
}

Status TreeWriter::File::Append(std::string_view bytes) { return WriteAll(fd_.get(), bytes, subject_); }

Status TreeWriter::File::Finish() {
  if (close(fd_.Release()) != 0 && errno != EINTR) return Fail(SystemError("write '" + subject_ + "'", errno));
  return {};
}

}  // namespace piship
