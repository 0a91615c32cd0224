// SPDX-License-Identifier: MIT
// npm unpacks each package into its directory and then links commands into node_modules/.bin. The links themselves are
// not part of a payload, but making one changes the file that it points to: it becomes executable, and a first line
// that ends as on Windows is mended. Only the first of several packages that bring one command gets its link, so only
// its file changes.
#include "vendor/placement.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace piship {
namespace {

constexpr std::string_view kModules = "node_modules/";

// The primary weight of an ASCII character in the Unicode collation (CLDR root): punctuation, digits, letters.
int Weight(char c) {
  constexpr std::string_view kOrder = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";
  const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t at = kOrder.find(lower);
  return at == std::string_view::npos ? 256 + static_cast<unsigned char>(c) : static_cast<int>(at);
}

std::size_t Depth(std::string_view path) {
  std::size_t depth = 0;
  for (std::size_t at = path.find(kModules); at != std::string_view::npos; at = path.find(kModules, at + 1)) ++depth;
  return depth;
}

class Placer {
 public:
  Placer(const std::vector<SelectedPackage>& packages, const std::vector<const Package*>& contents)
      : packages_(packages), contents_(contents) {}

  Result<Inventory> Run() {
    for (const SelectedPackage& package : packages_) {
      if (package.bundler == nullptr) own_.insert(package.entry->path);
    }
    std::size_t files = 0;
    for (const Package* contents : contents_) files += contents->files.size();
    entries_.reserve(files);
    for (std::size_t i = 0; i < packages_.size(); ++i) {
      if (packages_[i].bundler == nullptr) PISHIP_CHECK(Unpack(*packages_[i].entry, *contents_[i]));
    }
    std::sort(entries_.begin(), entries_.end(),
              [](const InventoryEntry& a, const InventoryEntry& b) { return a.path < b.path; });
    MakeCommands();
    std::erase_if(entries_, [&](const InventoryEntry& entry) { return replaced_.contains(entry.path.str()); });
    return Inventory::FromEntries(std::move(entries_));
  }

 private:
  Status Unpack(const LockEntry& entry, const Package& package) {
    PISHIP_TRY(const RelativePath directory, RelativePath::Parse(entry.path));
    const std::size_t first = entries_.size();
    for (const InventoryEntry& file : package.files) {
      PISHIP_TRY(RelativePath path, file.path.Below(directory));
      if (file.path.str().find(kModules) != std::string::npos && BelongsToOther(path.str(), entry.path)) continue;
      entries_.push_back({file.digest, file.size, file.mode, std::move(path)});
    }
    for (const UnixScript& script : package.scripts) scripts_.emplace(entry.path + "/" + script.path.str(), &script);
    // Of a lock without URLs, npm asks the registry for the commands before it unpacks.
    if (!entry.resolved.empty()) return {};
    for (std::size_t i = first; i < entries_.size() && !entry.bins.empty(); ++i) {
      const std::string_view relative = std::string_view(entries_[i].path.str()).substr(entry.path.size() + 1);
      const bool command =
          std::any_of(entry.bins.begin(), entry.bins.end(), [&](const BinFile& bin) { return bin.target == relative; });
      if (command) entries_[i].mode = FileMode::kExecutable;
    }
    return {};
  }

  // Whether another package that has a tarball of its own lies between the file and `owner`.
  bool BelongsToOther(const std::string& path, const std::string& owner) const {
    for (std::size_t at = path.find('/', owner.size() + 1); at != std::string::npos; at = path.find('/', at + 1)) {
      if (own_.contains(path.substr(0, at))) return true;
    }
    return false;
  }

  void MakeCommands() {
    std::vector<const LockEntry*> order;
    for (const SelectedPackage& package : packages_) {
      if (!package.entry->bins.empty()) order.push_back(package.entry);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const LockEntry* a, const LockEntry* b) { return MakesCommandsBefore(*a, *b); });
    std::unordered_set<std::string> made;
    for (const LockEntry* entry : order) {
      const std::string links = entry->path.substr(0, entry->path.size() - entry->name.size()) + ".bin/";
      for (const BinFile& bin : entry->bins) {
        if (!made.insert(links + bin.command).second) continue;
        MakeCommand(entry->path + "/" + bin.target, links + bin.command);
      }
    }
  }

  void MakeCommand(const std::string& target, const std::string& link) {
    const auto found =
        std::lower_bound(entries_.begin(), entries_.end(), target,
                         [](const InventoryEntry& entry, const std::string& path) { return entry.path.str() < path; });
    if (found == entries_.end() || found->path.str() != target) return;
    found->mode = FileMode::kExecutable;
    replaced_.insert(link);
    const auto script = scripts_.find(target);
    if (script == scripts_.end()) return;
    found->digest = script->second->digest;
    found->size = script->second->size;
  }

  const std::vector<SelectedPackage>& packages_;
  const std::vector<const Package*>& contents_;
  std::unordered_set<std::string> own_;
  std::unordered_map<std::string, const UnixScript*> scripts_;
  std::unordered_set<std::string> replaced_;  // files where npm puts a link
  std::vector<InventoryEntry> entries_;
};

}  // namespace

Result<Inventory> PlacePackages(const std::vector<SelectedPackage>& packages,
                                const std::vector<const Package*>& contents) {
  return Placer(packages, contents).Run();
}

bool HoldsBundled(const Package& bundler_contents, const LockEntry& bundler, const LockEntry& bundled) {
  const std::string wanted = bundled.path.substr(bundler.path.size() + 1) + "/package.json";
  const auto& files = bundler_contents.files;
  const auto found =
      std::lower_bound(files.begin(), files.end(), wanted,
                       [](const InventoryEntry& entry, const std::string& path) { return entry.path.str() < path; });
  return found != files.end() && found->path.str() == wanted;
}

bool MakesCommandsBefore(const LockEntry& a, const LockEntry& b) {
  const std::size_t a_depth = Depth(a.path);
  const std::size_t b_depth = Depth(b.path);
  if (a_depth != b_depth) return a_depth < b_depth;
  const std::size_t common = std::min(a.path.size(), b.path.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (Weight(a.path[i]) != Weight(b.path[i])) return Weight(a.path[i]) < Weight(b.path[i]);
  }
  if (a.path.size() != b.path.size()) return a.path.size() < b.path.size();
  return a.path > b.path;  // only the case of letters differs: lower case, which has the larger bytes, comes first
}

}  // namespace piship
