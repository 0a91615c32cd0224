// SPDX-License-Identifier: MIT
#include "commands/freeable.h"

#include "commands/report.h"

namespace piship {

Freeable FindFreeable(const Homes& homes, const Receipt& receipt) {
  Freeable freeable{receipt.id, {}, FindLeftovers(homes.install, receipt.id, &receipt)};
  for (const InstalledRelease& release : receipt.kept) freeable.kept.push_back(release.version);
  return freeable;
}

void SetFreeable(json::Value& out, const Freeable& freeable) {
  json::Value kept = json::Value::Array();
  for (const std::string& version : freeable.kept) kept.Append(version);
  json::Value reclaimable = json::Value::Array();
  for (const Leftover& leftover : freeable.leftovers) {
    json::Value item = json::Value::Object();
    item.Set("bytes", static_cast<std::int64_t>(leftover.bytes));
    if (leftover.holder) item.Set("holder", *leftover.holder);
    item.Set("name", Printable(leftover.name));
    reclaimable.Append(std::move(item));
  }
  out.Set("kept", std::move(kept));
  out.Set("reclaimable", std::move(reclaimable));
}

void SayFreeable(const Freeable& freeable) {
  if (!freeable.kept.empty()) {
    std::string versions;
    for (const std::string& version : freeable.kept) versions += (versions.empty() ? "" : ", ") + version;
    PrintWords("kept for 'piship rollback': " + versions + "; 'piship keep " + freeable.id + " 0' frees that");
  }
  for (const Leftover& leftover : freeable.leftovers) {
    PrintWords("not needed any more: " + Printable(leftover.name) + ", " + Grouped(leftover.bytes) +
               " bytes; 'piship doctor " + freeable.id + " --fix' frees that" +
               (leftover.holder ? " once " + *leftover.holder + ", which uses it, has ended" : ""));
  }
}

}  // namespace piship
