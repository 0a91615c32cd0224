// SPDX-License-Identifier: MIT
// The input is a package.json and a package-lock.json with a NUL between them. Whatever they say, the selection ends,
// and what it selects without complaint has a source, and its directory is one that is placed.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

#include "model/relative_path.h"
#include "vendor/lockfile.h"
#include "vendor/selection.h"

using namespace piship;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t split = input.find('\0');
  if (split == std::string_view::npos) return 0;
  Problems manifest_problems("package.json");
  Problems lock_problems("package-lock.json");
  Problems mismatches("package-lock.json");
  const auto manifest = ParseManifest(input.substr(0, split), manifest_problems);
  const auto lockfile = ParseLockfile(input.substr(split + 1), lock_problems);
  if (!manifest || !lockfile) return 0;
  SelectionOptions options;
  options.platform = *Platform::Parse("linux-x64");
  const Selection selection = Select(*manifest, *lockfile, options, lock_problems, mismatches);
  if (!lock_problems.empty()) return 0;
  std::unordered_set<std::string_view> placed;
  for (const SelectedPackage& package : selection.packages) placed.insert(package.entry->path);
  for (const SelectedPackage& package : selection.packages) {
    const LockEntry& entry = *package.entry;
    if (RelativePath::WhyNot(entry.path) != nullptr) std::abort();
    if (!entry.parent.empty() && !placed.contains(entry.parent)) std::abort();
    if (package.bundler == nullptr && (entry.integrity.empty() || entry.link)) std::abort();
  }
  return 0;
}
