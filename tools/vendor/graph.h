// SPDX-License-Identifier: MIT
// The packages of a lock as a graph: who lies in whose node_modules, and which entry answers each dependency.
//
// Names are resolved as Node does: from a package's own node_modules upwards. Flags follow from the edges alone, as npm
// computes them before it installs:
//   extraneous   nothing but optional peer dependencies leads here from the project
//   development  every way here begins with a development dependency
//   optional     every way here passes an optional dependency
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vendor/lockfile.h"

namespace piship {

using NodeIndex = std::size_t;
inline constexpr NodeIndex kProject = 0;
inline constexpr NodeIndex kNoNode = static_cast<NodeIndex>(-1);

struct Edge {
  NodeIndex from = kNoNode;
  NodeIndex to = kNoNode;  // kNoNode: nothing answers
  const Dependency* dependency = nullptr;
};

struct Node {
  const LockEntry* entry = nullptr;  // null: the project
  NodeIndex parent = kNoNode;
  std::vector<std::size_t> out;  // indexes of edges
  std::vector<std::size_t> in;
  bool extraneous = true;
  bool development = true;
  bool optional = true;
};

class Graph {
 public:
  // Both must outlive the graph; every entry's parent must have an entry.
  Graph(const Manifest& manifest, const Lockfile& lockfile);

  const std::vector<Node>& nodes() const { return nodes_; }  // the project first, then in the order of the lock
  const Edge& edge(std::size_t index) const { return edges_[index]; }
  const std::vector<Edge>& edges() const { return edges_; }
  // The node at that path, or kNoNode.
  NodeIndex Find(std::string_view path) const;
  // What `name` means to code of the node.
  NodeIndex Resolve(NodeIndex from, std::string_view name) const;
  // "package.json" or the entry's path in quotes.
  std::string Describe(NodeIndex node) const;

  // Takes the extraneous nodes out: nothing resolves to them and their own edges are gone.
  void Prune();
  // The package whose tarball brings this node along, or kNoNode.
  NodeIndex BundlerOf(NodeIndex node) const { return bundlers_[node]; }

 private:
  void Connect();
  void ComputeFlags();
  bool Visit(const Edge& edge);
  void ComputeBundles();

  const Manifest& manifest_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<bool> pruned_;
  std::vector<NodeIndex> bundlers_;
  std::unordered_map<std::string_view, NodeIndex> by_path_;
};

}  // namespace piship
