// SPDX-License-Identifier: MIT
// What install, update, rollback and keep end with: what takes space beside the active version, and what frees it.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "home/homes.h"
#include "home/reclaim.h"
#include "model/receipt.h"

namespace piship {

struct Freeable {
  std::string id;
  std::vector<std::string> kept;    // versions that can be gone back to
  std::vector<Leftover> leftovers;  // that nothing needs any more
};
Freeable FindFreeable(const Homes& homes, const Receipt& receipt);
// The members "kept" and "reclaimable".
void SetFreeable(json::Value& out, const Freeable& freeable);
// In words, each with the command; nothing where there is nothing.
void SayFreeable(const Freeable& freeable);

}  // namespace piship
