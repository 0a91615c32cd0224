// SPDX-License-Identifier: MIT
// What goes into the bundle, what stays a file, and which old places get a forwarding module: from the facts alone.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/facts.h"
#include "model/glob.h"

namespace piship::bundle {

// A stable code (docs/formats/bundle-report.md) and the file that made the decision; empty where it is an option.
struct Why {
  std::string reason;
  std::string subject;
  bool operator==(const Why&) const = default;
};

struct Plan {
  std::map<std::string, Why> entries;  // modules that can be loaded from their old places
  std::map<std::string, Why> kept;     // modules that stay files
  std::set<std::string> copied;        // modules of the bundle that stay files as well
  std::set<std::string> reached;       // all modules that the application may load, as far as is known
  std::set<std::string> located;       // files of any kind that code names
  std::vector<std::string> roots;      // what roots.cjs requires, so that esbuild wraps it (see plan.cc)
  bool operator==(const Plan&) const = default;
};

struct PlanRequest {
  std::string program;               // the file that the distribution starts
  std::vector<std::string> publics;  // the files behind PUBLIC_MODULES
  bool prune = false;                // modules that nothing reaches go
};

// `keep` has whole paths below app/. The ledger learns what the texts of modules that stay files say.
Result<Plan> MakePlan(const PlanRequest& request, Ledger& ledger, Resolver& resolver, const Inventory& tree,
                      GlobSet& keep);

}  // namespace piship::bundle
