// SPDX-License-Identifier: MIT
// What a package's own files say about which of them run. docs/formats/strip-report.md has the rules and the reasons.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/inventory.h"
#include "store/store.h"
#include "strip/file_kind.h"

namespace piship::strip {

struct PackageFile {
  std::string_view path;  // relative to the package
  const InventoryEntry* entry = nullptr;
  FileKind kind = FileKind::kOther;
};

struct Facts {
  std::vector<std::string> not_maps;  // the *.map files that are no source maps, sorted
  std::string declarations_named_by;  // the file whose code mentions a declaration's name; empty: none does
  std::string typescript_reason;      // why TypeScript sources stay; empty: nothing reaches them
  std::string typescript_subject;     // the file that made the decision, where one did
};

// Reads what is needed out of the store, or recalls what was found before in a package with the very same files.
Result<Facts> ScanPackage(const std::vector<PackageFile>& files, const Store& store);

// Whether code mentions the name of a declaration, also in the way of a regular expression.
bool MentionsDeclaration(std::string_view code);
// Whether code mentions a TypeScript file's ending or a program that loads such files.
bool MentionsTypeScript(std::string_view code);
// Whether code names a directory: `name` before a slash or a quote.
bool MentionsDirectory(std::string_view code, std::string_view name);

// The memo's text and back; false where the text is none.
std::string FactsText(const Facts& facts);
bool ParseFacts(std::string_view text, Facts& facts);

}  // namespace piship::strip
