// SPDX-License-Identifier: MIT
#include "home/unsynced.h"

#include <fcntl.h>

#include "base/files.h"
#include "home/homes.h"
#include "home/lifecycle_lock.h"
#include "home/receipts.h"
#include "os/boot.h"
#include "os/sync.h"

namespace piship {

bool NeedsCheckAfterBoot(const Receipt& receipt) { return receipt.unsynced_boot && receipt.unsynced_boot != BootId(); }

void ClearUnsyncedBoot(const std::string& install_home, const Receipt& receipt, const std::string& text) {
  // What can't be done here is done by the next one, so the results only decide whether to go on.
  auto lock = LifecycleLock::Take(install_home, receipt.id, IfHeld::kFail);
  if (!lock) return;
  const auto current = OpenReceipt::Read(install_home, receipt.id);
  if (!current && current.error().code == ErrorCode::kNotInstalled) {
    // It was uninstalled meanwhile, and taking the lock has made its directory anew.
    RemoveEmptyAppDirectory(*std::move(lock), AppDirectory(install_home, receipt.id));
  }
  if (!current || current->text() != text) return;
  Receipt cleared = receipt;
  cleared.unsynced_boot.reset();
  static_cast<void>(CommitReceipt(install_home, cleared, Durable::kNow));
}

void SettleUnsynced(const std::string& install_home) {
  const auto ids = ReceiptIds(install_home);
  if (!ids) return;
  for (const std::string& id : *ids) {
    const auto open = OpenReceipt::Read(install_home, id);
    if (!open || !open->receipt().unsynced_boot || NeedsCheckAfterBoot(open->receipt())) continue;
    const auto directory = OpenFile(AppDirectory(install_home, id), O_RDONLY | O_DIRECTORY);
    if (!directory || !SyncFileSystem(directory->get(), id)) continue;
    ClearUnsyncedBoot(install_home, open->receipt(), open->text());
  }
}

}  // namespace piship
