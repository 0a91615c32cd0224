// SPDX-License-Identifier: MIT
#include "base/problems.h"

#include <algorithm>
#include <numeric>

namespace piship {
namespace {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

void Problems::Add(json::Position position, std::string_view text) {
  lines_.push_back(file_ + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) + ": " +
                   std::string(text));
}

void Problems::Add(std::string_view text) { lines_.push_back(file_ + ": " + std::string(text)); }

Error Problems::ToError(ErrorCode code, std::string hint) const {
  Error error;
  error.code = code;
  error.hint = std::move(hint);
  if (lines_.size() == 1) {
    error.message = lines_.front();
  } else {
    error.message = file_ + ": " + std::to_string(lines_.size()) + " problems";
    error.problems = lines_;
  }
  return error;
}

ObjectReader::ObjectReader(const json::Value& value, std::string_view what, Problems& problems, UnknownKeys unknown)
    : value_(value), what_(what), problems_(problems), unknown_(unknown) {
  if (!value.is(json::Kind::kObject)) {
    problems_.Add(value.position(), what_ + " must be an object, not " + std::string(json::KindName(value.kind())));
  }
}

const json::Value* ObjectReader::Any(std::string_view name) {
  known_.emplace_back(name);
  return value_.Find(name);
}

const json::Value* ObjectReader::Take(std::string_view name, json::Kind kind, bool required) {
  const json::Value* member = Any(name);
  if (member == nullptr) {
    if (required && value_.is(json::Kind::kObject)) {
      problems_.Add(value_.position(), what_ + " lacks \"" + std::string(name) + "\"");
    }
    return nullptr;
  }
  if (!member->is(kind)) {
    problems_.Add(member->position(), "\"" + std::string(name) + "\" must be " + std::string(json::KindName(kind)) +
                                          ", not " + std::string(json::KindName(member->kind())));
    return nullptr;
  }
  return member;
}

std::optional<std::string> ObjectReader::String(std::string_view name) {
  const json::Value* member = Take(name, json::Kind::kString, true);
  return member != nullptr ? std::optional(member->string()) : std::nullopt;
}

std::optional<std::string> ObjectReader::OptionalString(std::string_view name) {
  const json::Value* member = Take(name, json::Kind::kString, false);
  return member != nullptr ? std::optional(member->string()) : std::nullopt;
}

std::optional<std::int64_t> ObjectReader::Integer(std::string_view name) {
  const json::Value* member = Take(name, json::Kind::kInteger, true);
  return member != nullptr ? std::optional(member->integer()) : std::nullopt;
}

std::optional<std::int64_t> ObjectReader::OptionalInteger(std::string_view name) {
  const json::Value* member = Take(name, json::Kind::kInteger, false);
  return member != nullptr ? std::optional(member->integer()) : std::nullopt;
}

std::optional<bool> ObjectReader::OptionalBoolean(std::string_view name) {
  const json::Value* member = Take(name, json::Kind::kBoolean, false);
  return member != nullptr ? std::optional(member->boolean()) : std::nullopt;
}

const json::Value* ObjectReader::Array(std::string_view name) { return Take(name, json::Kind::kArray, true); }
const json::Value* ObjectReader::Object(std::string_view name) { return Take(name, json::Kind::kObject, true); }
const json::Value* ObjectReader::OptionalArray(std::string_view name) { return Take(name, json::Kind::kArray, false); }
const json::Value* ObjectReader::OptionalObject(std::string_view name) {
  return Take(name, json::Kind::kObject, false);
}

json::Position ObjectReader::PositionOf(std::string_view name) const {
  const json::Value* member = value_.Find(name);
  return member != nullptr ? member->position() : value_.position();
}

void ObjectReader::Finish() {
  if (unknown_ == UnknownKeys::kIgnore || !value_.is(json::Kind::kObject)) return;
  for (const json::Member& member : value_.object()) {
    if (std::find(known_.begin(), known_.end(), member.name) != known_.end()) continue;
    std::string text = "unknown key \"" + member.name + "\" in " + what_;
    const std::string_view nearest = NearestName(member.name, known_);
    if (!nearest.empty()) text += "; did you mean \"" + std::string(nearest) + "\"?";
    problems_.Add(member.position, text);
  }
}

std::string_view NearestName(std::string_view word, const std::vector<std::string>& candidates) {
  std::string_view nearest;
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(word.substr(0, 64), std::string_view(candidate).substr(0, 64));
    if (distance < best && 2 * distance <= word.size()) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace piship
