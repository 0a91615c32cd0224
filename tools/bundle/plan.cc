// SPDX-License-Identifier: MIT
// Three rules carry the plan.
//
// A module of CommonJS that anything outside the bundle loads stays a file, and with it what it requires: a forwarding
// file would have to repeat its names, and requiring a module of the bundle is nothing that every engine can. The
// bundle then loads the file as well, so there is one instance. A module of ESM that anything outside loads is
// forwarded.
//
// Code that locates modules (createRequire, a computed import, a worker, its own directory) names them in strings: each
// string of such a module that means a file of the application counts as a name.
//
// Modules run in the order in which Node would run them. esbuild's chunks alone do not keep that: what two entries
// share runs first. Modules that are required are wrapped and run exactly when they are asked for; so a module that
// never runs (roots.cjs) requires every entry.
#include "bundle/plan.h"

#include <algorithm>

#include "base/files.h"
#include "model/names.h"

namespace piship::bundle {
namespace {

class Planner {
 public:
  Planner(Ledger& ledger, Resolver& resolver, const Inventory& tree, GlobSet& keep)
      : ledger_(ledger), resolver_(resolver), tree_(tree), keep_(keep) {}

  Result<Plan> Make(const PlanRequest& request) {
    PISHIP_CHECK(Enter(request.program, {"program", {}}));
    for (const std::string& path : request.publics) PISHIP_CHECK(Enter(path, {"public", {}}));
    do {
      while (!todo_.empty()) {
        const std::string path = std::move(todo_.back());
        todo_.pop_back();
        PISHIP_CHECK(Visit(path, path == request.program));
      }
      KeepAwaited();
      if (todo_.empty() && !request.prune) PISHIP_CHECK(ServeUnreached());
    } while (!todo_.empty());
    for (const auto& [path, why] : plan_.kept) {
      plan_.entries.erase(path);
      plan_.copied.erase(path);
    }
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
    const bool named = keep_.Matches(path.substr(4));  // whatever else would keep it
    if (!plan_.kept.try_emplace(path, named ? Why{"named-by-option", {}} : why).second) return;
    plan_.reached.insert(path);
    todo_.push_back(path);  // again where it was visited before: what it loads is loaded from outside now
  }

  // The reason of a module's own for staying a file.
  std::string OwnReason(const std::string& path, const Facts& facts) {
    if (keep_.Matches(path.substr(4))) return "named-by-option";
    if (!facts.error.empty()) return "not-bundled-by-esbuild";
    if (facts.format == Format::kCommonJs && (facts.mentions & kNeedsSloppyMode) != 0) return "needs-sloppy-mode";
    if ((facts.mentions & kEvaluatesImport) != 0) return "evaluates-import";
    const std::string_view package = PackageOf(path);
    const bool nested = package.find("/node_modules/") != package.rfind("/node_modules/");
    const bool resolves = facts.HasComputedImport() || (facts.mentions & kResolvesItself) != 0;
    // From the bundle's place these would find the packages at the top instead of the nested ones.
    return nested && resolves ? "resolves-from-nested-package" : "";
  }

  Status Visit(const std::string& path, bool is_program) {
    PISHIP_TRY(const Facts* facts, ledger_.FindOrRead(path));
    if (facts == nullptr) return {};
    if (!plan_.kept.contains(path)) {
      if (const std::string reason = OwnReason(path, *facts); !reason.empty()) {
        Keep(path, {reason, facts->error});
        return {};
      }
    }
    if (is_program && facts->format == Format::kCommonJs) plan_.entries.try_emplace(path, Why{"program", {}});
    for (const Import& import : facts->imports) {
      if (!import.external && IsModuleFile(import.path) && tree_.Find(import.path) != nullptr) Reach(import.path);
    }
    const auto& literals = facts->literals;
    if (plan_.kept.contains(path)) {
      // esbuild does not read it.
      PISHIP_CHECK(Follow(path, literals.imported, {Format::kModule}, "imported-by-file"));
      PISHIP_CHECK(Follow(path, literals.dynamic, {Format::kModule}, "imported-by-file"));
      PISHIP_CHECK(Follow(path, literals.required, {Format::kCommonJs}, "imported-by-file"));
    }
    if (!facts->HasComputedImport() && !facts->other_requires && (facts->mentions & kLocatesModules) == 0) return {};
    PISHIP_CHECK(Locate(path, *facts, literals.others));
    if (facts->HasComputedImport() || facts->other_requires) {
      // What is loaded by its name here may be loaded by a computed one too.
      PISHIP_CHECK(Locate(path, *facts, literals.dynamic));
      return Locate(path, *facts, literals.required);
    }
    // Whether `require` is the module's own is known where esbuild has followed it.
    std::vector<std::string> unseen;
    for (const std::string& literal : literals.required) {
      PISHIP_TRY(const auto target, resolver_.Resolve(literal, path, Format::kCommonJs));
      if (target && !Requires(*facts, *target)) unseen.push_back(literal);
    }
    return Locate(path, *facts, unseen);
  }

  // Files are named by their paths, in whatever way they are loaded; packages are looked for in one way or the other.
  Status Locate(const std::string& path, const Facts& facts, const std::vector<std::string>& literals) {
    std::vector<std::string> files;
    std::vector<std::string> packages;
    for (const std::string& literal : literals) (literal.starts_with('.') ? files : packages).push_back(literal);
    PISHIP_CHECK(Follow(path, files, {Format::kModule, Format::kCommonJs}, "located"));
    if (facts.HasComputedImport() || (facts.mentions & (kResolvesItself | kEvaluatesImport)) != 0) {
      PISHIP_CHECK(Follow(path, packages, {Format::kModule}, "located"));
    }
    if (!facts.other_requires && (facts.mentions & kRequiresNames) == 0) return {};
    return Follow(path, packages, {Format::kCommonJs}, "located");
  }

  // What stands beside a waiting module in its importer runs while that waits, in Node; one file that holds them all
  // can't do that. So modules with a top-level await stay files with all that import them. One that waits alone does
  // not matter.
  void KeepAwaited() {
    std::vector<std::string> keep;
    for (const std::string& path : plan_.reached) {
      const Facts* facts = ledger_.Find(path);
      if (facts == nullptr || !facts->awaits) continue;
      for (const Import& import : facts->imports) {
        const Facts* imported = import.kind == "import-statement" ? ledger_.Find(import.path) : nullptr;
        if (imported == nullptr || !imported->awaits) continue;
        keep.push_back(path);
        keep.push_back(import.path);
      }
    }
    for (const std::string& path : keep) Keep(path, {"order-of-await", {}});
  }

  // Modules that nothing is known to reach stay files, and what they import must be there too: modules of ESM are
  // forwarded, of the others the file stays beside the bundle.
  Status ServeUnreached() {
    for (const InventoryEntry& entry : tree_.entries()) {
      const std::string& path = entry.path.str();
      if (plan_.reached.contains(path) || !IsModuleFile(path) || !path.starts_with("app/")) continue;
      PISHIP_TRY(const Literals literals, ledger_.LiteralsOf(path));
      PISHIP_CHECK(Serve(path, literals.imported, Format::kModule));
      PISHIP_CHECK(Serve(path, literals.dynamic, Format::kModule));
      PISHIP_CHECK(Serve(path, literals.required, Format::kCommonJs));
    }
    return {};
  }

  Status Serve(const std::string& path, const std::vector<std::string>& literals, Format how) {
    for (const std::string& literal : literals) {
      PISHIP_TRY(const auto target, resolver_.Resolve(literal, path, how));
      if (!target || !plan_.reached.contains(*target) || plan_.kept.contains(*target)) continue;
      const Facts* facts = ledger_.Find(*target);
      if (facts == nullptr || !IsModuleFile(*target)) continue;
      if (facts->format == Format::kModule) {
        plan_.entries.try_emplace(*target, Why{"imported-by-unreached", path});
      } else {
        PISHIP_CHECK(CopyWithRequires(*target));
      }
    }
    return {};
  }

  Status CopyWithRequires(const std::string& first) {
    std::vector<std::string> todo = {first};
    while (!todo.empty()) {
      const std::string path = std::move(todo.back());
      todo.pop_back();
      if (plan_.entries.contains(path) || plan_.kept.contains(path) || !plan_.copied.insert(path).second) continue;
      PISHIP_TRY(const Literals literals, ledger_.LiteralsOf(path));
      PISHIP_CHECK(Serve(path, literals.imported, Format::kModule));
      PISHIP_CHECK(Serve(path, literals.dynamic, Format::kModule));
      for (const std::string& literal : literals.required) {
        PISHIP_TRY(const auto target, resolver_.Resolve(literal, path, Format::kCommonJs));
        if (!target || !IsModuleFile(*target)) continue;
        const Facts* facts = ledger_.Find(*target);
        if (facts != nullptr && facts->format == Format::kModule) {
          plan_.entries.try_emplace(*target, Why{"imported-by-unreached", path});
        } else {
          todo.push_back(*target);
        }
      }
    }
    return {};
  }

  static bool Requires(const Facts& facts, const std::string& target) {
    return facts.format == Format::kCommonJs &&
           std::any_of(facts.imports.begin(), facts.imports.end(),
                       [&](const Import& import) { return import.path == target && import.kind == "require-call"; });
  }

  // Enters the modules that the literals of `path` mean.
  Status Follow(const std::string& path, const std::vector<std::string>& literals, const std::vector<Format>& ways,
                const std::string& reason) {
    for (const std::string& literal : literals) {
      for (const Format how : ways) {
        PISHIP_TRY(const auto target, resolver_.Resolve(literal, path, how));
        if (!target) continue;
        plan_.located.insert(*target);
        if (IsLoadable(*target, path)) PISHIP_CHECK(Enter(*target, {reason, path}));
      }
    }
    return {};
  }

  // A module's own name is in many a module without any intent to load it twice; a file without an ending (LICENSE) is
  // rather read than loaded.
  bool IsLoadable(const std::string& target, const std::string& from) const {
    return IsModuleFile(target) && FileName(target).find('.') != std::string_view::npos && target != from &&
           tree_.Find(target)->size != 0;
  }

  void AddRoot(const std::string& path) {
    const Facts* facts = ledger_.Find(path);
    if (plan_.kept.contains(path) || facts == nullptr || facts->format != Format::kModule) return;
    plan_.roots.push_back(path);
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
    plan_.roots.erase(std::unique(plan_.roots.begin(), plan_.roots.end()), plan_.roots.end());
  }

  Ledger& ledger_;
  Resolver& resolver_;
  const Inventory& tree_;
  GlobSet& keep_;
  Plan plan_;
  std::vector<std::string> todo_;
};

}  // namespace

Result<Plan> MakePlan(const PlanRequest& request, Ledger& ledger, Resolver& resolver, const Inventory& tree,
                      GlobSet& keep) {
  return Planner(ledger, resolver, tree, keep).Make(request);
}

}  // namespace piship::bundle
