// SPDX-License-Identifier: MIT
// The receipts of an install home. Everything here is light enough for a launch.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "model/receipt.h"

namespace piship {

inline constexpr std::size_t kReceiptLimit = std::size_t{1} << 20;  // bytes

// A receipt and the open file that it was read from. Receipts are replaced by rename only and never written into, so as
// long as the file is open, the same file at the same path means the same content.
class OpenReceipt {
 public:
  // kNotInstalled where there is none.
  static Result<OpenReceipt> Read(const std::string& install_home, const std::string& id);
  const Receipt& receipt() const { return receipt_; }
  const std::string& text() const { return text_; }
  // Whether the path still names this file.
  bool IsCurrent() const;

 private:
  std::string path_;
  UniqueFd fd_;  // keeps the file, so that no other one can get its number
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::string text_;
  Receipt receipt_;
};

// The receipt; absent where there is none.
Result<std::optional<Receipt>> FindReceipt(const std::string& install_home, const std::string& id);
// The ids of all receipts, sorted.
Result<std::vector<std::string>> ReceiptIds(const std::string& install_home);

enum class Durable : std::uint8_t {
  kLater,    // the caller notes in the receipt that nobody has waited for the disk
  kNow,      // everything that was written before is on the device before the rename, and the rename before the return
  kReceipt,  // the same, where the receipt alone was written
};
// Makes `receipt` the current one: the commit. The caller holds the lifecycle lock.
Status CommitReceipt(const std::string& install_home, const Receipt& receipt, Durable durable);

}  // namespace piship
