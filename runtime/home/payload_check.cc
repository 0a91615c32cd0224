// SPDX-License-Identifier: MIT
#include "home/payload_check.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/files.h"
#include "home/homes.h"
#include "os/beneath.h"
#include "os/kept_modes.h"

namespace piship {
namespace {

constexpr std::size_t kInventoryLimit = std::size_t{512} << 20;
constexpr std::size_t kLockLimit = std::size_t{16} << 20;
constexpr std::size_t kNamed = 20;

}  // namespace

bool SaysDamaged(const Error& error) {
  return error.code == ErrorCode::kFileNotFound || error.code == ErrorCode::kFileInvalid;
}

Result<DistributionLock> ReadInstalledLock(const std::string& install_home, const std::string& id,
                                           const InstalledRelease& release) {
  const std::string path = JoinPath(VersionDirectory(install_home, id, release.version), kPayloadLock);
  const std::string hint = "'piship repair " + id + " --release-version " + release.version + "' writes it anew";
  const auto text = ReadFile(path, kLockLimit);
  if (!text) {
    if (text.error().code != ErrorCode::kFileNotFound) return Fail(text.error());
    return Fail(ErrorCode::kIntegrityFailed, "'" + path + "' is missing", hint);
  }
  if (Digest::Of(*text) != release.lock) {
    return Fail(ErrorCode::kIntegrityFailed, "'" + path + "' is not the one that was installed", hint);
  }
  return DistributionLock::Parse(*text, path);
}

namespace {

// With what fstat(2) says of the file.
Result<Inventory> ReadInventory(int payload, const std::string& name, const Digest& expected, struct stat& status) {
  const std::string path = JoinPath(name, kPayloadInventory);
  const int fd = OpenBeneath(payload, std::string(kPayloadInventory).c_str(), O_RDONLY | O_NONBLOCK);
  if (fd < 0) {
    Error error = SystemError("read '" + path + "'", -fd);
    // What can't be read says nothing about the payload; what is not there does.
    if (IsAbsent(fd)) error.code = ErrorCode::kIntegrityFailed;
    return Fail(std::move(error));
  }
  const UniqueFd owned(fd);
  if (fstat(fd, &status) != 0) return Fail(SystemError("read '" + path + "'", errno));
  PISHIP_TRY(const std::string text, ReadAll(fd, status, path, kInventoryLimit));
  const Digest actual = Digest::Of(text);
  if (actual != expected) {
    return Fail(ErrorCode::kIntegrityFailed,
                "'" + path + "' has the digest " + actual.Hex() + ", the receipt names " + expected.Hex());
  }
  // Proven by the receipt, so no limit protects anything: whoever raised one to install it can check it as well.
  const InventoryLimits none{SIZE_MAX, INT64_MAX};
  return Inventory::Parse(text, path, none);
}

}  // namespace

Result<Inventory> ReadInstalledInventory(int payload, const std::string& name, const Digest& expected) {
  struct stat status {};
  return ReadInventory(payload, name, expected, status);
}

Result<PayloadCheck> CheckPayload(int payload, const std::string& name, const Digest& expected) {
  PayloadCheck check;
  struct stat status {};
  PISHIP_TRY(check.inventory, ReadInventory(payload, name, expected, status));
  CompareOptions options;
  options.ignored = {std::string(kPayloadInventory)};
  PISHIP_TRY(check.differences, CompareTree(check.inventory, payload, name, options));
  if ((status.st_mode & 07777) != ModeBits(FileMode::kPlain) && KeepsModes(payload)) {
    check.differences.push_back({DifferenceKind::kWrongMode, std::string(kPayloadInventory)});
  }
  return check;
}

Result<std::vector<Difference>> ComparePayload(const Inventory& inventory, const Digest& expected, int payload,
                                               const std::string& name) {
  const std::string own(kPayloadInventory);
  CompareOptions options;
  options.ignored = {own};
  PISHIP_TRY(std::vector<Difference> differences, CompareTree(inventory, payload, name, options));
  struct stat status {};
  const auto present = ReadInventory(payload, name, expected, status);
  if (!present) {
    const Error& error = present.error();
    if (error.code != ErrorCode::kIntegrityFailed && !SaysDamaged(error)) return Fail(error);
    differences.push_back({SaysDamaged(error) ? DifferenceKind::kWrongType : DifferenceKind::kChanged, own});
  } else if ((status.st_mode & 07777) != ModeBits(FileMode::kPlain) && KeepsModes(payload)) {
    differences.push_back({DifferenceKind::kWrongMode, own});
  }
  return differences;
}

Status RequireIntact(const PayloadCheck& check, std::string_view name, std::string_view hint) {
  if (check.differences.empty()) return {};
  Error error;
  error.code = ErrorCode::kIntegrityFailed;
  error.message = "'" + std::string(name) +
                  "' does not match its inventory: " + std::to_string(check.differences.size()) +
                  (check.differences.size() == 1 ? " difference" : " differences");
  error.hint = hint;
  for (std::size_t index = 0; index < std::min(kNamed, check.differences.size()); ++index) {
    const Difference& difference = check.differences[index];
    error.problems.push_back(std::string(DifferenceName(difference.kind)) + ": " + difference.path);
  }
  if (check.differences.size() > kNamed) {
    error.problems.push_back("and " + std::to_string(check.differences.size() - kNamed) + " more");
  }
  return Fail(std::move(error));
}

}  // namespace piship
