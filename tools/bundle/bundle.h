// SPDX-License-Identifier: MIT
// piship-bundle: the application's modules become a few files, made by esbuild. docs/adr/0016 says how and why,
// docs/formats/bundle-report.md what is reported.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/entry.h"

namespace piship::bundle {

// As the command line gives them; names of files unless said otherwise.
struct Options {
  std::optional<std::string> packages;  // an inventory of node_modules/...
  std::vector<std::string> sources;     // inventories of the application's own files
  std::optional<std::string> package_json;
  EntryRequest entry;
  std::vector<std::string> public_modules;  // specifiers
  std::vector<std::string> keep;            // patterns of paths below app/
  std::vector<std::string> external;        // specifiers, where '*' stands for anything
  std::string engines;                      // the range of versions that may run it
  std::string platform;                     // that of the payload
  bool prune = false;
  bool strict = false;
  std::string bundler;  // the inventory of esbuild
  std::string store;
  std::string work;  // a directory of this edge's own, kept between builds
  std::string output;
  std::string report;
  std::string depfile;
};

Status Run(Options options);

}  // namespace piship::bundle
