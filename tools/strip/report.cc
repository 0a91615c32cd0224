// SPDX-License-Identifier: MIT
#include "strip/report.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/json.h"

namespace piship::strip {
namespace {

json::Value CountValue(const Count& count) {
  json::Value value = json::Value::Object();
  value.Set("files", count.files);
  value.Set("bytes", count.bytes);
  return value;
}

json::Value Totals(const Inventory& inventory) {
  return CountValue(
      {static_cast<std::int64_t>(inventory.entries().size()), static_cast<std::int64_t>(inventory.total_bytes())});
}

json::Value CountsValue(const std::map<std::string, Count>& counts) {
  json::Value value = json::Value::Object();
  for (const auto& [reason, count] : counts) value.Set(reason, CountValue(count));
  return value;
}

}  // namespace

void Report::Kept(std::string_view reason, std::string_view package, std::string_view subject,
                  const InventoryEntry& entry) {
  kept_[std::string(reason)].Add(entry);
  if (package.empty()) return;
  auto here = std::find_if(packages_.rbegin(), packages_.rend(), [&](const KeptHere& kept) {
    return kept.package == package && kept.reason == reason && kept.subject == subject;
  });
  if (here == packages_.rend()) {
    packages_.push_back({std::string(package), std::string(reason), std::string(subject), {}});
    here = packages_.rbegin();
  }
  here->count.Add(entry);
}

std::string Report::Text(const Inventory& input, const Inventory& output) const {
  std::vector<KeptHere> sorted = packages_;
  std::sort(sorted.begin(), sorted.end(), [](const KeptHere& a, const KeptHere& b) {
    return std::tie(a.package, a.reason, a.subject) < std::tie(b.package, b.reason, b.subject);
  });
  json::Value packages = json::Value::Array();
  for (const KeptHere& kept : sorted) {
    json::Value value = CountValue(kept.count);
    value.Set("package", kept.package);
    value.Set("reason", kept.reason);
    if (!kept.subject.empty()) value.Set("subject", kept.subject);
    packages.Append(std::move(value));
  }
  json::Value report = json::Value::Object();
  report.Set("format", std::int64_t{1});
  report.Set("input", Totals(input));
  report.Set("output", Totals(output));
  report.Set("removed", CountsValue(removed_));
  report.Set("kept", CountsValue(kept_));
  report.Set("packages", std::move(packages));
  return json::Canonical(report);
}

}  // namespace piship::strip
