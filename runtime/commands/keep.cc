// SPDX-License-Identifier: MIT
#include <charconv>

#include "commands/commands.h"
#include "commands/freeable.h"
#include "commands/report.h"
#include "home/kept_versions.h"
#include "model/names.h"

namespace piship {
namespace {

constexpr std::string_view kDefault = "default";

Result<std::optional<KeepChoice>> ParseChoice(const std::string& text) {
  if (text.empty()) return std::optional<KeepChoice>();
  if (text == kDefault) return std::optional(KeepChoice{});
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return std::optional(KeepChoice{number});
  return Fail(ErrorCode::kUsage, "'" + Printable(text) + "' is neither a number nor '" + std::string(kDefault) + "'");
}

void Describe(const KeepOptions& options, const KeepReport& report, const Freeable& freeable) {
  PrintWords(options.id + " keeps " + std::to_string(report.versions) +
             (report.versions == 1 ? " version" : " versions") + " beside the active one, as " +
             (report.chosen ? "you have chosen" : "its owner has"));
  for (const std::string& version : report.dropped) PrintWords("no longer kept: " + version);
  SayFreeable(freeable);
}

}  // namespace

Status RunKeep(const KeepOptions& options) {
  return Report(options.json, [&](json::Value& out) -> Status {
    PISHIP_CHECK(CheckId(options.id, "the id"));
    PISHIP_TRY(const std::optional<KeepChoice> choice, ParseChoice(options.versions));
    PISHIP_TRY(const Homes homes, HomesFromEnvironment());
    PISHIP_TRY(const KeepReport report, KeepVersions(homes, options.id, choice));
    const Freeable freeable = FindFreeable(homes, report.receipt);
    out.Set("chosen_by", report.chosen ? "user" : "owner");
    json::Value dropped = json::Value::Array();
    for (const std::string& version : report.dropped) dropped.Append(version);
    out.Set("dropped", std::move(dropped));
    out.Set("id", options.id);
    out.Set("keep_versions", report.versions);
    SetFreeable(out, freeable);
    if (!options.quiet) Describe(options, report, freeable);
    return {};
  });
}

}  // namespace piship
