// SPDX-License-Identifier: MIT
#include "base/files.h"
#include "commands/commands.h"
#include "commands/report.h"
#include "home/receipts.h"
#include "home/unsynced.h"

namespace piship {
namespace {

json::Value KeptVersions(const Receipt& receipt) {
  json::Value list = json::Value::Array();
  for (const InstalledRelease& release : receipt.kept) list.Append(release.version);
  return list;
}

// One damaged receipt must not hide the others.
json::Value DamagedValue(const std::string& id, const Error& error) {
  json::Value value = json::Value::Object();
  value.Set("error", error.message);
  value.Set("id", id);
  return value;
}

}  // namespace

Status RunList(const ListOptions& options) {
  return Report(options.json, [&](json::Value& out) -> Status {
    PISHIP_TRY(const Homes homes, HomesFromEnvironment());
    SettleUnsynced(homes.install);
    PISHIP_TRY(const std::vector<std::string> ids, ReceiptIds(homes.install));
    json::Value list = json::Value::Array();
    for (const std::string& id : ids) {
      const auto receipt = FindReceipt(homes.install, id);
      if (!receipt) {
        list.Append(DamagedValue(id, receipt.error()));
        if (!options.json) PrintWords("piship: warning: " + Printable(receipt.error().message));
        continue;
      }
      if (!*receipt) continue;
      const Receipt& found = **receipt;
      json::Value item = json::Value::Object();
      SetRelease(item, found.active);
      item.Set("command", JoinPath(homes.bin, found.command));
      item.Set("id", id);
      item.Set("kept", KeptVersions(found));
      list.Append(std::move(item));
      if (options.json) continue;
      std::string line = id + " " + found.active.version;
      for (const InstalledRelease& release : found.kept) line += " (kept: " + release.version + ")";
      PrintData(line + "\n");
    }
    out.Set("distributions", std::move(list));
    if (!options.json && ids.empty()) PrintWords("nothing is installed in '" + homes.install + "'");
    return {};
  });
}

}  // namespace piship
