// SPDX-License-Identifier: MIT
// Flags begin as "everything is true" and are taken away along the edges until nothing changes, so cycles need no care:
// what no edge can reach from the project stays extraneous, and a flag stays where every way in would keep it.
#include "vendor/graph.h"

#include <algorithm>

namespace piship {

Graph::Graph(const Manifest& manifest, const Lockfile& lockfile) : manifest_(manifest) {
  nodes_.resize(lockfile.entries.size() + 1);
  pruned_.resize(nodes_.size());
  for (NodeIndex i = 0; i < lockfile.entries.size(); ++i) {
    nodes_[i + 1].entry = &lockfile.entries[i];
    by_path_.emplace(lockfile.entries[i].path, i + 1);
  }
  for (NodeIndex i = 1; i < nodes_.size(); ++i) {
    const std::string& parent = nodes_[i].entry->parent;
    nodes_[i].parent = parent.empty() ? kProject : Find(parent);
  }
  Connect();
  ComputeFlags();
  ComputeBundles();
}

NodeIndex Graph::Find(std::string_view path) const {
  const auto found = by_path_.find(path);
  return found != by_path_.end() ? found->second : kNoNode;
}

NodeIndex Graph::Resolve(NodeIndex from, std::string_view name) const {
  std::string path;
  for (NodeIndex at = from; at != kNoNode; at = nodes_[at].parent) {
    path = at == kProject ? std::string{} : nodes_[at].entry->path + "/";
    path += "node_modules/";
    path += name;
    const NodeIndex found = Find(path);
    if (found != kNoNode && !pruned_[found]) return found;
  }
  return kNoNode;
}

std::string Graph::Describe(NodeIndex node) const {
  return node == kProject ? "package.json" : "'" + nodes_[node].entry->path + "'";
}

void Graph::Connect() {
  edges_.clear();
  for (Node& node : nodes_) {
    node.out.clear();
    node.in.clear();
  }
  for (NodeIndex from = 0; from < nodes_.size(); ++from) {
    if (pruned_[from] || (from != kProject && nodes_[from].entry->link)) continue;
    const auto& dependencies = from == kProject ? manifest_.dependencies : nodes_[from].entry->dependencies;
    for (const Dependency& dependency : dependencies) {
      const NodeIndex to = Resolve(from, dependency.name);
      nodes_[from].out.push_back(edges_.size());
      if (to != kNoNode) nodes_[to].in.push_back(edges_.size());
      edges_.push_back({from, to, &dependency});
    }
  }
}

// Whether the edge took a flag from its target.
bool Graph::Visit(const Edge& edge) {
  const Node& from = nodes_[edge.from];
  Node& to = nodes_[edge.to];
  const Dependency& dependency = *edge.dependency;
  bool changed = false;
  const auto take = [&](bool& flag, bool kept_by_source, bool kept_by_edge) {
    if (!flag || kept_by_source || kept_by_edge) return;
    flag = false;
    changed = true;
  };
  take(to.extraneous, from.extraneous, dependency.kind == DependencyKind::kOptionalPeer);
  take(to.development, from.development, dependency.kind == DependencyKind::kDevelopment);
  take(to.optional, from.optional, dependency.optional());
  return changed;
}

void Graph::ComputeFlags() {
  Node& project = nodes_[kProject];
  project.extraneous = project.development = project.optional = false;
  std::vector<NodeIndex> queue{kProject};
  while (!queue.empty()) {
    const NodeIndex at = queue.back();
    queue.pop_back();
    // A package that stays needs the directories in which it lies.
    if (!nodes_[at].extraneous) {
      for (NodeIndex up = nodes_[at].parent; up != kNoNode && nodes_[up].extraneous; up = nodes_[up].parent) {
        nodes_[up].extraneous = false;
      }
    }
    for (const std::size_t index : nodes_[at].out) {
      if (edges_[index].to != kNoNode && Visit(edges_[index])) queue.push_back(edges_[index].to);
    }
  }
}

void Graph::Prune() {
  for (NodeIndex i = 1; i < nodes_.size(); ++i) {
    pruned_[i] = nodes_[i].extraneous;
  }
  Connect();
  ComputeBundles();
}

// A package is bundled where the package in whose node_modules it lies names it, or where a bundled one asks for it and
// finds it there. All that lies in a bundled package is bundled too.
void Graph::ComputeBundles() {
  bundlers_.assign(nodes_.size(), kNoNode);
  std::vector<NodeIndex> bundling;
  for (NodeIndex i = 1; i < nodes_.size(); ++i) {
    if (!pruned_[i] && !nodes_[i].entry->bundled.empty()) bundling.push_back(i);
  }
  if (bundling.empty()) return;
  std::vector<std::vector<NodeIndex>> children(nodes_.size());
  for (NodeIndex i = 1; i < nodes_.size(); ++i) {
    if (!pruned_[i]) children[nodes_[i].parent].push_back(i);
  }
  // Outer packages first: what they bring along brings nothing of its own.
  std::stable_sort(bundling.begin(), bundling.end(), [&](NodeIndex a, NodeIndex b) {
    return nodes_[a].entry->path.size() < nodes_[b].entry->path.size();
  });
  for (const NodeIndex bundler : bundling) {
    if (bundlers_[bundler] != kNoNode) continue;
    std::vector<NodeIndex> queue;
    const auto mark = [&](NodeIndex node) {
      if (bundlers_[node] != kNoNode) return;
      bundlers_[node] = bundler;
      queue.push_back(node);
    };
    const auto& named = nodes_[bundler].entry->bundled;
    for (const NodeIndex child : children[bundler]) {
      if (std::find(named.begin(), named.end(), nodes_[child].entry->name) != named.end()) mark(child);
    }
    while (!queue.empty()) {
      const NodeIndex at = queue.back();
      queue.pop_back();
      for (const NodeIndex child : children[at]) mark(child);
      for (const std::size_t index : nodes_[at].out) {
        const NodeIndex to = edges_[index].to;
        if (to != kNoNode && nodes_[to].parent == bundler) mark(to);
      }
    }
  }
}

}  // namespace piship
