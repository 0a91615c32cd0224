// SPDX-License-Identifier: MIT
#include "store/maintain.h"

#include <cstdio>

#include "base/files.h"
#include "store/store.h"

namespace piship::store_tool {
namespace {

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string Files(std::uint64_t files, std::uint64_t bytes) {
  return std::to_string(files) + (files == 1 ? " file, " : " files, ") + std::to_string(bytes) + " bytes";
}

Status Prune(const Store& store, const Options& options) {
  if (options.max_bytes < 0 || options.max_age_days < 0 || options.max_seconds < 0) {
    return Fail(ErrorCode::kUsage, "a limit of prune is negative");
  }
  PISHIP_TRY(const StoreReport report, store.Prune({static_cast<std::uint64_t>(options.max_bytes),
                                                    static_cast<std::uint64_t>(options.max_age_days),
                                                    static_cast<std::uint64_t>(options.max_seconds)}));
  Print("removed " + Files(report.removed_files, report.removed_bytes) + " of " + Files(report.files, report.bytes) +
        (report.complete ? "\n" : "; stopped early: the time was up or another process is pruning\n"));
  return {};
}

Status Check(const Store& store, const std::string& name) {
  PISHIP_TRY(const StoreReport report, store.Check());
  Print("checked " + Files(report.files, report.bytes) + "\n");
  if (report.damaged.empty()) return {};
  Error error;
  error.code = ErrorCode::kObjectDamaged;
  error.message = std::to_string(report.damaged.size()) + " damaged in the store '" + name + "'";
  error.hint = "they were removed; build again: what made them then makes them anew";
  error.problems = report.damaged;
  return Fail(std::move(error));
}

}  // namespace

Status Run(std::string_view verb, const Options& options) {
  // Opening makes a store; to look after one that is not there is a mistake in the name.
  PISHIP_TRY([[maybe_unused]] const std::string epoch, ReadFile(JoinPath(options.store, "epoch"), 4096));
  PISHIP_TRY(const Store store, Store::Open(options.store));
  if (verb == "prune") return Prune(store, options);
  if (verb == "check") return Check(store, options.store);
  PISHIP_CHECK(store.TouchEpoch());
  Print("rewrote " + store.epoch_path() + "\n");
  return {};
}

}  // namespace piship::store_tool
