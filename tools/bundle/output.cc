// SPDX-License-Identifier: MIT
#include "bundle/output.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/files.h"
#include "base/json.h"

namespace piship::bundle {
namespace {

constexpr std::string_view kLegal = ".LEGAL.txt";

bool IsIdentifier(std::string_view name) {
  const auto is_start = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
  return !name.empty() && is_start(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_start(c) || (c >= '0' && c <= '9'); });
}

// The path to `chunk`, a file of the bundle's directory, as seen from the file `from`.
std::string FromPlace(std::string_view from, std::string_view chunk) {
  const auto depth = static_cast<std::size_t>(std::count(from.begin(), from.end(), '/'));
  std::string path = depth == 1 ? "./" : "";
  for (std::size_t level = 1; level < depth; ++level) path += "../";
  return path + ".bundle/" + std::string(FileName(chunk));
}

// "#!/usr/bin/env node\n" or nothing.
std::string_view HashbangOf(std::string_view text) {
  if (!text.starts_with("#!")) return {};
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

// What a program of CommonJS becomes: it stays the engine's main module.
std::string ProgramOfCommonJs(std::string_view hashbang, const std::string& chunk, bool may_require) {
  const std::string name = json::Quote(chunk);
  if (may_require) return std::string(hashbang) + "module.exports = require(" + name + ").default;\n";
  return std::string(hashbang) + "import(" + name + ").catch((error) => setImmediate(() => { throw error; }));\n";
}

class Maker {
 public:
  Maker(const OutputRequest& request, const Store& store) : request_(request), store_(store) {}

  Result<BundledApp> Make() {
    PISHIP_CHECK(AddChunks());
    PISHIP_CHECK(AddLegal());
    PISHIP_CHECK(AddOldPlaces());
    PISHIP_TRY(app_.inventory, Inventory::FromEntries(std::move(entries_)));
    return std::move(app_);
  }

 private:
  Status Add(const std::string& path, std::string_view bytes, FileMode mode) {
    PISHIP_TRY(const Digest digest, store_.Put(bytes));
    PISHIP_TRY(RelativePath parsed, RelativePath::Parse(path));
    entries_.push_back({digest, bytes.size(), mode, std::move(parsed)});
    return {};
  }

  Status AddChunks() {
    for (const auto& [path, output] : request_.metafile->outputs) {
      if (output.entry_point == kRootsModule) continue;
      PISHIP_TRY(const std::string text, ReadFile(JoinPath(request_.tree, path)));
      if (path.ends_with(kLegal)) {
        if (std::find(legal_.begin(), legal_.end(), text) == legal_.end()) legal_.push_back(text);
        continue;
      }
      if (!output.entry_point.empty()) chunk_of_[output.entry_point] = &*request_.metafile->outputs.find(path);
      app_.chunks.push_back(path);
      PISHIP_CHECK(Add(path, FinishChunk(text), FileMode::kPlain));
    }
    return {};
  }

  Status AddLegal() {
    if (legal_.empty()) return {};
    std::string all;
    for (const std::string& text : legal_) all += text + (text.ends_with('\n') ? "" : "\n");
    return Add(std::string(kBundleDirectory) + "/LICENSES.txt", all, FileMode::kPlain);
  }

  // Every file of the application: as it is, forwarded, or left out because it is a module of the bundle.
  Status AddOldPlaces() {
    for (const InventoryEntry& entry : request_.app->entries()) {
      const std::string& path = entry.path.str();
      if (const auto forwarded = request_.plan->entries.find(path); forwarded != request_.plan->entries.end()) {
        PISHIP_CHECK(Forward(entry, forwarded->second));
      } else if (request_.metafile->inputs.contains(path) && IsModuleFile(path)) {
        app_.bundled.push_back(path);
        if (request_.plan->copied.contains(path)) entries_.push_back(entry);
      } else {
        entries_.push_back(entry);
      }
    }
    return {};
  }

  Status Forward(const InventoryEntry& entry, const Why& why) {
    const std::string& path = entry.path.str();
    const auto chunk = chunk_of_.find(path);
    if (chunk == chunk_of_.end()) {
      return Fail(ErrorCode::kBundlerFailed, "esbuild has written no file for the entry '" + path + "'");
    }
    PISHIP_TRY(const std::string original, store_.Read(entry.digest, entry.size));
    const std::string_view hashbang = HashbangOf(original);
    const std::string place = FromPlace(path, chunk->second->first);
    const Facts* facts = request_.ledger->Find(path);
    const bool is_module = facts == nullptr || facts->format == Format::kModule;
    app_.bundled.push_back(path);
    if (!is_module && why.reason == "program") {
      return Add(path, ProgramOfCommonJs(hashbang, place, request_.program_may_require), entry.mode);
    }
    return Add(path, ForwardingModule(hashbang, place, chunk->second->second.exports), entry.mode);
  }

  const OutputRequest& request_;
  const Store& store_;
  BundledApp app_;
  std::vector<InventoryEntry> entries_;
  std::vector<std::string> legal_;
  std::map<std::string, const std::pair<const std::string, Output>*> chunk_of_;
};

}  // namespace

Result<BundledApp> MakeOutput(const OutputRequest& request, const Store& store) { return Maker(request, store).Make(); }

std::string FinishChunk(std::string_view text) {
  // esbuild's own stand-in for require, which refuses; a module of ESM has none.
  constexpr std::string_view kBegin = "var __require = /* @__PURE__ */ ((x) => typeof require !==";
  constexpr std::string_view kEnd = "is not supported');\n});\n";
  std::string out(text);
  if (const std::size_t begin = out.find(kBegin); begin != std::string::npos) {
    if (const std::size_t end = out.find(kEnd, begin); end != std::string::npos) {
      out.replace(begin, end + kEnd.size() - begin, "var __require = __piship_create_require(import.meta.url);\n");
      out.insert(HashbangOf(out).size(), "import { createRequire as __piship_create_require } from \"node:module\";\n");
    }
  }
  for (std::size_t at = out.find(kMissingPrefix); at != std::string::npos; at = out.find(kMissingPrefix, at)) {
    out.erase(at, kMissingPrefix.size());
  }
  return out;
}

std::string ForwardingModule(std::string_view first_line, std::string_view chunk,
                             const std::vector<std::string>& exports) {
  const std::string from = json::Quote(chunk);
  if (exports.empty()) return std::string(first_line) + "import " + from + ";\n";
  std::string names;
  for (const std::string& name : exports) {
    names += (names.empty() ? " " : ", ") + (IsIdentifier(name) ? name : json::Quote(name));
  }
  return std::string(first_line) + "export {" + names + " } from " + from + ";\n";
}

}  // namespace piship::bundle
