// SPDX-License-Identifier: MIT
#include "vendor/report.h"

#include "base/json.h"

namespace piship {
namespace {

json::Value PackageValue(const SelectedPackage& selected, const Package& contents) {
  json::Value value = json::Value::Object();
  value.Set("path", selected.entry->path);
  value.Set("name", selected.entry->package);
  value.Set("version", selected.entry->version);
  if (selected.entry->install_script) value.Set("install_script", "not run");
  if (selected.bundler != nullptr) {
    value.Set("bundled_in", selected.bundler->path);
    return value;
  }
  value.Set("integrity", selected.entry->integrity);
  std::uint64_t bytes = 0;
  for (const InventoryEntry& file : contents.files) bytes += file.size;
  value.Set("files", static_cast<std::int64_t>(contents.files.size()));
  value.Set("bytes", static_cast<std::int64_t>(bytes));
  if (!contents.skipped.empty()) {
    json::Value skipped = json::Value::Array();
    for (const SkippedEntry& entry : contents.skipped) {
      skipped.Append(json::Value::Object().Set("path", entry.path).Set("reason", entry.reason));
    }
    value.Set("skipped", std::move(skipped));
  }
  return value;
}

}  // namespace

std::string VendorReport(const Selection& selection, const Platform& platform,
                         const std::vector<const Package*>& contents) {
  json::Value report = json::Value::Object();
  report.Set("format", std::int64_t{1});
  report.Set("platform", platform.str());
  json::Value packages = json::Value::Array();
  for (std::size_t i = 0; i < selection.packages.size(); ++i) {
    packages.Append(PackageValue(selection.packages[i], *contents[i]));
  }
  report.Set("packages", std::move(packages));
  json::Value left_out = json::Value::Array();
  for (const LeftOutPackage& package : selection.left_out) {
    json::Value item = json::Value::Object();
    item.Set("path", package.entry->path);
    item.Set("version", package.entry->version);
    item.Set("reason", LeftOutReasonName(package.reason));
    if (!package.detail.empty()) item.Set("detail", package.detail);
    left_out.Append(std::move(item));
  }
  report.Set("left_out", std::move(left_out));
  json::Value notes = json::Value::Array();
  for (const std::string& note : selection.notes) notes.Append(note);
  report.Set("notes", std::move(notes));
  return json::Canonical(report);
}

}  // namespace piship
