// SPDX-License-Identifier: MIT
#include "bundle/output.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "model/names.h"

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
  return path + std::string(chunk.substr(std::string_view("app/").size()));
}

// "x-HASH" of "x-HASH.mjs".
std::string StemOf(std::string_view chunk) {
  const std::string_view name = FileName(chunk);
  return std::string(name.substr(0, name.rfind('.')));
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
    PISHIP_CHECK(AddPackageJson());
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

  // The files of modules of CommonJS that something import()s.
  std::set<std::string, std::less<>> CommonJsChunks() const {
    std::set<std::string, std::less<>> chunks;
    for (const auto& [path, output] : request_.metafile->outputs) {
      const auto input = request_.metafile->inputs.find(output.entry_point);
      if (output.entry_point == kRootsModule || input == request_.metafile->inputs.end()) continue;
      if (input->second.format == "cjs") chunks.emplace(FileName(path));
    }
    return chunks;
  }

  Status AddChunks() {
    const auto of_commonjs = CommonJsChunks();
    for (const auto& [path, output] : request_.metafile->outputs) {
      if (output.entry_point == kRootsModule) continue;
      PISHIP_TRY(const std::string text, ReadFile(JoinPath(request_.tree, path)));
      if (path.ends_with(kLegal)) {
        if (std::find(legal_.begin(), legal_.end(), text) == legal_.end()) legal_.push_back(text);
        continue;
      }
      if (!output.entry_point.empty()) chunk_of_[output.entry_point] = &*request_.metafile->outputs.find(path);
      app_.chunks.push_back(path);
      std::string finished = UseNamespaces(FinishChunk(text), of_commonjs);
      if (of_commonjs.contains(FileName(path))) finished = AddNamespace(finished);
      PISHIP_CHECK(Add(path, finished, FileMode::kPlain));
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
    std::string place = FromPlace(path, chunk->second->first);
    const Facts* facts = request_.ledger->Find(path);
    const bool is_module = facts == nullptr || facts->format == Format::kModule;
    app_.bundled.push_back(path);
    if (!is_module && why.reason == "program") {
      return Add(path, ProgramOfCommonJs(hashbang, place, request_.program_may_require), entry.mode);
    }
    const bool from_elsewhere =
        why.reason == "public" || (why.reason == "located" && PackageOf(why.subject) != PackageOf(path));
    if (from_elsewhere && (facts == nullptr || !facts->awaits)) {
      PISHIP_TRY(place, AddRequirable(chunk->second->first));
    }
    return Add(path, ForwardingModule(hashbang, place, chunk->second->second.exports), entry.mode);
  }

  // Loaders that transpile what is required (jiti) would make a second instance of the whole bundle. They leave .cjs to
  // the engine, and get that one by the condition with which they resolve. Returns the specifier.
  Result<std::string> AddRequirable(const std::string& chunk) {
    const std::string stem = StemOf(chunk);
    if (requirable_.insert(stem).second) {
      const std::string text = "module.exports = require(" + json::Quote("./" + stem + ".mjs") + ");\n";
      const std::string path = std::string(kBundleDirectory) + '/' + stem + ".cjs";
      app_.chunks.push_back(path);
      PISHIP_CHECK(Add(path, text, FileMode::kPlain));
    }
    return std::string(kBundlePackage) + '/' + stem;
  }

  // What the specifiers mean.
  Status AddPackageJson() {
    if (requirable_.empty()) return {};
    json::Value exports = json::Value::Object();
    for (const std::string& stem : requirable_) {
      json::Value conditions = json::Value::Object();
      conditions.Set("import", "./" + stem + ".mjs");
      conditions.Set("require", "./" + stem + ".cjs");
      exports.Set("./" + stem, std::move(conditions));
    }
    json::Value package = json::Value::Object();
    package.Set("exports", std::move(exports));
    package.Set("name", std::string(kBundlePackage));
    const std::string path = std::string(kBundleDirectory) + "/package.json";
    app_.chunks.push_back(path);
    return Add(path, json::Canonical(package), FileMode::kPlain);
  }

  const OutputRequest& request_;
  const Store& store_;
  BundledApp app_;
  std::set<std::string> requirable_;  // names of chunks
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

std::string AddNamespace(std::string_view text) {
  constexpr std::string_view kExport = "\nexport default ";
  const std::size_t at = text.rfind(kExport);
  if (at == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, at)) +
         "\nconst __piship_exports = " + std::string(text.substr(at + kExport.size())) +
         R"js(export default __piship_exports;
const __piship_names = new Set(["default"]);
if (__piship_exports !== null && (typeof __piship_exports === "object" || typeof __piship_exports === "function")) {
  for (const name of Object.keys(__piship_exports)) __piship_names.add(name);
  if (Object.hasOwn(__piship_exports, "__esModule")) __piship_names.add("__esModule");
}
export const __piship_namespace = Object.defineProperty({ __proto__: null }, Symbol.toStringTag, { value: "Module" });
for (const name of [...__piship_names].sort()) {
  const get = () => name === "default" ? __piship_exports : __piship_exports[name];
  Object.defineProperty(__piship_namespace, name, { enumerable: true, get });
}
Object.freeze(__piship_namespace);
)js";
}

std::string UseNamespaces(std::string_view text, const std::set<std::string, std::less<>>& chunks) {
  constexpr std::string_view kImport = "import(\"./";
  constexpr std::string_view kEnd = "\")";
  std::string out;
  for (;;) {
    const std::size_t at = text.find(kImport);
    const std::size_t end = at == std::string_view::npos ? at : text.find(kEnd, at);
    if (end == std::string_view::npos) return out.append(text);
    const std::size_t name = at + kImport.size();
    out.append(text.substr(0, end + kEnd.size()));
    if (chunks.contains(text.substr(name, end - name))) out += ".then((module) => module.__piship_namespace)";
    text.remove_prefix(end + kEnd.size());
  }
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
