// SPDX-License-Identifier: MIT
#include "sources/sources.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "base/depfile.h"
#include "base/files.h"
#include "base/parallel.h"
#include "model/inventory.h"
#include "os/beneath.h"
#include "sources/walk.h"
#include "store/store.h"

namespace piship::sources {
namespace {

constexpr std::size_t kListLimit = std::size_t{64} << 20;

// Destinations: the same paths below the prefix.
Result<std::vector<InventoryEntry>> Destinations(const std::vector<RelativePath>& files, const std::string& prefix) {
  std::vector<InventoryEntry> entries(files.size());
  RelativePath below;
  if (!prefix.empty()) {
    auto parsed = RelativePath::Parse(prefix);
    if (!parsed) return Fail(std::move(parsed).error().While("reading --prefix"));
    below = *std::move(parsed);
  }
  for (std::size_t index = 0; index < files.size(); ++index) {
    if (prefix.empty()) {
      entries[index].path = files[index];
    } else {
      PISHIP_TRY(entries[index].path, files[index].Below(below));
    }
  }
  return entries;
}

Status PutFile(int base, const std::string& base_name, const RelativePath& path, const Store& store,
               InventoryEntry& entry) {
  const std::string name = JoinPath(base_name, path.str());
  const UniqueFd fd(OpenBeneath(base, path.str().c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
  if (fd.get() < 0) return Fail(SystemError("read '" + name + "'", -fd.get()));
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) return Fail(SystemError("read '" + name + "'", errno));
  PISHIP_TRY(const StoredObject object, store.PutOpenFile(fd.get(), name));
  entry.digest = object.digest;
  entry.size = object.size;
  entry.mode = (status.st_mode & S_IXUSR) != 0 ? FileMode::kExecutable : FileMode::kPlain;
  return {};
}

Result<std::vector<std::string>> Inputs(const Options& options, const Found& found, const Store& store) {
  const std::size_t count = found.files.size() + found.directories.size() + 2;
  if (count > kDepfileLimit) {
    return Fail(ErrorCode::kLimitExceeded,
                "'" + options.list + "' stands for " + std::to_string(found.files.size()) + " files in " +
                    std::to_string(found.directories.size()) + " directories; together at most " +
                    std::to_string(kDepfileLimit - 2) + " can be tracked",
                "name less (no build output, no node_modules), or split the files into several sets of resources");
  }
  PISHIP_TRY(const std::string base, AbsolutePath(options.base));
  PISHIP_TRY(const std::string list, AbsolutePath(options.list));
  std::vector<std::string> inputs{list, store.epoch_path()};
  for (const std::string& path : found.directories) inputs.push_back(path == "." ? base : JoinPath(base, path));
  for (const RelativePath& path : found.files) inputs.push_back(JoinPath(base, path.str()));
  return inputs;
}

}  // namespace

Status Run(const Options& options) {
  PISHIP_TRY(const UniqueFd base, OpenFile(options.base, O_RDONLY | O_DIRECTORY));
  PISHIP_TRY(const std::string list, ReadFile(options.list, kListLimit));
  Problems problems(options.list);
  ErrorCode code = ErrorCode::kFileInvalid;
  const Found found = Walk(base.get(), list, problems, code);
  if (!problems.empty()) return Fail(problems.ToError(code, "the paths are relative to '" + options.base + "'"));
  PISHIP_TRY(std::vector<InventoryEntry> entries, Destinations(found.files, options.prefix));
  PISHIP_TRY(const Store store, Store::Open(options.store));
  PISHIP_TRY(const std::vector<std::string> inputs, Inputs(options, found, store));
  PISHIP_CHECK(ParallelFor(entries.size(), 0, [&](std::size_t index, unsigned) {
    return PutFile(base.get(), options.base, found.files[index], store, entries[index]);
  }));
  PISHIP_TRY(const Inventory inventory, Inventory::FromEntries(std::move(entries)));
  PISHIP_CHECK(WriteDepfile(options.depfile, options.output, inputs));
  PISHIP_CHECK(WriteFileIfChanged(options.output, inventory.Text()));
  return {};
}

}  // namespace piship::sources
