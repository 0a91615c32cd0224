// SPDX-License-Identifier: MIT
// What is known about each module: from its text, and from what esbuild said about it. The plan follows from these
// facts alone, so a build that remembers them needs one run of esbuild, and gives what one that remembers nothing
// gives.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "bundle/esbuild.h"
#include "bundle/module_text.h"
#include "bundle/resolve.h"
#include "model/inventory.h"
#include "store/store.h"

namespace piship::bundle {

struct Facts {
  Digest digest;  // of the original text
  Format format = Format::kCommonJs;
  unsigned mentions = 0;
  Literals literals;
  std::vector<Import> imports;  // known once a run has got through
  std::vector<Edit> edits;      // computed imports, and imports that nothing resolves
  std::vector<std::string> unresolved;
  std::vector<std::string> optional;  // unresolved too, and its code is prepared for that
  bool other_requires = false;        // `require` is used otherwise than with one string
  bool seen = false;                  // by esbuild, with its own text, so that it has said what there is to say
  bool awaits = false;                // at its top level, or a module that it imports does
  std::string error;                  // why esbuild can't take it; empty where it can
  bool operator==(const Facts&) const = default;

  bool HasComputedImport() const;
  bool NeedsRewrite() const;
};

inline constexpr std::string_view kComputedImport = "__piship_import";
inline constexpr std::string_view kMissingPrefix = "piship-missing:";
inline constexpr std::string_view kPlaceModule = "piship/place.mjs";
inline constexpr std::string_view kRootsModule = "piship/roots.cjs";
// A package, below node_modules: the engine is as quiet about what its modules do as it was about the packages'.
inline constexpr std::string_view kBundlePackage = "@piship/bundle";
inline constexpr std::string_view kBundleDirectory = "app/node_modules/@piship/bundle";

class Ledger {
 public:
  Ledger(const Inventory& tree, const Store& store, Resolver& resolver)
      : tree_(tree), store_(store), resolver_(resolver) {}

  // What an earlier build knew, under the same key, about files that are the same; a state that can't be read is none.
  void Load(const std::string& file, const Digest& key);
  Status Save(const std::string& file, const Digest& key) const;

  const Facts* Find(const std::string& path) const;
  // The same, and what the text alone tells about a module of which esbuild has not spoken: about one of which the name
  // does not tell the format, nothing.
  Result<const Facts*> FindOrRead(const std::string& path);
  // Of any module file, whether anything is known about it or not.
  Result<Literals> LiteralsOf(const std::string& path);
  const std::map<std::string, Facts>& all() const { return facts_; }

  // Takes in what a run has said. True where that was news. `rewritten` are the modules that had another text than
  // their own, which had said everything before.
  Result<bool> Learn(const std::vector<Message>& messages, const std::set<std::string>& rewritten);
  Result<bool> Learn(const Metafile& metafile, const std::set<std::string>& rewritten);
  // esbuild makes an asynchronous function of each module that awaits, or imports one which does.
  bool LearnAwaits(std::string_view chunk);

 private:
  Result<Facts*> Get(const std::string& path, std::string_view format);
  Status LearnOne(const Message& message);

  const Inventory& tree_;
  const Store& store_;
  Resolver& resolver_;
  std::map<std::string, Facts> facts_;
  std::map<std::string, Literals> read_;  // of files that nothing reaches
};

// A file that is a module by its name.
bool IsModuleFile(std::string_view path);

}  // namespace piship::bundle
