// SPDX-License-Identifier: MIT
#include "vendor/vendor.h"

#include <algorithm>
#include <unordered_set>

#include "base/depfile.h"
#include "base/files.h"
#include "store/store.h"
#include "vendor/lockfile.h"
#include "vendor/package_source.h"
#include "vendor/placement.h"
#include "vendor/report.h"

namespace piship {
namespace {

constexpr std::size_t kLockfileLimit = std::size_t{256} << 20;
constexpr std::size_t kManifestLimit = std::size_t{16} << 20;

// Everything that is wrong with both files, in one error.
Error AllProblems(const Problems& manifest, const Problems& lock, const Problems& mismatches) {
  const bool form = !manifest.empty() || !lock.empty();
  const ErrorCode code = !manifest.empty() ? ErrorCode::kManifestInvalid
                         : !lock.empty()   ? ErrorCode::kLockfileInvalid
                                           : ErrorCode::kLockfileMismatch;
  std::vector<std::string> lines = manifest.lines();
  lines.insert(lines.end(), lock.lines().begin(), lock.lines().end());
  lines.insert(lines.end(), mismatches.lines().begin(), mismatches.lines().end());
  Error error{code, {}, {}, {}, {}};
  if (!form) error.hint = "run `npm install --package-lock-only` and check the lock in";
  if (lines.size() == 1) {
    error.message = lines.front();
  } else {
    error.message =
        (manifest.empty() ? lock.file() : manifest.file()) + ": " + std::to_string(lines.size()) + " problems";
    error.problems = std::move(lines);
  }
  return error;
}

class VendorRun {
 public:
  explicit VendorRun(const VendorOptions& options) : options_(options) {}

  Result<std::vector<std::string>> Run() {
    PISHIP_CHECK(ReadInputs());
    PISHIP_TRY(const Store store, Store::Open(options_.store));
    PackageSource source(store, options_.fetch);
    PISHIP_CHECK(LoadPackages(source));
    PISHIP_TRY(Inventory inventory, Place());
    PISHIP_TRY(const auto missing, store.Missing(inventory));
    if (!missing.empty()) {
      PISHIP_CHECK(LoadAgain(source, {missing.begin(), missing.end()}));
      PISHIP_TRY(inventory, Place());
    }
    if (options_.report) {
      PISHIP_CHECK(
          WriteFileIfChanged(*options_.report, VendorReport(selection_, options_.selection.platform, Contents())));
    }
    PISHIP_CHECK(WriteDepfile(options_.depfile, options_.output,
                              {options_.package_json, options_.lockfile, store.epoch_path()}));
    PISHIP_CHECK(WriteFileIfChanged(options_.output, inventory.Text()));
    return source.warnings();
  }

 private:
  Status ReadInputs() {
    PISHIP_TRY(const std::string manifest_text, ReadFile(options_.package_json, kManifestLimit));
    PISHIP_TRY(const std::string lock_text, ReadFile(options_.lockfile, kLockfileLimit));
    Problems manifest_problems(options_.package_json);
    Problems lock_problems(options_.lockfile);
    Problems mismatches(options_.lockfile);
    PISHIP_TRY(manifest_, ParseManifest(manifest_text, manifest_problems));
    PISHIP_TRY(lockfile_, ParseLockfile(lock_text, lock_problems));
    // What a malformed entry would have answered is no mismatch.
    Problems ignored(options_.lockfile);
    Problems& counted = lock_problems.empty() ? mismatches : ignored;
    selection_ = Select(manifest_, lockfile_, options_.selection, lock_problems, counted);
    if (manifest_problems.empty() && lock_problems.empty() && mismatches.empty()) return {};
    return Fail(AllProblems(manifest_problems, lock_problems, mismatches));
  }

  Status LoadPackages(PackageSource& source) {
    packages_.resize(selection_.packages.size());
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < selection_.packages.size(); ++i) {
      if (selection_.packages[i].bundler == nullptr) own.push_back(i);
    }
    PISHIP_CHECK(Load(source, own, Recall::kAllowed));
    // A package that its bundler turns out not to hold is fetched like any other, as npm does.
    std::vector<std::size_t> absent;
    for (std::size_t i = 0; i < selection_.packages.size(); ++i) {
      PISHIP_TRY(const bool held, IsHeld(selection_.packages[i]));
      if (!held) absent.push_back(i);
    }
    for (const std::size_t index : absent) selection_.packages[index].bundler = nullptr;
    return Load(source, absent, Recall::kAllowed);
  }

  Result<bool> IsHeld(const SelectedPackage& package) {
    if (package.bundler == nullptr) return true;
    const auto bundler = std::find_if(selection_.packages.begin(), selection_.packages.end(),
                                      [&](const SelectedPackage& other) { return other.entry == package.bundler; });
    if (bundler == selection_.packages.end()) return true;
    const Package& contents = packages_[static_cast<std::size_t>(bundler - selection_.packages.begin())];
    if (HoldsBundled(contents, *package.bundler, *package.entry)) return true;
    if (!package.entry->integrity.empty()) return false;
    return Fail(ErrorCode::kLockfileInvalid,
                options_.lockfile + ": '" + package.entry->path + "' should come inside '" + package.bundler->path +
                    "', but does not, and has no integrity by which it could be fetched",
                "make the lock anew with the current npm");
  }

  Status Load(PackageSource& source, const std::vector<std::size_t>& indexes, Recall recall) {
    if (indexes.empty()) return {};
    std::vector<PackageRequest> requests;
    requests.reserve(indexes.size());
    for (const std::size_t index : indexes) {
      const LockEntry& entry = *selection_.packages[index].entry;
      PISHIP_TRY(PackageRequest request,
                 MakePackageRequest({entry.package, entry.version, entry.resolved, entry.integrity}));
      requests.push_back(std::move(request));
    }
    PISHIP_TRY(auto loaded, source.Load(requests, recall));
    for (std::size_t i = 0; i < indexes.size(); ++i) packages_[indexes[i]] = std::move(loaded[i]);
    return {};
  }

  // Unpacks anew the packages whose objects the store has lost.
  Status LoadAgain(PackageSource& source, const std::unordered_set<Digest, DigestHash>& missing) {
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < packages_.size(); ++i) {
      const auto lost = [&](const auto& item) { return missing.contains(item.digest); };
      const bool incomplete = std::any_of(packages_[i].files.begin(), packages_[i].files.end(), lost) ||
                              std::any_of(packages_[i].scripts.begin(), packages_[i].scripts.end(), lost);
      if (incomplete) indexes.push_back(i);
    }
    return Load(source, indexes, Recall::kRefused);
  }

  std::vector<const Package*> Contents() const {
    std::vector<const Package*> contents;
    contents.reserve(packages_.size());
    for (const Package& package : packages_) contents.push_back(&package);
    return contents;
  }
  Result<Inventory> Place() const { return PlacePackages(selection_.packages, Contents()); }

  const VendorOptions& options_;
  Manifest manifest_;
  Lockfile lockfile_;
  Selection selection_;
  std::vector<Package> packages_;  // goes with selection_.packages
};

}  // namespace

Result<std::vector<std::string>> Vendor(const VendorOptions& options) { return VendorRun(options).Run(); }

}  // namespace piship
