// SPDX-License-Identifier: MIT
// The whole result is remembered under everything that decides it, so a run which has nothing new to do reads one memo
// instead of one for each package, parses no lock and places nothing. What the memo cannot know is asked as ever:
// whether the store still holds every object. Where a package has no integrity its bytes are not decided by the lock,
// and nothing is remembered.
#include "vendor/vendor.h"

#include <algorithm>
#include <charconv>
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
constexpr std::string_view kResultMemo = "vendor";
constexpr std::string_view kResultStart = "piship-vendor 1 ";
// Raise this whenever the same inputs would give another inventory or report.
constexpr std::string_view kRules = "1\n";

// "piship-vendor 1 <bytes of the inventory>", a newline, the inventory, the report.
struct VendorResult {
  std::string text;
  std::string_view inventory;  // both are parts of the text
  std::string_view report;
};

std::string TextOf(std::string_view inventory, std::string_view report) {
  std::string text(kResultStart);
  text += std::to_string(inventory.size());
  text += '\n';
  text += inventory;
  text += report;
  return text;
}

bool ParseResult(VendorResult& result) {
  std::string_view text = result.text;
  if (!text.starts_with(kResultStart)) return false;
  text.remove_prefix(kResultStart.size());
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end == text.data() + text.size() || *end != '\n') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  if (size > text.size()) return false;
  result.inventory = text.substr(0, size);
  result.report = text.substr(size);
  return true;
}

// The objects that the text of an inventory names. The memo vouches for the text, and whoever takes the inventory
// parses it, so nothing else of it is read here.
std::optional<std::vector<StoredObject>> ObjectsOf(std::string_view inventory) {
  if (!inventory.starts_with(Inventory::kFirstLine)) return std::nullopt;
  inventory.remove_prefix(Inventory::kFirstLine.size());
  std::vector<StoredObject> objects;
  objects.reserve(static_cast<std::size_t>(std::count(inventory.begin(), inventory.end(), '\n')));
  while (!inventory.empty()) {
    const std::string_view line = inventory.substr(0, inventory.find('\n'));
    StoredObject object;
    if (line.size() <= Digest::kHexSize || !Digest::Decode(line.substr(0, Digest::kHexSize), object.digest)) {
      return std::nullopt;
    }
    const char* size = line.data() + Digest::kHexSize + 1;
    if (std::from_chars(size, line.data() + line.size(), object.size).ec != std::errc()) return std::nullopt;
    objects.push_back(object);
    inventory.remove_prefix(std::min(line.size() + 1, inventory.size()));
  }
  return objects;
}

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
    PISHIP_TRY(manifest_text_, ReadFile(options_.package_json, kManifestLimit));
    PISHIP_TRY(lock_text_, ReadFile(options_.lockfile, kLockfileLimit));
    PISHIP_TRY(const Store store, Store::Open(options_.store));
    const std::string key = Key();
    VendorResult result;
    PISHIP_TRY(const bool known, RecallResult(store, key, result));
    if (known) {
      PISHIP_CHECK(Write(result, store));
      return std::vector<std::string>();
    }
    PISHIP_CHECK(ParseInputs());
    PackageSource source(store, options_.fetch);
    PISHIP_TRY(result.text, Make(store, source));
    if (!ParseResult(result)) return Fail(ErrorCode::kInternal, "a result can't be read back");
    if (pinned_) PISHIP_CHECK(store.Remember(kResultMemo, key, result.text));
    PISHIP_CHECK(Write(result, store));
    return source.warnings();
  }

 private:
  // All that decides the result; where the bytes come from (the registry, npm's configuration) does not.
  std::string Key() const {
    const SelectionOptions& selection = options_.selection;
    std::string key = std::string(kRules) + PackageKey({}) + "\n" + Digest::Of(manifest_text_).Hex() + "\n" +
                      Digest::Of(lock_text_).Hex() + "\n" + selection.platform.str() + "\n" +
                      (selection.node ? selection.node->str() : "") + "\n";
    for (const std::string& package : selection.without_integrity) key += package + "\n";
    return key;
  }

  // False where nothing is remembered, or the store lacks an object.
  static Result<bool> RecallResult(const Store& store, const std::string& key, VendorResult& result) {
    auto memo = store.Recall(kResultMemo, key);
    if (!memo) return false;
    result.text = *std::move(memo);
    if (!ParseResult(result)) return false;
    const auto objects = ObjectsOf(result.inventory);
    if (!objects) return false;
    PISHIP_TRY(const auto missing, store.Missing(*objects));
    return missing.empty();
  }

  Result<std::string> Make(const Store& store, PackageSource& source) {
    PISHIP_CHECK(LoadPackages(source));
    PISHIP_TRY(Inventory inventory, Place());
    PISHIP_TRY(const auto missing, store.Missing(inventory));
    if (!missing.empty()) {
      PISHIP_CHECK(LoadAgain(source, {missing.begin(), missing.end()}));
      PISHIP_TRY(inventory, Place());
    }
    return TextOf(inventory.Text(), VendorReport(selection_, options_.selection.platform, Contents()));
  }

  Status Write(const VendorResult& result, const Store& store) const {
    if (options_.report) PISHIP_CHECK(WriteFileIfChanged(*options_.report, result.report));
    PISHIP_CHECK(WriteDepfile(options_.depfile, options_.output,
                              {options_.package_json, options_.lockfile, store.epoch_path()}));
    PISHIP_CHECK(WriteFileIfChanged(options_.output, result.inventory));
    return {};
  }

  Status ParseInputs() {
    Problems manifest_problems(options_.package_json);
    Problems lock_problems(options_.lockfile);
    Problems mismatches(options_.lockfile);
    PISHIP_TRY(manifest_, ParseManifest(manifest_text_, manifest_problems));
    PISHIP_TRY(lockfile_, ParseLockfile(lock_text_, lock_problems));
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
      if (request.key.empty()) pinned_ = false;
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
  std::string manifest_text_;
  std::string lock_text_;
  bool pinned_ = true;  // every package that was loaded has an integrity
  Manifest manifest_;
  Lockfile lockfile_;
  Selection selection_;
  std::vector<Package> packages_;  // goes with selection_.packages
};

}  // namespace

Result<std::vector<std::string>> Vendor(const VendorOptions& options) { return VendorRun(options).Run(); }

}  // namespace piship
