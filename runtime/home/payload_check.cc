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
constexpr std::size_t kNamed = 20;

}  // namespace

bool SaysDamaged(const Error& error) {
  return error.code == ErrorCode::kFileNotFound || error.code == ErrorCode::kFileInvalid;
}

Result<PayloadCheck> CheckPayload(int payload, const std::string& name, const Digest& expected) {
  const std::string path = JoinPath(name, kPayloadInventory);
  const int fd = OpenBeneath(payload, std::string(kPayloadInventory).c_str(), O_RDONLY | O_NONBLOCK);
  if (fd < 0) {
    Error error = SystemError("read '" + path + "'", -fd);
    // What can't be read says nothing about the payload; what is not there does.
    if (IsAbsent(fd)) error.code = ErrorCode::kIntegrityFailed;
    return Fail(std::move(error));
  }
  const UniqueFd owned(fd);
  struct stat status {};
  if (fstat(fd, &status) != 0) return Fail(SystemError("read '" + path + "'", errno));
  PISHIP_TRY(const std::string text, ReadAll(fd, status, path, kInventoryLimit));
  const Digest actual = Digest::Of(text);
  if (actual != expected) {
    return Fail(ErrorCode::kIntegrityFailed,
                "'" + path + "' has the digest " + actual.Hex() + ", the receipt names " + expected.Hex());
  }
  PayloadCheck check;
  // Proven by the receipt, so no limit protects anything: whoever raised one to install it can check it as well.
  const InventoryLimits none{SIZE_MAX, INT64_MAX};
  PISHIP_TRY(check.inventory, Inventory::Parse(text, path, none));
  CompareOptions options;
  options.ignored = {std::string(kPayloadInventory)};
  PISHIP_TRY(check.differences, CompareTree(check.inventory, payload, name, options));
  if ((status.st_mode & 07777) != ModeBits(FileMode::kPlain) && KeepsModes(payload)) {
    check.differences.push_back({DifferenceKind::kWrongMode, std::string(kPayloadInventory)});
  }
  return check;
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
