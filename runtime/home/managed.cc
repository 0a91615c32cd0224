// SPDX-License-Identifier: MIT
#include "home/managed.h"

namespace piship {

std::string ManagerAdvice(const ManagedBy& owner, Change change) {
  if (owner.manager != "dpkg") return "use " + owner.manager + " for that";
  const std::string apt = "sudo apt-get install ";
  switch (change) {
    case Change::kUpdate:
      return apt + "--only-upgrade " + owner.package + ", or " + apt + "./<the newer package's file>";
    case Change::kRepair:
      return apt + "--reinstall " + owner.package;
    case Change::kRemove:
      return "sudo apt-get remove " + owner.package;
    case Change::kOther:
      break;
  }
  return apt + "./<the file of the package's version that you want>";
}

Status CheckChangeable(const Receipt& receipt, Change change) {
  if (!receipt.managed_by) return {};
  const ManagedBy& owner = *receipt.managed_by;
  return Fail(ErrorCode::kPackageManaged,
              "'" + receipt.id + "' belongs to the package '" + owner.package + "' of " + owner.manager +
                  ", and only that changes it",
              ManagerAdvice(owner, change));
}

}  // namespace piship
