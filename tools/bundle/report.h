// SPDX-License-Identifier: MIT
// What became of every package, and why: docs/formats/bundle-report.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/facts.h"
#include "bundle/output.h"
#include "bundle/plan.h"
#include "model/inventory.h"

namespace piship::bundle {

struct ReportRequest {
  const Inventory* input = nullptr;  // paths app/...
  const BundledApp* output = nullptr;
  const Plan* plan = nullptr;
  const Ledger* ledger = nullptr;
  const Metafile* metafile = nullptr;
  const std::map<std::string, std::string>* pruned = nullptr;  // paths and reasons
  std::string esbuild;                                         // the digest of the program
};

// Canonical JSON.
std::string ReportText(const ReportRequest& request);

// The modules that stayed files although nobody asked for it, each with its reason: what strict bundles refuse.
std::vector<std::string> UnexpectedKeeps(const Plan& plan);

}  // namespace piship::bundle
