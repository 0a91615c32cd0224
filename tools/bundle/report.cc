// SPDX-License-Identifier: MIT
#include "bundle/report.h"

#include <map>
#include <tuple>

#include "base/json.h"
#include "model/names.h"

namespace piship::bundle {
namespace {

struct Count {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  void Add(std::uint64_t size) {
    files += 1;
    bytes += static_cast<std::int64_t>(size);
  }
};

json::Value CountValue(const Count& count) {
  json::Value value = json::Value::Object();
  value.Set("bytes", count.bytes);
  value.Set("files", count.files);
  return value;
}

// "node_modules/x" of a path below app/; empty for the application's own files.
std::string PackageName(std::string_view path) { return std::string(PackageOf(path.substr(4))); }

json::Value Total(const Inventory& inventory) {
  Count count;
  for (const InventoryEntry& entry : inventory.entries()) count.Add(entry.size);
  return CountValue(count);
}

json::Value Packages(const ReportRequest& request) {
  std::map<std::string, std::map<std::string, Count>> packages;
  const auto add = [&](const std::string& path, const std::string& what) {
    if (const InventoryEntry* entry = request.input->Find(path); entry != nullptr) {
      packages[PackageName(path)][what].Add(entry->size);
    }
  };
  for (const std::string& path : request.output->bundled) add(path, "bundled");
  for (const auto& [path, reason] : *request.pruned) add(path, "pruned");
  for (const auto& [path, why] : request.plan->entries) add(path, "forwarded");
  for (const InventoryEntry& entry : request.output->inventory.entries()) {
    const std::string& path = entry.path.str();
    const InventoryEntry* original = request.input->Find(path);
    if (original == nullptr || original->digest != entry.digest) continue;  // the bundle's, or a forwarding module
    if (request.plan->copied.contains(path)) {
      add(path, "copied");
      continue;
    }
    const bool module = IsModuleFile(path);
    if (!module) {
      add(path, "assets");
    } else {
      add(path, request.plan->kept.contains(path) ? "kept" : "unreached");
    }
  }
  json::Value list = json::Value::Array();
  for (const auto& [name, counts] : packages) {
    json::Value value = json::Value::Object();
    value.Set("package", name);
    for (const auto& [what, count] : counts) value.Set(what, CountValue(count));
    list.Append(std::move(value));
  }
  return list;
}

json::Value Places(const ReportRequest& request, const std::map<std::string, Why>& places) {
  std::map<std::tuple<std::string, std::string, std::string>, Count> groups;
  for (const auto& [path, why] : places) {
    const InventoryEntry* entry = request.input->Find(path);
    groups[{PackageName(path), why.reason, why.subject}].Add(entry != nullptr ? entry->size : 0);
  }
  json::Value list = json::Value::Array();
  for (const auto& [group, count] : groups) {
    json::Value value = CountValue(count);
    value.Set("package", std::get<0>(group));
    value.Set("reason", std::get<1>(group));
    if (!std::get<2>(group).empty()) value.Set("subject", std::get<2>(group));
    list.Append(std::move(value));
  }
  return list;
}

// Imports that nothing resolves, and those whose argument is computed.
void AddOpenImports(const ReportRequest& request, json::Value& report) {
  json::Value unresolved = json::Value::Array();
  json::Value computed = json::Value::Array();
  for (const auto& [path, input] : request.metafile->inputs) {
    const Facts* facts = request.ledger->Find(path);
    if (facts == nullptr) continue;
    // `path` is a structured binding, which clang 14 lets no lambda capture by itself.
    const auto add = [&, &module = path](const std::vector<std::string>& specifiers, bool optional) {
      for (const std::string& specifier : specifiers) {
        json::Value value = json::Value::Object();
        value.Set("module", module);
        value.Set("optional", optional);
        value.Set("specifier", specifier);
        unresolved.Append(std::move(value));
      }
    };
    add(facts->unresolved, false);
    add(facts->optional, true);
    if (facts->HasComputedImport() || facts->other_requires) computed.Append(path);
  }
  report.Set("unresolved", std::move(unresolved));
  report.Set("computed", std::move(computed));
}

}  // namespace

std::string ReportText(const ReportRequest& request) {
  Count bundle;
  for (const std::string& chunk : request.output->chunks) {
    if (const InventoryEntry* entry = request.output->inventory.Find(chunk); entry != nullptr) bundle.Add(entry->size);
  }
  json::Value report = json::Value::Object();
  report.Set("format", std::int64_t{1});
  report.Set("esbuild", request.esbuild);
  report.Set("input", Total(*request.input));
  report.Set("output", Total(request.output->inventory));
  report.Set("bundle", CountValue(bundle));
  report.Set("packages", Packages(request));
  report.Set("forwarded", Places(request, request.plan->entries));
  report.Set("kept", Places(request, request.plan->kept));
  std::map<std::string, Why> pruned;
  for (const auto& [path, reason] : *request.pruned) pruned[path] = {reason, {}};
  report.Set("pruned", Places(request, pruned));
  AddOpenImports(request, report);
  return json::Canonical(report);
}

std::vector<std::string> UnexpectedKeeps(const Plan& plan) {
  std::vector<std::string> problems;
  for (const auto& [path, why] : plan.kept) {
    if (why.reason == "named-by-option") continue;
    std::string line = path + ": " + why.reason;
    if (!why.subject.empty()) line += " (" + why.subject + ")";
    problems.push_back(std::move(line));
  }
  return problems;
}

}  // namespace piship::bundle
