// SPDX-License-Identifier: MIT
// The loop: facts give a plan, the plan a tree and a command line, esbuild's run new facts; until there is no news. A
// build that remembers the facts of the last one begins where that ended, so a change of one file mostly costs one run.
#include "bundle/bundle.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/depfile.h"
#include "base/files.h"
#include "bundle/facts.h"
#include "bundle/output.h"
#include "bundle/plan.h"
#include "bundle/prune.h"
#include "bundle/report.h"
#include "bundle/rewrite.h"
#include "bundle/work_tree.h"
#include "model/glob.h"
#include "model/inventory.h"
#include "model/platform.h"
#include "model/semver.h"
#include "store/store.h"

namespace piship::bundle {
namespace {

// Raised with every change of what this program makes of the same input.
constexpr std::string_view kRevision = "3";
constexpr int kMaxRounds = 16;

class Application {
 public:
  explicit Application(const Store& store) : store_(store) {}

  Status AddInventory(const std::string& file) {
    PISHIP_TRY(const Inventory part, ReadInventory(file));
    inputs_.push_back(file);
    for (const InventoryEntry& entry : part.entries()) {
      PISHIP_TRY(RelativePath path, RelativePath::Parse("app/" + entry.path.str()));
      if (path.str().starts_with(std::string(kBundleDirectory) + '/')) {
        return Fail(ErrorCode::kPathConflict, file + ": '" + entry.path.str() + "' is where the bundle goes",
                    "take it out, or give BUNDLE OFF");
      }
      entries_.push_back({entry.digest, entry.size, entry.mode, std::move(path)});
    }
    return {};
  }

  Status AddFile(const std::string& file, const std::string& place) {
    PISHIP_TRY(const StoredObject object, store_.PutFile(file));
    inputs_.push_back(file);
    PISHIP_TRY(RelativePath path, RelativePath::Parse(place));
    for (const InventoryEntry& entry : entries_) {
      if (entry.path == path) return {};
    }
    entries_.push_back({object.digest, object.size, FileMode::kPlain, std::move(path)});
    return {};
  }

  Result<Inventory> Take() { return Inventory::FromEntries(std::move(entries_)); }
  const std::vector<std::string>& inputs() const { return inputs_; }

 private:
  const Store& store_;
  std::vector<InventoryEntry> entries_;
  std::vector<std::string> inputs_;
};

// Whether every version of the range can require() a module of ESM.
Result<bool> MayRequireModules(const std::string& text) {
  PISHIP_TRY(const VersionRange range, VersionRange::Parse(text));
  PISHIP_TRY(const Version first, Version::Parse("22.12.0"));
  const auto is_bound = [&](const Comparator& comparator) {
    return comparator.op != Comparator::Operator::kLess && comparator.op != Comparator::Operator::kLessOrEqual &&
           comparator.version >= first;
  };
  return std::all_of(range.sets().begin(), range.sets().end(),
                     [&](const std::vector<Comparator>& set) { return std::any_of(set.begin(), set.end(), is_bound); });
}

class Bundler {
 public:
  Bundler(const Options& options, const Store& store, const Inventory& app, std::string version, bool modules_sync)
      : options_(options),
        store_(store),
        app_(app),
        version_(std::move(version)),
        resolver_(
            app, [&store](const InventoryEntry& entry) { return store.Read(entry.digest, entry.size); },
            modules_sync ? std::vector<std::string>{"node", "node-addons", "module-sync"}
                         : std::vector<std::string>{"node", "node-addons"}),
        ledger_(app, store, resolver_),
        modules_sync_(modules_sync) {
    esbuild_.executable = JoinPath(options.work, "esbuild");
    esbuild_.directory = JoinPath(options.work, "tree");
  }

  Status Run(const PlanRequest& request, const Digest& state_key) {
    const std::string state = JoinPath(options_.work, "state.json");
    ledger_.Load(state, state_key);
    PISHIP_CHECK(MakeDirectories(esbuild_.directory));
    for (int round = 0; round < kMaxRounds; ++round) {
      PISHIP_TRY(keep_, GlobSet::Parse(options_.keep));
      PISHIP_TRY(plan_, MakePlan(request, ledger_, resolver_, app_, keep_));
      PISHIP_TRY(const bool news, RunOnce(request));
      if (news) continue;
      if (!metafile_) return Fail(Unbundled());
      return ledger_.Save(state, state_key);
    }
    return Fail(ErrorCode::kBundlerFailed, "the bundle does not come to rest");
  }

  const Plan& plan() const { return plan_; }
  const Ledger& ledger() const { return ledger_; }
  const Metafile& metafile() const { return *metafile_; }
  GlobSet& keep() { return keep_; }

 private:
  // The application with its rewritten modules, and our own two.
  Result<Inventory> Tree(const PlanRequest& request, std::set<std::string>& rewritten) {
    std::vector<RewriteRequest> requests;
    // Not those that the plan reaches alone: before a run has got through, nobody knows what imports them.
    for (const auto& [path, facts] : ledger_.all()) {
      if (!IsModuleFile(path) || plan_.kept.contains(path) || !facts.NeedsRewrite()) continue;
      requests.push_back({path, *app_.Find(path), &facts, path == request.program});
    }
    PISHIP_TRY(const auto texts, Rewrite(requests, esbuild_, version_, JoinPath(options_.work, "rewrite"), store_));
    std::vector<InventoryEntry> entries;
    for (const InventoryEntry& entry : app_.entries()) {
      entries.push_back(entry);
      if (const auto text = texts.find(entry.path.str()); text != texts.end()) {
        entries.back().digest = text->second.digest;
        entries.back().size = text->second.size;
        rewritten.insert(entry.path.str());
      }
    }
    std::string roots;
    for (const std::string& root : plan_.roots) roots += "require(" + json::Quote("../" + root) + ");\n";
    for (const auto& [path, text] : {std::pair<std::string_view, std::string_view>{kPlaceModule, PlaceModuleText()},
                                     std::pair<std::string_view, std::string_view>{kRootsModule, roots}}) {
      PISHIP_TRY(const Digest digest, store_.Put(text));
      PISHIP_TRY(RelativePath parsed, RelativePath::Parse(std::string(path)));
      entries.push_back({digest, text.size(), FileMode::kPlain, std::move(parsed)});
    }
    return Inventory::FromEntries(std::move(entries));
  }

  Result<std::vector<std::string>> Arguments(const PlanRequest& request) const {
    std::vector<std::string> arguments = {"./" + request.program};
    for (const auto& [path, why] : plan_.entries) {
      if (path != request.program) arguments.push_back("./" + path);
    }
    if (plan_.kept.contains(request.program)) arguments.erase(arguments.begin());
    arguments.push_back("./" + std::string(kRootsModule));
    for (const char* option :
         {"--bundle", "--splitting", "--format=esm", "--platform=node", "--target=esnext", "--main-fields=main",
          "--tsconfig-raw={}", "--resolve-extensions=.js,.json,.node", "--charset=utf8", "--legal-comments=external",
          "--out-extension:.js=.mjs", "--entry-names=[name]-[hash]", "--chunk-names=chunk-[hash]",
          "--preserve-symlinks", "--keep-names"}) {
      arguments.emplace_back(option);
    }
    arguments.emplace_back(modules_sync_ ? "--conditions=node-addons,module-sync" : "--conditions=node-addons");
    const std::string& tree = esbuild_.directory;
    for (const char* native : {"*.node", "*.wasm"}) arguments.push_back("--external:" + JoinPath(tree, native));
    arguments.push_back("--external:" + std::string(kMissingPrefix) + "*");
    for (const auto& [path, why] : plan_.kept) arguments.push_back("--external:" + JoinPath(tree, path));
    for (const std::string& external : options_.external) arguments.push_back("--external:" + external);
    arguments.push_back("--outdir=" + std::string(kBundleDirectory));
    arguments.push_back("--metafile=" + JoinPath(options_.work, "metafile.json"));
    return arguments;
  }

  // One run of esbuild. True where it has told anything that the plan did not know.
  Result<bool> RunOnce(const PlanRequest& request) {
    std::set<std::string> rewritten;
    PISHIP_TRY(const Inventory tree, Tree(request, rewritten));
    PISHIP_CHECK(UpdateWorkTree(esbuild_.directory, tree, store_));
    PISHIP_TRY(const auto arguments, Arguments(request));
    PISHIP_TRY(const auto messages, RunEsbuild(esbuild_, arguments));
    PISHIP_TRY(bool news, ledger_.Learn(messages, rewritten));
    metafile_.reset();
    errors_.clear();
    std::copy_if(messages.begin(), messages.end(), std::back_inserter(errors_), std::mem_fn(&Message::is_error));
    if (!errors_.empty()) return news;
    const std::string file = JoinPath(options_.work, "metafile.json");
    PISHIP_TRY(const std::string text, ReadFile(file));
    PISHIP_TRY(metafile_, ParseMetafile(text, file));
    PISHIP_TRY(bool more, ledger_.Learn(*metafile_, rewritten));
    for (const auto& [path, output] : metafile_->outputs) {
      PISHIP_TRY(const std::string chunk, ReadFile(JoinPath(esbuild_.directory, path)));
      more |= ledger_.LearnAwaits(chunk);
    }
    if (!news && !more) return false;
    // Most news of a build that remembers nothing change nothing.
    PISHIP_TRY(GlobSet keep, GlobSet::Parse(options_.keep));
    PISHIP_TRY(const Plan plan, MakePlan(request, ledger_, resolver_, app_, keep));
    return plan != plan_ || NeedsRewriteBeyond(rewritten);
  }

  // What esbuild has said that nothing more can be learnt from.
  Error Unbundled() const {
    Error error{ErrorCode::kBundlerFailed, "esbuild finds no way to bundle the application", "give BUNDLE OFF", {}, {}};
    for (const Message& message : errors_) {
      error.problems.push_back(message.file + ':' + std::to_string(message.line) + ": " + message.text);
    }
    return error;
  }

  bool NeedsRewriteBeyond(const std::set<std::string>& rewritten) const {
    return std::any_of(metafile_->inputs.begin(), metafile_->inputs.end(), [&](const auto& input) {
      const Facts* facts = ledger_.Find(input.first);
      return facts != nullptr && IsModuleFile(input.first) && facts->NeedsRewrite() && !rewritten.contains(input.first);
    });
  }

  const Options& options_;
  const Store& store_;
  const Inventory& app_;
  std::string version_;
  Resolver resolver_;
  Ledger ledger_;
  Plan plan_;
  GlobSet keep_;
  Esbuild esbuild_;
  bool modules_sync_;
  std::optional<Metafile> metafile_;
  std::vector<Message> errors_;  // of the last run
};

Result<std::vector<std::string>> ResolvePublics(const std::vector<std::string>& specifiers, Resolver& resolver) {
  std::vector<std::string> paths;
  std::vector<std::string> problems;
  for (const std::string& specifier : specifiers) {
    PISHIP_TRY(const auto path, resolver.Resolve(specifier, "app/package.json", Format::kModule));
    if (path) {
      paths.push_back(*path);
    } else {
      problems.push_back("the public module '" + specifier + "' is not among the packages, or is not exported");
    }
  }
  if (problems.empty()) return paths;
  Error error{ErrorCode::kBundleModuleMissing, problems.front(), "name packages or paths that they export", {}, {}};
  if (problems.size() > 1) {
    error.message = std::to_string(problems.size()) + " public modules are missing";
    error.problems = std::move(problems);
  }
  return Fail(std::move(error));
}

// What the remembered facts hold for: packages and options, but not the application's own files, whose facts hold
// while they and their names stay the same.
Digest StateKey(const Options& options, const Inventory& app, const std::string& version) {
  std::string key = version + '\n';
  for (const InventoryEntry& entry : app.entries()) {
    const bool package = entry.path.str().starts_with("app/node_modules/");
    key += entry.path.str() + (package ? ' ' + entry.digest.Hex() : std::string()) + '\n';
  }
  for (const std::string& external : options.external) key += '\n' + external;
  return Digest::Of(key);
}

Status CheckStrict(const Options& options, const Plan& plan) {
  std::vector<std::string> problems = options.strict ? UnexpectedKeeps(plan) : std::vector<std::string>();
  if (problems.empty()) return {};
  Error error{ErrorCode::kBundleStrict,
              std::to_string(problems.size()) + " modules stay files although the bundle is strict",
              "name those that may stay with BUNDLE_KEEP",
              {},
              {}};
  error.problems = std::move(problems);
  return Fail(std::move(error));
}

// "a/*" for "a/b"; one '*' stands for anything, as esbuild has it.
bool MatchesExternal(std::string_view pattern, std::string_view specifier) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return specifier == pattern || specifier.starts_with(std::string(pattern) + '/');
  return specifier.size() + 1 >= pattern.size() && specifier.starts_with(pattern.substr(0, star)) &&
         specifier.ends_with(pattern.substr(star + 1));
}

Status CheckExternals(const std::vector<std::string>& patterns, const Metafile& metafile) {
  for (const std::string& pattern : patterns) {
    const bool used = std::any_of(metafile.inputs.begin(), metafile.inputs.end(), [&](const auto& input) {
      return std::any_of(input.second.imports.begin(), input.second.imports.end(), [&](const Import& import) {
        return import.external && MatchesExternal(pattern, import.path);
      });
    });
    if (used) continue;
    return Fail(ErrorCode::kBundleModuleMissing, "no module of the application imports '" + pattern + "'",
                "take it out of BUNDLE_EXTERNAL");
  }
  return {};
}

// Without the prefix app/.
Result<Inventory> Relative(const Inventory& app) {
  std::vector<InventoryEntry> entries;
  for (const InventoryEntry& entry : app.entries()) {
    PISHIP_TRY(RelativePath path, RelativePath::Parse(entry.path.str().substr(4)));
    entries.push_back({entry.digest, entry.size, entry.mode, std::move(path)});
  }
  return Inventory::FromEntries(std::move(entries));
}

}  // namespace

Status Run(Options options) {
  PISHIP_TRY(const Store store, Store::Open(options.store));
  Application application(store);
  if (options.packages) PISHIP_CHECK(application.AddInventory(*options.packages));
  for (const std::string& sources : options.sources) PISHIP_CHECK(application.AddInventory(sources));
  if (options.package_json) PISHIP_CHECK(application.AddFile(*options.package_json, "app/package.json"));
  PISHIP_TRY(const Inventory app, application.Take());
  const auto read = [&](const InventoryEntry& entry) { return store.Read(entry.digest, entry.size); };
  PISHIP_TRY(const RelativePath program, ResolveEntry(options.entry, app, read));
  PISHIP_TRY(const Inventory tool, ReadInventory(options.bundler));
  PISHIP_CHECK(MakeDirectories(options.work));
  PISHIP_TRY(options.work, AbsolutePath(options.work));  // esbuild runs in a directory of its own
  PISHIP_CHECK(PlaceTool(tool, store, JoinPath(options.work, "esbuild")));
  PISHIP_TRY(const Platform platform, Platform::Parse(options.platform));
  PISHIP_TRY(const bool may_require, MayRequireModules(options.engines));

  const std::string esbuild = tool.entries().front().digest.Hex();
  const std::string version = std::string(kRevision) + ' ' + esbuild + ' ' + Digest::Of(PlaceModuleText()).Hex();
  Bundler bundler(options, store, app, version, may_require);
  Resolver resolver(app, read, {"node", "node-addons"});
  PlanRequest request{program.str(), {}, options.prune};
  PISHIP_TRY(request.publics, ResolvePublics(options.public_modules, resolver));
  PISHIP_CHECK(bundler.Run(request, StateKey(options, app, version)));
  PISHIP_CHECK(CheckStrict(options, bundler.plan()));

  OutputRequest output{
      &app, &bundler.plan(), &bundler.ledger(), &bundler.metafile(), JoinPath(options.work, "tree"), may_require};
  PISHIP_TRY(BundledApp bundled, MakeOutput(output, store));
  std::map<std::string, std::string> pruned;
  if (options.prune) {
    PISHIP_TRY(pruned, Prune(bundled, bundler.plan(), bundler.ledger(), platform, bundler.keep(), store));
  }
  PISHIP_CHECK(bundler.keep().CheckUsed("the application"));
  PISHIP_CHECK(CheckExternals(options.external, bundler.metafile()));
  PISHIP_TRY(const Inventory relative, Relative(bundled.inventory));
  const std::string report =
      ReportText({&app, &bundled, &bundler.plan(), &bundler.ledger(), &bundler.metafile(), &pruned, esbuild});
  std::vector<std::string> inputs = application.inputs();
  inputs.push_back(options.bundler);
  inputs.push_back(store.epoch_path());
  PISHIP_CHECK(WriteDepfile(options.depfile, options.output, inputs));
  PISHIP_CHECK(WriteFileIfChanged(options.report, report));
  PISHIP_CHECK(WriteFileIfChanged(options.output, relative.Text()));
  return {};
}

}  // namespace piship::bundle
