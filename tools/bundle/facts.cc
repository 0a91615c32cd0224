// SPDX-License-Identifier: MIT
#include "bundle/facts.h"

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/json.h"

namespace piship::bundle {
namespace {

constexpr std::string_view kCouldNotResolve = "Could not resolve \"";
constexpr std::string_view kAllowed = "Importing \"";
constexpr std::string_view kNoLoader = "No loader is configured for ";

std::string Quoted(std::string_view text, std::string_view before) {
  if (!text.starts_with(before)) return {};
  text.remove_prefix(before.size());
  return std::string(text.substr(0, text.find('"')));
}

void AddOnce(std::vector<std::string>& list, const std::string& text) {
  const auto at = std::lower_bound(list.begin(), list.end(), text);
  if (at == list.end() || *at != text) list.insert(at, text);
}

void AddEdit(Facts& facts, Edit edit) {
  const auto at = std::lower_bound(facts.edits.begin(), facts.edits.end(), edit);
  if (at == facts.edits.end() || *at != edit) facts.edits.insert(at, std::move(edit));
}

json::Value Strings(const std::vector<std::string>& list) {
  json::Value value = json::Value::Array();
  for (const std::string& text : list) value.Append(text);
  return value;
}

std::vector<std::string> StringsOf(const json::Value& object, std::string_view name) {
  std::vector<std::string> list;
  const json::Value* value = object.Find(name);
  if (value == nullptr || !value->is(json::Kind::kArray)) return list;
  for (const json::Value& item : value->array()) {
    if (item.is(json::Kind::kString)) list.push_back(item.string());
  }
  return list;
}

std::int64_t IntegerOf(const json::Value& object, std::string_view name) {
  const json::Value* value = object.Find(name);
  return value != nullptr && value->is(json::Kind::kInteger) ? value->integer() : 0;
}

std::string StringOf(const json::Value& object, std::string_view name) {
  const json::Value* value = object.Find(name);
  return value != nullptr && value->is(json::Kind::kString) ? value->string() : std::string();
}

constexpr std::int64_t kOther = 1;
constexpr std::int64_t kAwaits = 2;
constexpr std::int64_t kIsModule = 4;
constexpr std::int64_t kSeen = 8;

json::Value ToJson(const Facts& facts) {
  json::Value value = json::Value::Object();
  value.Set("digest", facts.digest.Hex());
  value.Set("flags", (facts.other_requires ? kOther : 0) | (facts.awaits ? kAwaits : 0) |
                         (facts.format == Format::kModule ? kIsModule : 0) | (facts.seen ? kSeen : 0));
  if (facts.mentions != 0) value.Set("mentions", static_cast<std::int64_t>(facts.mentions));
  if (!facts.error.empty()) value.Set("error", facts.error);
  if (!facts.literals.imported.empty()) value.Set("imported", Strings(facts.literals.imported));
  if (!facts.literals.dynamic.empty()) value.Set("dynamic", Strings(facts.literals.dynamic));
  if (!facts.literals.required.empty()) value.Set("required", Strings(facts.literals.required));
  if (!facts.literals.others.empty()) value.Set("literals", Strings(facts.literals.others));
  if (!facts.unresolved.empty()) value.Set("unresolved", Strings(facts.unresolved));
  if (!facts.optional.empty()) value.Set("optional", Strings(facts.optional));
  json::Value imports = json::Value::Array();
  for (const Import& import : facts.imports) {
    imports.Append(import.path).Append(import.kind).Append(std::int64_t{import.external ? 1 : 0});
  }
  if (!facts.imports.empty()) value.Set("imports", std::move(imports));
  json::Value edits = json::Value::Array();
  for (const Edit& edit : facts.edits) {
    edits.Append(std::int64_t{edit.line}).Append(std::int64_t{edit.column}).Append(edit.old_text).Append(edit.new_text);
  }
  if (!facts.edits.empty()) value.Set("edits", std::move(edits));
  return value;
}

bool ItemsAre(const std::vector<json::Value>& items, std::size_t at, const std::vector<json::Kind>& kinds) {
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    if (!items[at + index].is(kinds[index])) return false;
  }
  return true;
}

// False where the value is not what ToJson makes.
bool FromJson(const json::Value& value, Facts& facts) {
  if (!Digest::Decode(StringOf(value, "digest"), facts.digest)) return false;
  const std::int64_t flags = IntegerOf(value, "flags");
  facts.other_requires = (flags & kOther) != 0;
  facts.awaits = (flags & kAwaits) != 0;
  facts.seen = (flags & kSeen) != 0;
  facts.format = (flags & kIsModule) != 0 ? Format::kModule : Format::kCommonJs;
  facts.mentions = static_cast<unsigned>(IntegerOf(value, "mentions"));
  facts.error = StringOf(value, "error");
  facts.literals = {StringsOf(value, "imported"), StringsOf(value, "dynamic"), StringsOf(value, "required"),
                    StringsOf(value, "literals")};
  facts.unresolved = StringsOf(value, "unresolved");
  facts.optional = StringsOf(value, "optional");
  using json::Kind;
  if (const json::Value* imports = value.Find("imports"); imports != nullptr) {
    if (!imports->is(Kind::kArray) || imports->array().size() % 3 != 0) return false;
    const auto& items = imports->array();
    for (std::size_t at = 0; at < items.size(); at += 3) {
      if (!ItemsAre(items, at, {Kind::kString, Kind::kString, Kind::kInteger})) return false;
      facts.imports.push_back({items[at].string(), items[at + 1].string(), items[at + 2].integer() != 0});
    }
  }
  if (const json::Value* edits = value.Find("edits"); edits != nullptr) {
    if (!edits->is(Kind::kArray) || edits->array().size() % 4 != 0) return false;
    const auto& items = edits->array();
    for (std::size_t at = 0; at < items.size(); at += 4) {
      if (!ItemsAre(items, at, {Kind::kInteger, Kind::kInteger, Kind::kString, Kind::kString})) return false;
      facts.edits.push_back({static_cast<std::uint32_t>(items[at].integer()),
                             static_cast<std::uint32_t>(items[at + 1].integer()), items[at + 2].string(),
                             items[at + 3].string()});
    }
  }
  return true;
}

}  // namespace

bool IsModuleFile(std::string_view path) {
  constexpr std::array<std::string_view, 6> kEndings = {".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"};
  if (std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view e) { return path.ends_with(e); })) return true;
  return FileName(path).find('.') == std::string_view::npos;  // programs
}

bool Facts::HasComputedImport() const {
  return std::any_of(edits.begin(), edits.end(), [](const Edit& edit) { return edit.new_text == kComputedImport; });
}

bool Facts::NeedsRewrite() const {
  const unsigned place = format == Format::kModule ? kMentionsMeta : (kMentionsPlace | kMentionsRequire);
  if (!seen) return false;
  return !edits.empty() || other_requires || (mentions & (place | kJsonAttribute)) != 0;
}

void Ledger::Load(const std::string& file, const Digest& key) {
  const auto text = ReadFile(file);
  if (!text) return;
  const auto state = json::Parse(*text, file);
  if (!state || StringOf(*state, "key") != key.Hex()) return;
  const json::Value* modules = state->Find("modules");
  if (modules == nullptr || !modules->is(json::Kind::kObject)) return;
  for (const json::Member& member : modules->object()) {
    Facts facts;
    const InventoryEntry* entry = tree_.Find(member.name);
    if (FromJson(member.value, facts) && entry != nullptr && entry->digest == facts.digest) {
      facts_[member.name] = std::move(facts);
    }
  }
}

Status Ledger::Save(const std::string& file, const Digest& key) const {
  json::Value modules = json::Value::Object();
  for (const auto& [path, facts] : facts_) modules.Set(path, ToJson(facts));
  json::Value state = json::Value::Object();
  state.Set("key", key.Hex());
  state.Set("modules", std::move(modules));
  PISHIP_CHECK(WriteFileIfChanged(file, json::Canonical(state)));
  return {};
}

const Facts* Ledger::Find(const std::string& path) const {
  const auto at = facts_.find(path);
  return at != facts_.end() ? &at->second : nullptr;
}

Result<const Facts*> Ledger::FindOrRead(const std::string& path) {
  if (const Facts* known = Find(path); known != nullptr) return known;
  PISHIP_TRY(const std::optional<Format> by_name, resolver_.FormatOf(path));
  if (!by_name) return nullptr;
  PISHIP_TRY(const Facts* read, Get(path, ""));
  return read;
}

Result<Literals> Ledger::LiteralsOf(const std::string& path) {
  if (const Facts* known = Find(path); known != nullptr) return known->literals;
  const auto [read, is_new] = read_.try_emplace(path);
  if (is_new) {
    const InventoryEntry* entry = tree_.Find(path);
    PISHIP_TRY(const std::string text, store_.Read(entry->digest, entry->size));
    read->second = FindLiterals(text);
  }
  return read->second;
}

// The facts of a module of the application; null for what is none.
Result<Facts*> Ledger::Get(const std::string& path, std::string_view format) {
  const auto known = facts_.find(path);
  if (known != facts_.end()) return &known->second;
  const InventoryEntry* entry = tree_.Find(path);
  if (entry == nullptr || !path.starts_with("app/")) return nullptr;
  Facts facts;
  facts.digest = entry->digest;
  if (IsModuleFile(path)) {
    PISHIP_TRY(const std::string text, store_.Read(entry->digest, entry->size));
    facts.mentions = Mentions(text);
    facts.literals = FindLiterals(text);
    PISHIP_TRY(const std::optional<Format> by_name, resolver_.FormatOf(path));
    facts.format = by_name.value_or(format == "esm" ? Format::kModule : Format::kCommonJs);
  }
  return &(facts_[path] = std::move(facts));
}

Status Ledger::LearnOne(const Message& message) {
  if (message.text.starts_with(kNoLoader)) {
    const std::size_t at = message.text.rfind(": ");
    PISHIP_TRY(Facts * facts, at != std::string::npos ? Get(message.text.substr(at + 2), "") : Result<Facts*>(nullptr));
    if (facts != nullptr) {
      facts->error = message.text.substr(0, at);
      return {};
    }
  }
  PISHIP_TRY(Facts * facts, Get(message.file, ""));
  if (facts == nullptr) {
    if (!message.is_error) return {};
    return Fail(ErrorCode::kBundlerFailed, "esbuild: " + message.text);
  }
  facts->seen = true;
  if (message.id == "unsupported-dynamic-import") {
    AddEdit(*facts, {message.line, message.column, "import", std::string(kComputedImport)});
  } else if (message.id == "unsupported-require-call" || message.id == "indirect-require") {
    facts->other_requires = true;
  } else if (message.id == "ignored-dynamic-import") {
    AddOnce(facts->optional, Quoted(message.text, kAllowed));
  } else if (message.is_error && message.text.starts_with(kCouldNotResolve)) {
    const std::string specifier = Quoted(message.text, kCouldNotResolve);
    AddOnce(facts->unresolved, specifier);
    // Whichever quotes the text has; ApplyEdits compares what lies between them.
    AddEdit(*facts, {message.line, message.column + 1, specifier, std::string(kMissingPrefix) + specifier});
  } else if (message.is_error) {
    facts->error = message.text;
  }
  return {};
}

Result<bool> Ledger::Learn(const std::vector<Message>& messages, const std::set<std::string>& rewritten) {
  const auto before = facts_;
  for (const Message& message : messages) {
    if (message.file == kPlaceModule || rewritten.contains(message.file)) continue;
    PISHIP_CHECK(LearnOne(message));
  }
  return facts_ != before;
}

bool Ledger::LearnAwaits(std::string_view chunk) {
  constexpr std::string_view kBegin = "\n  async \"";
  constexpr std::string_view kEnd = "\"() {\n";
  bool news = false;
  for (std::size_t at = chunk.find(kBegin); at != std::string_view::npos; at = chunk.find(kBegin, at + 1)) {
    const std::size_t begin = at + kBegin.size();
    const std::size_t end = chunk.find('"', begin);
    if (end == std::string_view::npos || chunk.substr(end, kEnd.size()) != kEnd) continue;
    const auto facts = facts_.find(std::string(chunk.substr(begin, end - begin)));
    if (facts == facts_.end() || facts->second.awaits) continue;
    facts->second.awaits = true;
    news = true;
  }
  return news;
}

Result<bool> Ledger::Learn(const Metafile& metafile, const std::set<std::string>& rewritten) {
  bool news = false;
  for (const auto& [path, input] : metafile.inputs) {
    const bool is_new = Find(path) == nullptr;
    PISHIP_TRY(Facts * facts, Get(path, input.format));
    if (facts == nullptr) continue;
    if (!rewritten.contains(path)) facts->seen = true;
    std::vector<Import> imports;
    for (const Import& import : input.imports) {
      if (import.path == kPlaceModule || import.path.starts_with(kMissingPrefix) || import.path == "<runtime>")
        continue;
      imports.push_back(import);
      // What is kept beside the bundle is external to esbuild, which writes its place as seen from the bundle.
      const auto place = import.external ? JoinRelative(kBundleDirectory, import.path) : std::nullopt;
      if (place && import.path.starts_with("../") && tree_.Find(*place) != nullptr) {
        imports.back() = {*place, import.kind, false};
      }
    }
    if (is_new || imports != facts->imports) {
      facts->imports = std::move(imports);
      news = true;
    }
  }
  return news;
}

}  // namespace piship::bundle
