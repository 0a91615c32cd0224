// SPDX-License-Identifier: MIT
#include "home/state_schema.h"

#include "home/payload_check.h"

namespace piship {

Status CheckState(const std::string& install_home, const Receipt& receipt, const DistributionLock& next,
                  AcceptState accept) {
  if (accept == AcceptState::kYes || receipt.active.version == next.version) return {};
  const auto active = ReadInstalledLock(install_home, receipt.id, receipt.active);
  if (!active || active->state_schema <= next.state_schema) return {};
  return Fail(ErrorCode::kStateNewer,
              receipt.id + " " + next.version + " reads what the application stores in form " +
                  std::to_string(next.state_schema) + ", and " + receipt.active.version +
                  ", which is active, stores form " + std::to_string(active->state_schema),
              "save what you need of '" + receipt.id + "' first, then give --accept-state");
}

}  // namespace piship
