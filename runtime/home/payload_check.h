// SPDX-License-Identifier: MIT
// Compares a payload on disk with the inventory that a receipt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "model/distribution_lock.h"
#include "model/inventory.h"
#include "model/receipt.h"
#include "tree/compare.h"

namespace piship {

struct PayloadCheck {
  Inventory inventory;
  std::vector<Difference> differences;
};

// Whether the error of opening a part of a payload says that it is missing or something else, which is damage, rather
// than that it can't be read.
bool SaysDamaged(const Error& error);

// The piship.lock of an installed version, as the receipt names it: it decides what runs, and a launch compares the
// same digest. kIntegrityFailed where it is missing or another one.
Result<DistributionLock> ReadInstalledLock(const std::string& install_home, const std::string& id,
                                           const InstalledRelease& release);

// metadata/inventory of the open directory `payload`, which must have the digest `expected`. kIntegrityFailed where it
// is missing or another one.
Result<Inventory> ReadInstalledInventory(int payload, const std::string& name, const Digest& expected);

// Reads metadata/inventory of the open directory `payload`, which must have the digest `expected`, and compares every
// file with it. kIntegrityFailed where the inventory itself is missing or another one.
Result<PayloadCheck> CheckPayload(int payload, const std::string& name, const Digest& expected);

// Compares every file with an inventory whose text has the digest `expected`, metadata/inventory itself among them.
Result<std::vector<Difference>> ComparePayload(const Inventory& inventory, const Digest& expected, int payload,
                                               const std::string& name);

// kIntegrityFailed, naming the first differences, where there are any.
Status RequireIntact(const PayloadCheck& check, std::string_view name, std::string_view hint);

}  // namespace piship
