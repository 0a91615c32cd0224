// SPDX-License-Identifier: MIT
// A payload for tests: objects in a store, an inventory and a piship.lock that fits, without the stages that make them.
#pragma once

#include <string>
#include <vector>

#include "model/inventory.h"
#include "store/store.h"
#include "support/archive_builder.h"

namespace piship {

// The text of a piship.lock of "hello" `version` for linux-x64.
std::string TestLock(const std::string& version = "1.0.0");
// Puts the files into the store. The inventory lists them.
Inventory PutPayload(const Store& store, const std::vector<TestFile>& files);

}  // namespace piship
