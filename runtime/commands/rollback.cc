// SPDX-License-Identifier: MIT
#include "home/rollback.h"

#include "commands/commands.h"
#include "commands/freeable.h"
#include "commands/report.h"
#include "home/unsynced.h"
#include "model/names.h"

namespace piship {
namespace {

void Describe(const RollbackOptions& options, const RollbackReport& report) {
  const std::string& version = report.receipt.active.version;
  if (!report.changed) {
    PrintWords(options.id + " " + version + " is the active version already");
    return;
  }
  const std::string did = options.dry_run ? "would roll " : "rolled ";
  PrintWords(did + options.id + " back from " + report.from + " to " + version);
  if (report.receipt.Find(report.from) != nullptr) {
    PrintWords("again with it: piship rollback " + options.id + " --to " + report.from);
  } else {
    PrintWords("note: nothing says that " + report.from + " is on the disk as a whole, and it is not kept");
  }
}

}  // namespace

Status RunRollback(const RollbackOptions& options) {
  return Report(options.json, [&](json::Value& out) -> Status {
    PISHIP_CHECK(CheckId(options.id, "the id"));
    PISHIP_TRY(const Homes homes, HomesFromEnvironment());
    if (!options.dry_run) SettleUnsynced(homes.install);
    auto report = RollBack(homes, options.id, options.to, options.accept_state ? AcceptState::kYes : AcceptState::kNo,
                           options.dry_run ? DryRun::kYes : DryRun::kNo);
    if (!report) return Fail(std::move(report).error().While("rolling back " + options.id));
    SetRelease(out, report->receipt.active);
    out.Set("action", report->changed ? "rolled-back" : "already-active");
    out.Set("dry_run", options.dry_run);
    out.Set("id", options.id);
    out.Set("previous_version", report->from);
    if (!options.quiet) Describe(options, *report);
    if (options.dry_run) return {};
    const Freeable freeable = FindFreeable(homes, report->receipt);
    SetFreeable(out, freeable);
    if (!options.quiet) SayFreeable(freeable);
    return {};
  });
}

}  // namespace piship
