// SPDX-License-Identifier: MIT
// Three rules carry the plan.
//
// A module of CommonJS that anything outside the bundle loads stays a file, and with it what it requires: a forwarding
// file would have to repeat its names, and requiring a module of the bundle is nothing that every engine can. The bundle
// then loads the file as well, so there is one instance. A module of ESM that anything outside loads is forwarded.
//
// Code that locates modules (createRequire, a computed import, a worker, its own directory) names them in strings: each
// string of such a module that means a file of the application counts as a name.
//
// Modules run in the order in which Node would run them. esbuild's chunks alone do not keep that: what two entries share
// runs first. Modules that are required are wrapped and run exactly when they are asked for; so a module that never runs
// (roots.cjs) requires every entry. That is impossible for modules with a top-level await and what imports them; there the
// modules that they import are required instead.
#include "bundle/plan.h"

#include <algorithm>

#include "base/files.h"
#include "model/names.h"

namespace piship::bundle {
namespace {

class Planner {
 public:
  Planner(const Ledger& ledger, Resolver& resolver, const Inventory& tree, GlobSet& keep)
      : ledger_(ledger), resolver_(resolver), tree_(tree), keep_(keep) {}

  Result<Plan> Make(const PlanRequest& request) {
    PISHIP_CHECK(Enter(request.program, {"program", {}}));
    for (const std::string& path : request.publics) PISHIP_CHECK(Enter(path, {"public", {}}));
    while (!todo_.empty()) {
      const std::string path = std::move(todo_.back());
      todo_.pop_back();
      PISHIP_CHECK(Visit(path, path == request.program));
    }
    for (const auto& [path, why] : plan_.kept) plan_.entries.erase(path);
    MakeRoots();
    return std::move(plan_);
  }

 private:
  // The format as far as it is known before esbuild has seen the file.
  Result<Format> FormatOf(const std::string& path) {
    if (const Facts* facts = ledger_.Find(path); facts != nullptr) return facts->format;
    PISHIP_TRY(const auto by_name, resolver_.FormatOf(path));
    return by_name.value_or(Format::kModule);  // becomes an entry of the next run, which will tell
  }

  Status Enter(const std::string& path, const Why& why) {
    PISHIP_TRY(const Format format, FormatOf(path));
    if (format == Format::kModule || why.reason == "program") {
      plan_.entries.try_emplace(path, why);
    } else {
      Keep(path, {why.reason + "-commonjs", why.subject});
    }
    Reach(path);
    return {};
  }

  void Reach(const std::string& path) {
    if (plan_.reached.insert(path).second) todo_.push_back(path);
  }

  void Keep(const std::string& path, const Why& why) {
    if (!plan_.kept.try_emplace(path, why).second) return;
    plan_.reached.insert(path);
    todo_.push_back(path);  // again where it was visited before: what it loads is loaded from outside now
  }

  // The reason of a module's own for staying a file.
  std::string OwnReason(const std::string& path, const Facts& facts) {
    if (keep_.Matches(path.substr(4))) return "named-by-option";
    if (!facts.error.empty()) return "not-bundled-by-esbuild";
    const std::string_view package = PackageOf(path);
    const bool nested = package.find("/node_modules/") != package.rfind("/node_modules/");
    const bool resolves = facts.HasComputedImport() || (facts.mentions & kResolvesItself) != 0;
    // From the bundle's place these would find the packages at the top instead of the nested ones.
    return nested && resolves ? "resolves-from-nested-package" : "";
  }

  Status Visit(const std::string& path, bool is_program) {
    const Facts* facts = ledger_.Find(path);
    if (facts == nullptr) return {};
    if (!plan_.kept.contains(path)) {
      if (const std::string reason = OwnReason(path, *facts); !reason.empty()) {
        Keep(path, {reason, facts->error});
        return {};
      }
    }
    if (is_program && facts->format == Format::kCommonJs) plan_.entries.try_emplace(path, Why{"program", {}});
    const bool outside = plan_.kept.contains(path);
    for (const Import& import : facts->imports) {
      if (import.external || !IsModuleFile(import.path) || tree_.Find(import.path) == nullptr) continue;
      if (outside) {
        PISHIP_CHECK(Enter(import.path, {"imported-by-file", path}));
      } else {
        Reach(import.path);
      }
    }
    if (facts->HasComputedImport() || facts->other_requires || (facts->mentions & kLocatesModules) != 0) {
      PISHIP_CHECK(Locate(path, *facts));
    }
    return {};
  }

  Status Locate(const std::string& path, const Facts& facts) {
    for (const std::string& literal : facts.literals) {
      std::set<std::string> found;
      for (const Format how : {Format::kModule, Format::kCommonJs}) {
        PISHIP_TRY(const auto target, resolver_.Resolve(literal, path, how));
        if (target) found.insert(*target);
      }
      for (const std::string& target : found) {
        plan_.located.insert(target);
        // Its own name is in many a module without any intent to load it twice; a file without an ending (LICENSE) is
        // rather read than loaded.
        if (!IsModuleFile(target) || FileName(target).find('.') == std::string_view::npos || target == path) continue;
        if (tree_.Find(target)->size == 0) continue;
        PISHIP_CHECK(Enter(target, {"located", path}));
      }
    }
    return {};
  }

  // Whether the module or one that it imports statically waits at its top level.
  bool Awaits(const std::string& path) {
    const auto [known, is_new] = awaits_.try_emplace(path, false);
    if (!is_new) return known->second;
    const Facts* facts = ledger_.Find(path);
    bool awaits = facts != nullptr && facts->awaits;
    if (facts != nullptr && facts->format == Format::kModule) {
      for (const Import& import : facts->imports) {
        if (import.kind == "import-statement" && !import.external && Awaits(import.path)) awaits = true;
      }
    }
    return awaits_[path] = awaits;
  }

  void AddRoot(const std::string& path) {
    if (plan_.kept.contains(path) || !IsModuleFile(path) || !rooted_.insert(path).second) return;
    const Facts* facts = ledger_.Find(path);
    if (facts == nullptr || facts->format != Format::kModule) return;
    if (!Awaits(path)) {
      plan_.roots.push_back(path);
      return;
    }
    for (const Import& import : facts->imports) {
      if (import.kind == "import-statement" && !import.external) AddRoot(import.path);
    }
  }

  void MakeRoots() {
    for (const auto& [path, why] : plan_.entries) AddRoot(path);
    for (const std::string& path : plan_.reached) {
      const Facts* facts = ledger_.Find(path);
      if (facts == nullptr || plan_.kept.contains(path)) continue;
      for (const Import& import : facts->imports) {
        if (import.kind == "dynamic-import" && !import.external) AddRoot(import.path);
      }
    }
    std::sort(plan_.roots.begin(), plan_.roots.end());
  }

  const Ledger& ledger_;
  Resolver& resolver_;
  const Inventory& tree_;
  GlobSet& keep_;
  Plan plan_;
  std::vector<std::string> todo_;
  std::map<std::string, bool> awaits_;
  std::set<std::string> rooted_;
};

}  // namespace

Result<Plan> MakePlan(const PlanRequest& request, const Ledger& ledger, Resolver& resolver, const Inventory& tree,
                      GlobSet& keep) {
  return Planner(ledger, resolver, tree, keep).Make(request);
}

}  // namespace piship::bundle
