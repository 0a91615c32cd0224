// SPDX-License-Identifier: MIT
// JSON (RFC 8259) with the position of every value, and the canonical form in which our own files are written.
//
// Parsing refuses what different readers take differently: duplicate keys, invalid UTF-8, lone surrogates, a byte order
// mark, text after the value; and it is bounded in depth and in the number of values, so a hostile text costs no more
// memory than a small multiple of its size.
// Canonical form: object members sorted by the bytes of their names, two spaces of indentation, integers only, the
// shortest escapes, one final newline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace piship::json {

// Counted from 1; columns count bytes.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kNumber, kString, kArray, kObject };
std::string_view KindName(Kind kind);  // "a string", "an object", ...

class Value;
struct Member;

class Value {
 public:
  // Defined below Member, which they need complete.
  Value();
  Value(bool value);              // NOLINT(google-explicit-constructor)
  Value(std::int64_t value);      // NOLINT(google-explicit-constructor)
  Value(std::string value);       // NOLINT(google-explicit-constructor)
  Value(std::string_view value);  // NOLINT(google-explicit-constructor)
  Value(const char* value);       // NOLINT(google-explicit-constructor)
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
  static Value Number(double value);
  static Value Array();
  static Value Object();

  Kind kind() const { return kind_; }
  Position position() const { return position_; }
  void set_position(Position position) { position_ = position; }
  bool is(Kind kind) const { return kind_ == kind; }

  // Each may be called only on a value of its kind.
  bool boolean() const { return integer_ != 0; }
  std::int64_t integer() const { return integer_; }
  double number() const { return number_; }
  const std::string& string() const { return text_; }
  const std::vector<Value>& array() const { return items_; }
  const std::vector<Member>& object() const { return members_; }  // in the order of the text

  // The member of that name; null where there is none or this is not an object.
  const Value* Find(std::string_view name) const;
  // Append adds to an array; Set adds a member to an object and replaces none, so the caller sees to it that names
  // differ. Each returns this container, not what was added, so that calls can be chained: what is added later is a
  // copy of its argument, and changing the argument afterwards changes nothing here.
  Value& Append(Value value);
  Value& Set(std::string name, Value value);
  Value& SetAt(std::string name, Position name_position, Value value);

 private:
  Kind kind_ = Kind::kNull;
  Position position_;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
  std::vector<Value> items_;
  std::vector<Member> members_;
};

struct Member {
  std::string name;
  Position position;  // of the name
  Value value;
};

inline Value::Value() = default;
inline Value::Value(bool value) : kind_(Kind::kBoolean), integer_(value ? 1 : 0) {}
inline Value::Value(std::int64_t value) : kind_(Kind::kInteger), integer_(value) {}
inline Value::Value(std::string value) : kind_(Kind::kString), text_(std::move(value)) {}
inline Value::Value(std::string_view value) : Value(std::string(value)) {}
inline Value::Value(const char* value) : Value(std::string(value)) {}
inline Value::Value(const Value& other) = default;
inline Value::Value(Value&& other) noexcept = default;
inline Value& Value::operator=(const Value& other) = default;
inline Value& Value::operator=(Value&& other) noexcept = default;
inline Value::~Value() = default;

struct Limits {
  std::size_t depth = 64;
  std::size_t values = 4'000'000;
};

// `file` only names the text in errors. Syntax errors are kJsonInvalid, "file:line:column: ...".
Result<Value> Parse(std::string_view text, std::string_view file, const Limits& limits = {});

// Canonical text; a value that holds a kNumber is a bug of the caller.
std::string Canonical(const Value& value);
// A JSON string literal, quotes included.
std::string Quote(std::string_view text);

// Receives the values of a text in order, without a document; each function returns an empty string or what is wrong.
class Events {
 public:
  virtual ~Events() = default;
  virtual std::string OnKey(Position position, std::string name) = 0;
  virtual std::string OnScalar(Value value) = 0;  // null, boolean, integer, number or string
  virtual std::string OnBegin(Position position, Kind kind) = 0;
  virtual std::string OnEnd() = 0;
};
Status ParseEvents(std::string_view text, std::string_view file, Events& events, const Limits& limits = {});

}  // namespace piship::json
