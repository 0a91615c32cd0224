// SPDX-License-Identifier: MIT
#include "model/home_layout.h"

#include "base/files.h"

namespace piship {

std::string ReceiptsDirectory(std::string_view install_home) { return JoinPath(install_home, "receipts"); }

std::string ReceiptPath(std::string_view install_home, std::string_view id) {
  return JoinPath(ReceiptsDirectory(install_home), std::string(id) + ".json");
}

std::string AppDirectory(std::string_view install_home, std::string_view id) {
  return JoinPath(JoinPath(install_home, "apps"), id);
}

std::string VersionDirectory(std::string_view install_home, std::string_view id, std::string_view version) {
  return JoinPath(AppDirectory(install_home, id), version);
}

std::string LauncherPath(std::string_view install_home, std::string_view id) {
  return JoinPath(AppDirectory(install_home, id), "launch");
}

}  // namespace piship
