// SPDX-License-Identifier: MIT
#include "home/reclaim.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/files.h"
#include "home/lifecycle_lock.h"
#include "home/receipts.h"
#include "home/versions.h"
#include "os/lock.h"

namespace piship {
namespace {

constexpr const char* kBudgetVariable = "PISHIP_RECLAIM_BUDGET_MS";

}  // namespace

Stop StopAfter(std::chrono::milliseconds budget) {
  if (const char* value = std::getenv(kBudgetVariable)) {
    const std::string_view text = value;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= 0) {
      budget = std::chrono::milliseconds(number);
    }
  }
  std::optional<std::chrono::steady_clock::time_point> begin;
  return [budget, begin]() mutable {
    const auto now = std::chrono::steady_clock::now();
    if (!begin) begin = now;
    return now - *begin >= budget;
  };
}

std::uint64_t BytesIn(const std::string& directory) {
  const auto root = OpenFile(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!root) return 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> waiting = {"."};
  while (!waiting.empty()) {
    const std::string path = std::move(waiting.back());
    waiting.pop_back();
    const UniqueFd opened(OpenBeneath(root->get(), path.c_str(), O_RDONLY | O_DIRECTORY));
    std::vector<DirectoryEntry> entries;
    if (!opened.valid() || ReadDirectory(opened.get(), entries) != 0) continue;
    for (const DirectoryEntry& entry : entries) {
      struct stat status {};
      if (entry.type == DT_DIR) {
        waiting.push_back(JoinPath(path, entry.name));
      } else if (fstatat(opened.get(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
        bytes += static_cast<std::uint64_t>(status.st_size);
      }
    }
  }
  return bytes;
}

std::vector<Leftover> FindLeftovers(const std::string& install_home, const std::string& id, const Receipt* receipt) {
  std::vector<Leftover> leftovers;
  const std::string app_directory = AppDirectory(install_home, id);
  const auto directory = OpenFile(app_directory, O_RDONLY | O_DIRECTORY);
  std::vector<DirectoryEntry> entries;
  if (!directory || ReadDirectory(directory->get(), entries) != 0) return leftovers;
  for (const DirectoryEntry& entry : entries) {
    if (entry.type != DT_DIR || (receipt != nullptr && receipt->Find(entry.name) != nullptr)) continue;
    const std::string path = JoinPath(app_directory, entry.name);
    const auto opened = OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!opened) continue;
    Leftover leftover{entry.name, BytesIn(path), std::nullopt};
    if (const auto process = LockHolder(opened->get())) leftover.holder = "process " + std::to_string(*process);
    leftovers.push_back(std::move(leftover));
  }
  std::sort(leftovers.begin(), leftovers.end(), [](const Leftover& a, const Leftover& b) { return a.name < b.name; });
  return leftovers;
}

Status Reclaim(const std::string& install_home, const std::string& id, const Stop& stop) {
  Removed removed;
  bool installed = false;
  const std::string app_directory = AppDirectory(install_home, id);
  {
    PISHIP_TRY(const LifecycleLock lock, LifecycleLock::Take(install_home, id, IfHeld::kWait));
    PISHIP_TRY(const std::optional<Receipt> receipt, FindReceipt(install_home, id));
    CollectUnreferenced(lock, app_directory, receipt ? &*receipt : nullptr, removed);
    installed = receipt.has_value();
    // Placed by a commit that was killed before its receipt.
    if (!installed && lock.kernel_locks()) unlink(LauncherPath(install_home, id).c_str());
  }
  removed.Delete(app_directory, stop);
  if (installed) return {};
  auto last = LifecycleLock::Take(install_home, id, IfHeld::kFail);
  const auto receipt = FindReceipt(install_home, id);
  if (last && receipt && !*receipt) RemoveEmptyAppDirectory(*std::move(last), app_directory);
  return {};
}

}  // namespace piship
