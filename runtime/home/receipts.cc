// SPDX-License-Identifier: MIT
#include "home/receipts.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "home/homes.h"
#include "model/names.h"

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
  PISHIP_TRY(open.text_, ReadAll(open.fd_.get(), open.path_, kReceiptLimit));
  PISHIP_TRY(open.receipt_, Receipt::Parse(open.text_, open.path_));
  if (open.receipt_.id != id) {
    return Fail(ErrorCode::kReceiptInvalid, open.path_ + ": is the receipt of '" + open.receipt_.id + "'",
                "move the file aside and install the distribution again; its own data is not touched");
  }
  return open;
}

bool OpenReceipt::IsCurrent() const {
  struct stat own {};
  struct stat current {};
  return fstat(fd_.get(), &own) == 0 && stat(path_.c_str(), &current) == 0 && own.st_dev == current.st_dev &&
         own.st_ino == current.st_ino;
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

Status CommitReceipt(const std::string& install_home, const Receipt& receipt) {
  PISHIP_CHECK(MakeHomeDirectory(ReceiptsDirectory(install_home)));
  return WriteFileAtomically(ReceiptPath(install_home, receipt.id), receipt.Text(), 0644, Umask::kIgnored);
}

}  // namespace piship
