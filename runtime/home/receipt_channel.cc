// SPDX-License-Identifier: MIT
#include "home/receipt_channel.h"

#include "home/lifecycle_lock.h"
#include "home/managed.h"
#include "home/receipts.h"

namespace piship {

Status SetChannel(const std::string& install_home, const std::string& id, const ChannelPlace& place) {
  // Before the lock, which would make a directory for what is not installed.
  PISHIP_TRY(const OpenReceipt seen, OpenReceipt::Read(install_home, id));
  PISHIP_CHECK(CheckChangeable(seen.receipt(), Change::kOther));
  PISHIP_TRY(const LifecycleLock lock, LifecycleLock::Take(install_home, id, IfHeld::kWait));
  PISHIP_TRY(const OpenReceipt open, OpenReceipt::Read(install_home, id));
  Receipt receipt = open.receipt();
  receipt.channel = place;
  if (receipt.Text() == open.text()) return {};
  return CommitReceipt(install_home, receipt, Durable::kReceipt);
}

}  // namespace piship
