// SPDX-License-Identifier: MIT
// The order of npm's own steps decides who is left out, so it is kept:
//   1. every dependency of every package that the project leads to must be answered by the lock (npm would fetch
//   another
//      package and then find that the lock lacks it);
//   2. packages to which nothing leads are dropped, and the graph is drawn again without them;
//   3. in the order of the lock, each optional package that does not fit the platform goes, together with the packages
//      around it that need it and those that only they need; one that is not optional and does not fit is an error;
//   4. what only development needs goes, and so does everything that lies in a directory that went.
#include "vendor/selection.h"

#include <algorithm>
#include <set>

#include "vendor/graph.h"
#include "vendor/integrity.h"

namespace piship {
namespace {

std::string Quoted(std::string_view text) { return "'" + Printable(text) + "'"; }

std::string Join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + Printable(word);
  return out;
}

// npm's rule for "os", "cpu" and "libc": "!word" excludes; of the words without "!" one must match, if there are any.
bool Admits(const std::vector<std::string>& words, std::string_view value) {
  if (words.size() == 1 && words[0] == "any") return true;
  std::size_t negated = 0;
  bool match = false;
  for (const std::string_view word : words) {
    if (word.starts_with('!')) {
      ++negated;
      if (word.substr(1) == value) return false;
    } else {
      match = match || word == value;
    }
  }
  return match || negated == words.size();
}

class Selector {
 public:
  Selector(const Manifest& manifest, const Lockfile& lockfile, const SelectionOptions& options, Problems& lock_problems,
           Problems& mismatches)
      : manifest_(manifest),
        lockfile_(lockfile),
        options_(options),
        lock_problems_(lock_problems),
        mismatches_(mismatches),
        graph_(manifest, lockfile),
        inert_(graph_.nodes().size()),
        reasons_(graph_.nodes().size()) {}

  Selection Run() {
    CheckAnswers();
    DropExtraneous();
    CheckPlatforms();
    Choose();
    return std::move(selection_);
  }

 private:
  struct Reason {
    LeftOutReason reason = LeftOutReason::kExtraneous;
    std::string detail;
  };

  void CheckAnswers() {
    std::vector<bool> seen(graph_.nodes().size());
    std::vector<NodeIndex> stack{kProject};
    seen[kProject] = true;
    while (!stack.empty()) {
      const NodeIndex at = stack.back();
      stack.pop_back();
      for (const std::size_t index : graph_.nodes()[at].out) {
        const Edge& edge = graph_.edge(index);
        CheckEdge(edge);
        if (edge.to == kNoNode || seen[edge.to]) continue;
        seen[edge.to] = true;
        stack.push_back(edge.to);
      }
    }
  }

  void CheckEdge(const Edge& edge) {
    const Dependency& dependency = *edge.dependency;
    if (dependency.kind == DependencyKind::kOptionalPeer) return;
    if (edge.from != kProject) {
      const LockEntry& from = *graph_.nodes()[edge.from].entry;
      if (from.shrinkwrap) return;
      if (std::find(from.bundled.begin(), from.bundled.end(), dependency.name) != from.bundled.end()) return;
    }
    const std::string asked = Quoted(dependency.name) + " (" + Printable(dependency.specifier) + ")";
    if (edge.to == kNoNode) {
      Mismatch(edge, asked + ", which " + graph_.Describe(edge.from) + " needs, is not in the lock");
      return;
    }
    const LockEntry& to = *graph_.nodes()[edge.to].entry;
    if (InShrinkwrap(edge.to) || Answers(to, dependency)) return;
    const std::string text = Quoted(to.path) + " is version " + Printable(to.version) + ", but " +
                             graph_.Describe(edge.from) + " needs " + asked;
    // npm keeps what a lock has where packages disagree about a peer; it insists only on what the project itself says.
    if (dependency.peer() && edge.from != kProject) {
      selection_.notes.push_back(text);
    } else {
      Mismatch(edge, text);
    }
  }

  void Mismatch(const Edge& edge, const std::string& text) {
    if (edge.from == kProject) {
      mismatches_.Add(text);
    } else {
      mismatches_.Add(graph_.nodes()[edge.from].entry->position, text);
    }
  }

  bool InShrinkwrap(NodeIndex node) const {
    for (NodeIndex at = graph_.nodes()[node].parent; at != kProject; at = graph_.nodes()[at].parent) {
      if (graph_.nodes()[at].entry->shrinkwrap) return true;
    }
    return false;
  }

  bool Answers(const LockEntry& to, const Dependency& dependency) const {
    const auto& overridden = manifest_.overridden;
    if (std::find(overridden.begin(), overridden.end(), dependency.name) != overridden.end()) return true;
    return AnswersSpecifier(to, dependency.specifier) ||
           (dependency.accepted && AnswersSpecifier(to, *dependency.accepted));
  }
  static bool AnswersSpecifier(const LockEntry& to, std::string_view text) {
    const Specifier specifier = ClassifySpecifier(text);
    switch (specifier.kind) {
      case SpecifierKind::kTag:
        return true;  // which version a tag means only the registry knows
      case SpecifierKind::kRemote:
        return to.resolved == specifier.text;
      case SpecifierKind::kGit:
        return !to.resolved.starts_with("http");
      case SpecifierKind::kLocal:
        return to.link || to.resolved.starts_with("file:");
      case SpecifierKind::kWorkspace:
        return to.link;
      case SpecifierKind::kRange:
        break;
    }
    if (specifier.text == "*") return true;
    const auto range = VersionRange::Parse(specifier.text, SemverGrammar::kLoose);
    const auto version = Version::Parse(to.version, SemverGrammar::kLoose);
    return range && version && range->Contains(*version);
  }

  void DropExtraneous() {
    for (NodeIndex i = 1; i < graph_.nodes().size(); ++i) {
      if (graph_.nodes()[i].extraneous) LeaveOut(i, LeftOutReason::kExtraneous, {});
    }
    graph_.Prune();
  }

  void CheckPlatforms() {
    if (const std::string why = WhyNotOn(options_.platform, manifest_.platforms); !why.empty()) {
      mismatches_.Add("package.json excludes " + options_.platform.str() + ": " + why);
    }
    for (NodeIndex i = 1; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      if (inert_[i]) continue;
      const std::string why = WhyNotOn(options_.platform, node.entry->platforms);
      if (node.optional) {
        if (!why.empty()) {
          LeaveOutWithSet(i, LeftOutReason::kPlatform, why);
        } else if (WrongEngine(*node.entry)) {
          LeaveOutWithSet(i, LeftOutReason::kEngine, "engines.node is " + Printable(node.entry->node_range));
        }
      } else if (!node.development && !why.empty()) {
        lock_problems_.Add(node.entry->position, Quoted(node.entry->path) + " does not run on " +
                                                     options_.platform.str() + " (" + why + ") and is not optional");
      }
    }
  }

  bool WrongEngine(const LockEntry& entry) const {
    if (!options_.node || entry.node_range.empty()) return false;
    const auto range = VersionRange::Parse(entry.node_range, SemverGrammar::kStrict, Prereleases::kAll);
    return !range || !range->Contains(*options_.node);
  }

  void LeaveOut(NodeIndex node, LeftOutReason reason, std::string detail) {
    if (inert_[node]) return;
    inert_[node] = true;
    reasons_[node] = {reason, std::move(detail)};
  }

  // The optional package with all that goes when it goes. Upwards: packages that need it, as far as the optional
  // dependency that leads to them; downwards: what nobody else needs.
  void LeaveOutWithSet(NodeIndex start, LeftOutReason reason, const std::string& detail) {
    std::vector<NodeIndex> core{start};
    std::vector<bool> in_core(graph_.nodes().size());
    in_core[start] = true;
    for (std::size_t i = 0; i < core.size(); ++i) {
      for (const std::size_t index : graph_.nodes()[core[i]].in) {
        const Edge& edge = graph_.edge(index);
        if (edge.dependency->optional() || in_core[edge.from]) continue;
        in_core[edge.from] = true;
        core.push_back(edge.from);
      }
    }
    const auto counts = [&](const Edge& edge) { return !in_core[edge.to] && !inert_[edge.from]; };
    std::vector<NodeIndex> members = core;
    std::vector<bool> is_member = in_core;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const std::size_t index : graph_.nodes()[members[i]].out) {
        const Edge& edge = graph_.edge(index);
        if (edge.to == kNoNode || !counts(edge) || is_member[edge.to]) continue;
        is_member[edge.to] = true;
        members.push_back(edge.to);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const NodeIndex member : members) {
        if (!is_member[member]) continue;
        const auto& in = graph_.nodes()[member].in;
        const bool needed = std::any_of(in.begin(), in.end(), [&](std::size_t index) {
          const Edge& edge = graph_.edge(index);
          return !is_member[edge.from] && counts(edge);
        });
        if (!needed) continue;
        is_member[member] = false;
        changed = true;
      }
    }
    LeaveOut(start, reason, detail);
    for (const NodeIndex member : members) {
      if (member == kProject || !is_member[member]) continue;
      LeaveOut(member, LeftOutReason::kNotNeeded, "goes with " + graph_.nodes()[start].entry->path);
    }
  }

  void Choose() {
    std::set<std::string_view> excused;
    for (const LocalDirectory& local : lockfile_.locals) excused.insert(local.path);
    // Parents decide about what lies in them, wherever in the lock they stand.
    for (NodeIndex i = 1; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      if (node.development) LeaveOut(i, LeftOutReason::kDevelopment, {});
      if (inert_[i] && node.entry->link) excused.erase(node.entry->resolved);
    }
    // What is left in `excused` belongs to no link that was left out: it would be placed.
    for (const LocalDirectory& local : lockfile_.locals) {
      if (!excused.contains(local.path) || local.path.find("node_modules/") != std::string::npos) continue;
      lock_problems_.Add(local.position, Quoted(local.path) +
                                             " is a directory outside node_modules (a workspace or a " +
                                             "\"file:\" dependency), which can't be vendored");
    }
    for (NodeIndex i = 1; i < graph_.nodes().size(); ++i) {
      const LockEntry& entry = *graph_.nodes()[i].entry;
      if (const NodeIndex gone = InertAncestor(i); gone != kNoNode) {
        LeaveOut(i, LeftOutReason::kNotNeeded, "lies in " + graph_.nodes()[gone].entry->path);
      }
      if (inert_[i]) {
        selection_.left_out.push_back({&entry, reasons_[i].reason, reasons_[i].detail});
        continue;
      }
      const NodeIndex bundler = graph_.BundlerOf(i);
      selection_.packages.push_back({&entry, bundler == kNoNode ? nullptr : graph_.nodes()[bundler].entry});
      if (bundler == kNoNode) CheckSource(entry);
    }
  }

  NodeIndex InertAncestor(NodeIndex node) const {
    for (NodeIndex at = graph_.nodes()[node].parent; at != kProject; at = graph_.nodes()[at].parent) {
      if (inert_[at]) return at;
    }
    return kNoNode;
  }

  void CheckSource(const LockEntry& entry) {
    const auto note = [&](const std::string& text) {
      lock_problems_.Add(entry.position, Quoted(entry.path) + " " + text);
    };
    const std::string& resolved = entry.resolved;
    if (entry.link) return note("is a link to " + Quoted(resolved) + ", which can't be vendored");
    if (resolved.starts_with("file:"))
      return note("is the local file " + Quoted(resolved) + ", which can't be vendored");
    if (resolved.starts_with("git"))
      return note("comes from the git repository " + Quoted(resolved) + ", which can't be vendored");
    if (!resolved.empty() && !resolved.starts_with("https://") && !resolved.starts_with("http://")) {
      return note("comes from " + Quoted(resolved) + ", which is no http or https URL");
    }
    const auto& excused = options_.without_integrity;
    if (entry.integrity.empty() && std::find(excused.begin(), excused.end(), entry.package) == excused.end()) {
      note("has no integrity, so what is fetched could not be checked (--allow-missing-integrity " +
           Printable(entry.package) + " admits it)");
    }
    if (!entry.integrity.empty()) {
      if (const auto integrity = Integrity::Parse(entry.integrity); !integrity)
        note("has an integrity that can't be used: " + integrity.error().message);
    }
  }

  const Manifest& manifest_;
  const Lockfile& lockfile_;
  const SelectionOptions& options_;
  Problems& lock_problems_;
  Problems& mismatches_;
  Graph graph_;
  std::vector<bool> inert_;
  std::vector<Reason> reasons_;
  Selection selection_;
};

}  // namespace

std::string_view LeftOutReasonName(LeftOutReason reason) {
  switch (reason) {
    case LeftOutReason::kDevelopment:
      return "development";
    case LeftOutReason::kExtraneous:
      return "extraneous";
    case LeftOutReason::kPlatform:
      return "platform";
    case LeftOutReason::kEngine:
      return "engine";
    case LeftOutReason::kNotNeeded:
      return "not-needed";
  }
  return "";
}

std::string WhyNotOn(const Platform& platform, const PlatformConditions& conditions) {
  if (conditions.os && !Admits(*conditions.os, platform.os())) return "os is " + Join(*conditions.os);
  if (conditions.cpu && !Admits(*conditions.cpu, platform.cpu())) return "cpu is " + Join(*conditions.cpu);
  if (conditions.libc && (platform.libc().empty() || !Admits(*conditions.libc, platform.libc()))) {
    return "libc is " + Join(*conditions.libc);
  }
  return {};
}

Selection Select(const Manifest& manifest, const Lockfile& lockfile, const SelectionOptions& options,
                 Problems& lock_problems, Problems& mismatches) {
  return Selector(manifest, lockfile, options, lock_problems, mismatches).Run();
}

}  // namespace piship
