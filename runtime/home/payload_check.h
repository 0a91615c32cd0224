// SPDX-License-Identifier: MIT
// Compares a payload on disk with the inventory that a receipt names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "model/inventory.h"
#include "tree/compare.h"

namespace piship {

struct PayloadCheck {
  Inventory inventory;
  std::vector<Difference> differences;
};

// Whether the error of opening a part of a payload says that it is missing or something else, which is damage, rather
// than that it can't be read.
bool SaysDamaged(const Error& error);

// Reads metadata/inventory of the open directory `payload`, which must have the digest `expected`, and compares every
// file with it. kIntegrityFailed where the inventory itself is missing or another one.
Result<PayloadCheck> CheckPayload(int payload, const std::string& name, const Digest& expected);

// kIntegrityFailed, naming the first differences, where there are any.
Status RequireIntact(const PayloadCheck& check, std::string_view name, std::string_view hint);

}  // namespace piship
