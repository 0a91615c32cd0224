// SPDX-License-Identifier: MIT
// Declarations are for compilers, so they can go, unless the package is one: then its code mentions "lib.es5.d.ts" or
// builds such names. A mention is looked for in everything of the package that can run or be read by what runs; not in
// package.json (its "types" always mention one), source maps, documentation and other declarations.
//
// TypeScript sources are another matter: programs do run them, through loaders. Node itself refuses TypeScript below
// node_modules (ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING), so what could reach a source is a loader (jiti, tsx, ...)
// that is led to it, or code that reads it as text. It is certain that neither happens when all of this holds:
// - the package has JavaScript, so it does not live by its TypeScript;
// - its manifest closes it to the outside and leads to no source (manifest.cc), and it is no extension, which Pi's own
//   loader runs from source;
// - none of its own code mentions the ending of a TypeScript file or a loader;
// - the sources lie in top-level directories of their own, without any JavaScript, and none of its own code names one
// of
//   these directories, so no path that it could make, with an ending or without, leads there.
// Anything else stays. All or none of a package's sources go, because they import each other.
#include "strip/package_scan.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <set>

#include "strip/manifest.h"
#include "strip/source_map.h"

namespace piship::strip {
namespace {

// Part of every memo's key: a changed rule must not meet old answers.
constexpr std::string_view kScanVersion = "strip-scan 1\n";

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// Calls `found(rest)` with the text behind each occurrence of `needle` until it says true.
template <class Found>
bool AnyOccurrence(std::string_view text, std::string_view needle, const Found& found) {
  while (!text.empty()) {
    // memmem is several times faster here than string_view::find.
    const void* at = memmem(text.data(), text.size(), needle.data(), needle.size());
    if (at == nullptr) return false;
    text.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) + needle.size());
    if (found(text)) return true;
  }
  return false;
}

bool Occurs(std::string_view text, std::string_view needle) {
  return !text.empty() && memmem(text.data(), text.size(), needle.data(), needle.size()) != nullptr;
}

std::string_view TopDirectory(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

class Scan {
 public:
  Scan(const std::vector<PackageFile>& files, const Store& store) : files_(files), store_(store) {}

  Result<Facts> Run() {
    for (const PackageFile& file : files_) {
      if (file.kind == FileKind::kDeclaration) look_for_declarations_ = true;
      if (file.kind == FileKind::kTypeScript) sources_.push_back(file.path);
      if (file.kind == FileKind::kMap) PISHIP_CHECK(CheckMap(file));
    }
    if (!sources_.empty()) PISHIP_CHECK(CheckLayout());
    if (!look_for_declarations_ && !LooksForTypeScript()) return std::move(facts_);
    for (const PackageFile& file : files_) {
      if (!look_for_declarations_ && !LooksForTypeScript()) break;
      PISHIP_CHECK(CheckCode(file));
    }
    return std::move(facts_);
  }

 private:
  bool LooksForTypeScript() const { return !sources_.empty() && facts_.typescript_reason.empty(); }

  void KeepTypeScript(std::string_view reason, std::string_view subject) {
    facts_.typescript_reason = reason;
    facts_.typescript_subject = subject;
  }

  Status Read(const PackageFile& file) { return store_.ReadInto(file.entry->digest, file.entry->size, text_); }

  Status CheckMap(const PackageFile& file) {
    PISHIP_CHECK(Read(file));
    if (!IsSourceMap(text_)) facts_.not_maps.emplace_back(file.path);
    return {};
  }

  // What the names and the manifest tell about the sources.
  Status CheckLayout() {
    const PackageFile* manifest = nullptr;
    bool has_javascript = false;
    std::set<std::string_view> with_code;
    for (const PackageFile& file : files_) {
      if (file.path == "package.json") manifest = &file;
      const bool javascript = file.path.ends_with(".js") || file.path.ends_with(".mjs") || file.path.ends_with(".cjs");
      has_javascript |= javascript;
      if (file.kind == FileKind::kCode && !file.path.ends_with(".json")) with_code.insert(TopDirectory(file.path));
    }
    if (!has_javascript) {
      KeepTypeScript("typescript-only", "");
      return {};
    }
    if (manifest == nullptr) {
      KeepTypeScript("typescript-manifest-unreadable", "package.json");
      return {};
    }
    for (const std::string_view source : sources_) {
      const std::string_view top = TopDirectory(source);
      if (top.empty() || with_code.contains(top)) {
        KeepTypeScript("typescript-beside-code", source);
        return {};
      }
      directories_.insert(top);
    }
    PISHIP_CHECK(Read(*manifest));
    const std::string_view why = WhyManifestKeepsTypeScript(text_, sources_);
    if (!why.empty()) KeepTypeScript(why, "package.json");
    return {};
  }

  // The sources themselves may mention each other: where nothing else leads to them, that leads nowhere.
  Status CheckCode(const PackageFile& file) {
    const bool deeper_manifest = file.kind == FileKind::kManifest && file.path != "package.json";
    const bool typescript = LooksForTypeScript() && (file.kind == FileKind::kCode || deeper_manifest);
    const bool declarations =
        look_for_declarations_ && (file.kind == FileKind::kCode || file.kind == FileKind::kTypeScript);
    if (!typescript && !declarations) return {};
    PISHIP_CHECK(Read(file));
    if (declarations && MentionsDeclaration(text_)) {
      facts_.declarations_named_by = file.path;
      look_for_declarations_ = false;
    }
    if (!typescript) return {};
    if (MentionsTypeScript(text_)) {
      KeepTypeScript("typescript-named-by-code", file.path);
    } else if (std::any_of(directories_.begin(), directories_.end(),
                           [&](std::string_view directory) { return MentionsDirectory(text_, directory); })) {
      KeepTypeScript("typescript-directory-named-by-code", file.path);
    }
    return {};
  }

  const std::vector<PackageFile>& files_;
  const Store& store_;
  Facts facts_;
  std::string text_;
  std::vector<std::string_view> sources_;
  std::set<std::string_view> directories_;
  bool look_for_declarations_ = false;
};

std::string MemoKey(const std::vector<PackageFile>& files) {
  std::string key(kScanVersion);
  for (const PackageFile& file : files) {
    file.entry->digest.AppendHex(key);
    key += ' ';
    key += file.path;
    key += '\n';
  }
  return key;
}

}  // namespace

bool MentionsDeclaration(std::string_view code) {
  return AnyOccurrence(code, ".d", [](std::string_view rest) {
    if (rest.starts_with('\\')) rest.remove_prefix(1);
    if (!rest.starts_with('.')) return false;
    rest.remove_prefix(1);
    // The last four build the name: ".d.[cm]?ts", ".d.(c|m)ts", `.d.${ending}`, ".d." + ending
    for (const std::string_view end : {"ts", "mts", "cts", "[", "(", "$", "\"", "'", "`", "{"}) {
      if (rest.starts_with(end)) return true;
    }
    return false;
  });
}

bool MentionsTypeScript(std::string_view code) {
  for (const std::string_view ending : {".ts", ".mts", ".cts"}) {
    const bool mentioned = AnyOccurrence(code, ending, [](std::string_view rest) {
      return rest.empty() || !IsWordCharacter(rest.front()) || rest.front() == 'x';
    });
    if (mentioned) return true;
  }
  // Endings without their dot or as patterns, and the loaders.
  for (const std::string_view needle : {"?ts",
                                        ")ts",
                                        "]ts",
                                        "|ts",
                                        "(ts",
                                        "\"ts\"",
                                        "'ts'",
                                        "`ts`",
                                        "\"ts,",
                                        "'ts,",
                                        "jiti",
                                        "tsx",
                                        "ts-node",
                                        "typescript",
                                        "esbuild",
                                        "sucrase",
                                        "@swc/",
                                        "amaro",
                                        "stripTypeScriptTypes",
                                        "strip-types"}) {
    if (Occurs(code, needle)) return true;
  }
  return false;
}

bool MentionsDirectory(std::string_view code, std::string_view name) {
  return AnyOccurrence(code, name, [](std::string_view rest) {
    return !rest.empty() && (rest.front() == '/' || rest.front() == '\\' || rest.front() == '"' ||
                             rest.front() == '\'' || rest.front() == '`');
  });
}

std::string FactsText(const Facts& facts) {
  std::string text;
  for (const std::string& path : facts.not_maps) text += "not-a-map " + path + "\n";
  if (!facts.declarations_named_by.empty()) text += "declarations " + facts.declarations_named_by + "\n";
  if (!facts.typescript_reason.empty()) {
    text += "typescript " + facts.typescript_reason + " " + facts.typescript_subject + "\n";
  }
  return text;
}

bool ParseFacts(std::string_view text, Facts& facts) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t space = line.find(' ');
    if (end == std::string_view::npos || space == std::string_view::npos) return false;
    const std::string_view word = line.substr(0, space);
    const std::string_view rest = line.substr(space + 1);
    if (word == "not-a-map") {
      facts.not_maps.emplace_back(rest);
    } else if (word == "declarations") {
      facts.declarations_named_by = rest;
    } else if (word == "typescript" && rest.find(' ') != std::string_view::npos) {
      facts.typescript_reason = rest.substr(0, rest.find(' '));
      facts.typescript_subject = rest.substr(rest.find(' ') + 1);
    } else {
      return false;
    }
    text.remove_prefix(end + 1);
  }
  return true;
}

Result<Facts> ScanPackage(const std::vector<PackageFile>& files, const Store& store) {
  const bool any = std::any_of(files.begin(), files.end(), [](const PackageFile& file) {
    return file.kind == FileKind::kMap || file.kind == FileKind::kDeclaration || file.kind == FileKind::kTypeScript;
  });
  if (!any) return Facts{};
  const std::string key = MemoKey(files);
  if (const auto remembered = store.Recall("strip", key)) {
    Facts facts;
    if (ParseFacts(*remembered, facts)) return facts;
  }
  PISHIP_TRY(Facts facts, Scan(files, store).Run());
  // Best effort: a store that can't be written costs time, not the result.
  static_cast<void>(store.Remember("strip", key, FactsText(facts)));
  return facts;
}

}  // namespace piship::strip
