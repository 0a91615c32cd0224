// SPDX-License-Identifier: MIT
#include "strip/strip.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/depfile.h"
#include "base/files.h"
#include "base/parallel.h"
#include "model/glob.h"
#include "model/inventory.h"
#include "model/names.h"
#include "store/store.h"
#include "strip/package_scan.h"
#include "strip/report.h"

namespace piship::strip {
namespace {

struct Package {
  std::string_view root;  // "node_modules/name"
  std::vector<PackageFile> files;
  Facts facts;
};

// By package, in the order of their roots.
std::vector<Package> Group(const Inventory& inventory) {
  std::map<std::string_view, Package> packages;
  for (const InventoryEntry& entry : inventory.entries()) {
    const std::string_view root = PackageOf(entry.path.str());
    if (root.empty()) continue;
    Package& package = packages[root];
    package.root = root;
    const std::string_view path = std::string_view(entry.path.str()).substr(root.size() + 1);
    package.files.push_back({path, &entry, KindOf(path)});
  }
  std::vector<Package> list;
  list.reserve(packages.size());
  for (auto& [root, package] : packages) list.push_back(std::move(package));
  return list;
}

// Decides about one file of a package; true where it stays.
bool Stays(const Package& package, const PackageFile& file, bool named, Report& report) {
  const bool candidate =
      file.kind == FileKind::kMap || file.kind == FileKind::kDeclaration || file.kind == FileKind::kTypeScript;
  if (!candidate) return true;
  const InventoryEntry& entry = *file.entry;
  if (named) {
    report.Kept("named-by-option", {}, {}, entry);
    return true;
  }
  if (IsLicence(file.path)) {
    report.Kept("licence", package.root, file.path, entry);
    return true;
  }
  const Facts& facts = package.facts;
  switch (file.kind) {
    case FileKind::kMap:
      if (std::binary_search(facts.not_maps.begin(), facts.not_maps.end(), file.path)) {
        report.Kept("not-a-source-map", package.root, file.path, entry);
        return true;
      }
      report.Removed("source-map", entry);
      return false;
    case FileKind::kDeclaration:
      if (!facts.declarations_named_by.empty()) {
        report.Kept("declarations-named-by-code", package.root, facts.declarations_named_by, entry);
        return true;
      }
      report.Removed("declaration", entry);
      return false;
    default:
      if (!facts.typescript_reason.empty()) {
        report.Kept(facts.typescript_reason, package.root, facts.typescript_subject, entry);
        return true;
      }
      report.Removed("typescript", entry);
      return false;
  }
}

}  // namespace

Status Run(const Options& options) {
  PISHIP_TRY(GlobSet keep, GlobSet::Parse(options.keep));
  PISHIP_TRY(const Inventory input, ReadInventory(options.input));
  PISHIP_TRY(const Store store, Store::Open(options.store));
  std::vector<Package> packages = Group(input);
  PISHIP_CHECK(ParallelFor(packages.size(), 0, [&](std::size_t index, unsigned) -> Status {
    auto facts = ScanPackage(packages[index].files, store);
    if (!facts) return Fail(std::move(facts).error().While("stripping " + std::string(packages[index].root)));
    packages[index].facts = *std::move(facts);
    return {};
  }));

  std::vector<bool> removed(input.entries().size(), false);
  std::vector<bool> named(input.entries().size(), false);
  const auto index_of = [&](const InventoryEntry& entry) {
    return static_cast<std::size_t>(&entry - input.entries().data());
  };
  for (const InventoryEntry& entry : input.entries()) named[index_of(entry)] = keep.Matches(entry.path.str());
  PISHIP_CHECK(keep.CheckUsed(options.input));
  Report report;
  for (const Package& package : packages) {
    for (const PackageFile& file : package.files) {
      const std::size_t index = index_of(*file.entry);
      removed[index] = !Stays(package, file, named[index], report);
    }
  }
  std::vector<InventoryEntry> kept;
  kept.reserve(input.entries().size());
  for (const InventoryEntry& entry : input.entries()) {
    if (!removed[index_of(entry)]) kept.push_back(entry);
  }
  PISHIP_TRY(const Inventory output, Inventory::FromEntries(std::move(kept)));
  PISHIP_TRY(const std::string input_path, AbsolutePath(options.input));
  PISHIP_CHECK(WriteDepfile(options.depfile, options.output, {input_path}));
  PISHIP_CHECK(WriteFileIfChanged(options.report, report.Text(input, output)));
  PISHIP_CHECK(WriteFileIfChanged(options.output, output.Text()));
  return {};
}

}  // namespace piship::strip
