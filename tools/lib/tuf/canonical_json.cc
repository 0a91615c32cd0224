// SPDX-License-Identifier: MIT
#include "tuf/canonical_json.h"

#include <algorithm>
#include <vector>

namespace piship::tuf {
namespace {

void AppendString(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

// The depth is bounded by whoever parsed the value. False at a number that is no integer, which `bad` then points to.
bool Append(std::string& out, const json::Value& value, const json::Value*& bad) {
  switch (value.kind()) {
    case json::Kind::kNull:
      out += "null";
      return true;
    case json::Kind::kBoolean:
      out += value.boolean() ? "true" : "false";
      return true;
    case json::Kind::kInteger:
      out += std::to_string(value.integer());
      return true;
    case json::Kind::kNumber:
      bad = &value;
      return false;
    case json::Kind::kString:
      AppendString(out, value.string());
      return true;
    case json::Kind::kArray: {
      out += '[';
      bool first = true;
      for (const json::Value& item : value.array()) {
        if (!first) out += ',';
        first = false;
        if (!Append(out, item, bad)) return false;
      }
      out += ']';
      return true;
    }
    case json::Kind::kObject:
      break;
  }
  std::vector<const json::Member*> members;
  members.reserve(value.object().size());
  for (const json::Member& member : value.object()) members.push_back(&member);
  // Bytes of UTF-8 sort like code points, which is what other implementations compare (those that compare UTF-16 differ
  // above U+FFFF).
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  out += '{';
  bool first = true;
  for (const json::Member* member : members) {
    if (!first) out += ',';
    first = false;
    AppendString(out, member->name);
    out += ':';
    if (!Append(out, member->value, bad)) return false;
  }
  out += '}';
  return true;
}

}  // namespace

Result<std::string> CanonicalForm(const json::Value& value, std::string_view name) {
  std::string out;
  const json::Value* bad = nullptr;
  if (!Append(out, value, bad)) {
    return Fail(ErrorCode::kMetadataInvalid, std::string(name) + ":" + std::to_string(bad->position().line) + ":" +
                                                 std::to_string(bad->position().column) +
                                                 ": a number that is no integer can't be signed");
  }
  return out;
}

}  // namespace piship::tuf
