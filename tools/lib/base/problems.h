// SPDX-License-Identifier: MIT
// Collects every problem of one input file, so that its owner sees them in one run, and reads JSON objects strictly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace piship {

class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}
  void Add(json::Position position, std::string_view text);  // "file:line:column: text"
  void Add(std::string_view text);                           // "file: text"
  bool empty() const { return lines_.empty(); }
  const std::vector<std::string>& lines() const { return lines_; }
  const std::string& file() const { return file_; }
  // One problem becomes the message; several become the list below "`file`: N problems". Not for an empty collection.
  Error ToError(ErrorCode code, std::string hint = {}) const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

enum class UnknownKeys : std::uint8_t { kError, kIgnore };

// Takes named members out of an object and notes in `problems` what is missing, of a wrong kind or unknown.
// A getter returns an empty optional (or null) after it has noted why, or where an optional member is absent.
class ObjectReader {
 public:
  ObjectReader(const json::Value& value, std::string_view what, Problems& problems, UnknownKeys unknown);
  std::optional<std::string> String(std::string_view name);
  std::optional<std::string> OptionalString(std::string_view name);
  std::optional<std::int64_t> Integer(std::string_view name);
  std::optional<std::int64_t> OptionalInteger(std::string_view name);
  std::optional<bool> OptionalBoolean(std::string_view name);
  const json::Value* Array(std::string_view name);
  const json::Value* Object(std::string_view name);
  const json::Value* OptionalArray(std::string_view name);
  const json::Value* OptionalObject(std::string_view name);
  // A member of any kind; marks it as known.
  const json::Value* Any(std::string_view name);
  json::Position PositionOf(std::string_view name) const;
  // Notes the members that nobody asked for, each with the nearest known name (UnknownKeys::kError).
  void Finish();

 private:
  const json::Value* Take(std::string_view name, json::Kind kind, bool required);
  const json::Value& value_;
  std::string what_;
  Problems& problems_;
  UnknownKeys unknown_;
  std::vector<std::string> known_;
};

// The candidate nearest to `word` by edit distance, or empty where none is near.
std::string_view NearestName(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace piship
