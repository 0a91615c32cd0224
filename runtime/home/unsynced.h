// SPDX-License-Identifier: MIT
// The note in a receipt that its first install did not wait for the disk.
#pragma once

#include <string>

#include "base/result.h"
#include "model/receipt.h"

namespace piship {

// Whether the payload may have been lost in part: it was installed in another boot and nobody has waited for the disk.
bool NeedsCheckAfterBoot(const Receipt& receipt);

// Removes the note from the receipt if its text is still `text`. The caller has either synced the payload's file system
// or found the payload intact in a later boot. Not an error: another process holds the lifecycle lock, the receipt has
// changed, the home can't be written; the note then stays for the next time.
void ClearUnsyncedBoot(const std::string& install_home, const Receipt& receipt, const std::string& text);

// For every distribution that was installed in this boot and is noted: waits for the disk, then clears the note.
// Failures leave the note.
void SettleUnsynced(const std::string& install_home);

}  // namespace piship
