// SPDX-License-Identifier: MIT
#include "home/receipts.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "home/homes.h"
#include "model/names.h"
#include "os/sync.h"

namespace piship {
namespace {

constexpr std::string_view kSuffix = ".json";

}  // namespace

Result<OpenReceipt> OpenReceipt::Read(const std::string& install_home, const std::string& id) {
  OpenReceipt open;
  open.path_ = ReceiptPath(install_home, id);
  auto fd = OpenFile(open.path_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) {
    if (fd.error().code != ErrorCode::kFileNotFound) return Fail(std::move(fd).error());
    return Fail(ErrorCode::kNotInstalled, "'" + id + "' is not installed in '" + install_home + "'",
                "'piship list' shows what is");
  }
  open.fd_ = *std::move(fd);
  struct stat status {};
  if (fstat(open.fd_.get(), &status) != 0) return Fail(SystemError("read '" + open.path_ + "'", errno));
  open.device_ = status.st_dev;
  open.inode_ = status.st_ino;
  PISHIP_TRY(open.text_, ReadAll(open.fd_.get(), status, open.path_, kReceiptLimit));
  PISHIP_TRY(open.receipt_, Receipt::Parse(open.text_, open.path_));
  if (open.receipt_.id != id) {
    return Fail(ErrorCode::kReceiptInvalid, open.path_ + ": is the receipt of '" + open.receipt_.id + "'",
                "move the file aside and install the distribution again; its own data is not touched");
  }
  return open;
}

bool OpenReceipt::IsCurrent() const {
  struct stat current {};
  return stat(path_.c_str(), &current) == 0 && current.st_dev == device_ && current.st_ino == inode_;
}

Result<std::optional<Receipt>> FindReceipt(const std::string& install_home, const std::string& id) {
  auto open = OpenReceipt::Read(install_home, id);
  if (open) return std::optional<Receipt>(open->receipt());
  if (open.error().code == ErrorCode::kNotInstalled) return std::optional<Receipt>();
  return Fail(std::move(open).error());
}

Result<std::vector<std::string>> ReceiptIds(const std::string& install_home) {
  std::vector<std::string> ids;
  const std::string path = ReceiptsDirectory(install_home);
  DIR* directory = opendir(path.c_str());
  if (directory == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return ids;
    return Fail(SystemError("read the directory '" + path + "'", errno));
  }
  errno = 0;
  while (const dirent* entry = readdir(directory)) {
    std::string_view name = entry->d_name;
    if (!name.ends_with(kSuffix)) continue;
    name.remove_suffix(kSuffix.size());
    if (CheckId(name, "the id")) ids.emplace_back(name);
  }
  const int error_number = errno;
  closedir(directory);
  if (error_number != 0) return Fail(SystemError("read the directory '" + path + "'", error_number));
  std::sort(ids.begin(), ids.end());
  return ids;
}

// The new text is written in apps/<id>, where only the holder of this distribution's lifecycle lock works, so that what
// a kill leaves there can be told from what another process is writing.
Status CommitReceipt(const std::string& install_home, const Receipt& receipt, Durable durable) {
  const std::string path = ReceiptPath(install_home, receipt.id);
  const std::string directory = ReceiptsDirectory(install_home);
  const std::string temporary = TemporaryNameFor(JoinPath(AppDirectory(install_home, receipt.id), "receipt"));
  PISHIP_CHECK(MakeHomeDirectory(directory));
  PISHIP_TRY(UniqueFd fd, OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644));
  Status status = WriteAll(fd.get(), receipt.Text(), temporary);
  if (status && fchmod(fd.get(), 0644) != 0) status = Fail(SystemError("write '" + temporary + "'", errno));
  if (status && durable == Durable::kNow) status = SyncFileSystem(fd.get(), install_home);
  if (status && durable == Durable::kReceipt) status = SyncFile(fd.get(), temporary);
  if (status && close(fd.Release()) != 0 && errno != EINTR)
    status = Fail(SystemError("write '" + temporary + "'", errno));
  if (status && rename(temporary.c_str(), path.c_str()) != 0) status = Fail(SystemError("write '" + path + "'", errno));
  if (!status) {
    unlink(temporary.c_str());
    return status;
  }
  if (durable != Durable::kLater) {
    // Committed already: a failure here only means that a power cut may bring the old receipt back.
    if (const auto opened = OpenFile(directory, O_RDONLY | O_DIRECTORY))
      static_cast<void>(SyncFile(opened->get(), directory));
  }
  return {};
}

}  // namespace piship
