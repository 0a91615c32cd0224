// SPDX-License-Identifier: MIT
#include "base/files.h"
#include "commands/commands.h"
#include "commands/report.h"
#include "home/uninstaller.h"
#include "home/unsynced.h"
#include "model/names.h"

namespace piship {
namespace {

json::Value Strings(const std::vector<std::string>& texts) {
  json::Value list = json::Value::Array();
  for (const std::string& text : texts) list.Append(text);
  return list;
}

void Describe(const UninstallOptions& options, const UninstallReport& report) {
  const std::string removed = options.dry_run ? "would remove " : "removed ";
  for (const std::string& version : report.versions) PrintWords(removed + options.id + " " + version);
  for (const std::string& command : report.commands) PrintWords(removed + "the command '" + command + "'");
  for (const std::string& command : report.commands_left) {
    PrintWords("note: '" + command + "' belongs to something else and is left alone");
  }
  if (!report.was_installed && report.versions.empty() && !report.state_removed) {
    PrintWords(removed + "what an interrupted operation had left of " + options.id);
  }
  if (report.state_removed) {
    PrintWords(removed + "its data in '" + report.state_directory + "'");
  } else if (report.state_exists) {
    PrintWords("its data stays in '" + report.state_directory + "'; --purge removes it");
  }
}

}  // namespace

Status RunUninstall(const UninstallOptions& options) {
  return Report(options.json, [&](json::Value& out) -> Status {
    PISHIP_CHECK(CheckId(options.id, "the id"));
    PISHIP_TRY(const Homes homes, HomesFromEnvironment());
    if (!options.dry_run) SettleUnsynced(homes.install);
    auto report = Uninstall(homes, options.id, options.purge ? State::kPurge : State::kKeep,
                            options.dry_run ? DryRun::kYes : DryRun::kNo);
    if (!report) return Fail(std::move(report).error().While("uninstalling " + options.id));
    out.Set("commands", Strings(report->commands));
    out.Set("commands_left", Strings(report->commands_left));
    out.Set("dry_run", options.dry_run);
    out.Set("id", options.id);
    out.Set("state_directory", report->state_directory);
    out.Set("state_removed", report->state_removed);
    out.Set("versions", Strings(report->versions));
    if (!options.quiet) Describe(options, *report);
    return {};
  });
}

}  // namespace piship
