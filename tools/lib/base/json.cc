// SPDX-License-Identifier: MIT
// nlohmann_json does the lexing through its SAX interface. It reports positions only in syntax errors, so an input
// iterator counts the bytes that it has taken; the start of a token is found by stepping back over the token's own
// text, which for scalars is done by remembering where the last structural character or white space ended.
#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/utf8.h"

namespace piship::json {
namespace {

// Where the lexer stands. The lexer reads one character beyond a number, and none beyond other tokens.
struct Cursor {
  const char* begin;
  std::size_t taken = 0;
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Cursor* cursor) : at_(at), cursor_(cursor) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    cursor_->taken = static_cast<std::size_t>(at_ - cursor_->begin);
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Cursor* cursor_;
};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Adapter : public nlohmann::json_sax<nlohmann::json> {
 public:
  Adapter(std::string_view text, const Cursor& cursor, Events& events, const Limits& limits)
      : text_(text), cursor_(cursor), events_(events), limits_(limits) {}

  bool null() override { return Scalar(Value()); }
  bool boolean(bool value) override { return Scalar(Value(value)); }
  bool number_integer(number_integer_t value) override { return Scalar(Value(std::int64_t{value})); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) return Scalar(Value::Number(static_cast<double>(value)));
    return Scalar(Value(static_cast<std::int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    if (!std::isfinite(value)) return Refuse(Locate(TokenStart()), "a number is out of range");
    return Scalar(Value::Number(value));
  }
  bool string(string_t& value) override { return Scalar(Value(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return Refuse(Locate(cursor_.taken), "binary data"); }
  bool start_object(std::size_t /*size*/) override { return Begin(Kind::kObject); }
  bool start_array(std::size_t /*size*/) override { return Begin(Kind::kArray); }
  bool end_object() override { return End(); }
  bool end_array() override { return End(); }
  bool key(string_t& name) override {
    const Position position = Locate(TokenStart());
    if (!names_.back().insert(name).second) return Refuse(position, "the key " + Quote(name) + " appears twice");
    if (!Count(position)) return false;
    return Accept(position, events_.OnKey(position, std::move(name)));
  }
  bool parse_error(std::size_t offset, const std::string& /*token*/, const nlohmann::json::exception& error) override {
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) {
      return Refuse(Locate(TokenStart()), "a number is out of range");
    }
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..." -> the last part.
    std::string_view what = error.what();
    for (const std::string_view mark : {"column ", ": "}) {
      const std::size_t at = what.find(mark);
      if (at != std::string_view::npos) what.remove_prefix(at + mark.size());
    }
    return Refuse(Locate(offset > 0 ? offset - 1 : 0), what);
  }

  void RefuseAt(std::size_t offset, std::string_view text) { Refuse(Locate(offset), text); }
  bool failed() const { return failed_; }
  Position failure_position() const { return failure_position_; }
  const std::string& failure() const { return failure_; }

 private:
  bool Scalar(Value value) {
    const Position position = Locate(TokenStart());
    if (!Count(position)) return false;
    value.set_position(position);
    return Accept(position, events_.OnScalar(std::move(value)));
  }
  bool Begin(Kind kind) {
    const Position position = Locate(cursor_.taken - 1);
    if (!Count(position)) return false;
    if (names_.size() >= limits_.depth) return Refuse(position, "nested too deeply");
    names_.emplace_back();
    return Accept(position, events_.OnBegin(position, kind));
  }
  bool End() {
    names_.pop_back();
    token_floor_ = cursor_.taken;
    return Accept(Locate(cursor_.taken - 1), events_.OnEnd());
  }
  bool Count(Position position) {
    if (++values_ > limits_.values)
      return Refuse(position, "more values than the limit of " + std::to_string(limits_.values));
    return true;
  }
  bool Accept(Position position, const std::string& refusal) { return refusal.empty() || Refuse(position, refusal); }
  bool Refuse(Position position, std::string_view text) {
    failed_ = true;
    failure_position_ = position;
    failure_ = text;
    return false;
  }
  // The offset of the token that the lexer has just given: the first character since the last token that is neither
  // white space nor punctuation between values.
  std::size_t TokenStart() {
    std::size_t at = token_floor_;
    while (at < text_.size() &&
           (IsBlank(text_[at]) || text_[at] == ',' || text_[at] == ':' || text_[at] == '[' || text_[at] == '{')) {
      ++at;
    }
    token_floor_ = cursor_.taken;
    // A number's end is only seen with the character after it, which the lexer gives back.
    if (token_floor_ > at + 1 && text_[at] != '"') {
      std::size_t end = at;
      while (end < text_.size() && !IsBlank(text_[end]) && text_[end] != ',' && text_[end] != ']' && text_[end] != '}')
        ++end;
      token_floor_ = end;
    }
    return at;
  }
  // Offsets only grow, so lines are counted once.
  Position Locate(std::size_t offset) {
    offset = std::min(offset, text_.size());
    if (offset < located_) located_ = 0, line_ = 1, line_start_ = 0;
    for (; located_ < offset; ++located_) {
      if (text_[located_] == '\n') ++line_, line_start_ = located_ + 1;
    }
    return {line_, static_cast<std::uint32_t>(offset - line_start_ + 1)};
  }

  std::string_view text_;
  const Cursor& cursor_;
  Events& events_;
  const Limits& limits_;
  std::vector<std::unordered_set<std::string>> names_;
  std::size_t values_ = 0;
  std::size_t token_floor_ = 0;
  std::size_t located_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
  bool failed_ = false;
  Position failure_position_;
  std::string failure_;
};

class DocumentBuilder : public Events {
 public:
  std::string OnKey(Position position, std::string name) override {
    key_ = std::move(name);
    key_position_ = position;
    return {};
  }
  std::string OnScalar(Value value) override {
    Place(std::move(value));
    return {};
  }
  std::string OnBegin(Position position, Kind kind) override {
    Value value = kind == Kind::kObject ? Value::Object() : Value::Array();
    value.set_position(position);
    open_.push_back({std::move(key_), key_position_, std::move(value)});
    key_.clear();
    return {};
  }
  std::string OnEnd() override {
    Member done = std::move(open_.back());
    open_.pop_back();
    key_ = std::move(done.name);
    key_position_ = done.position;
    Place(std::move(done.value));
    return {};
  }
  Value root;

 private:
  void Place(Value value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (open_.back().value.is(Kind::kObject)) {
      open_.back().value.SetAt(std::move(key_), key_position_, std::move(value));
    } else {
      open_.back().value.Append(std::move(value));
    }
    key_.clear();
  }
  std::string key_;
  Position key_position_;
  std::vector<Member> open_;
};

void AppendQuoted(std::string& out, std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\b') {
      out += "\\b";
    } else if (c == '\f') {
      out += "\\f";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void AppendCanonical(std::string& out, const Value& value, std::size_t depth) {
  const auto new_line = [&](std::size_t levels) {
    out += '\n';
    out.append(2 * levels, ' ');
  };
  switch (value.kind()) {
    case Kind::kNull:
    case Kind::kNumber:
      out += "null";
      break;
    case Kind::kBoolean:
      out += value.boolean() ? "true" : "false";
      break;
    case Kind::kInteger:
      out += std::to_string(value.integer());
      break;
    case Kind::kString:
      AppendQuoted(out, value.string());
      break;
    case Kind::kArray:
      out += '[';
      for (std::size_t index = 0; index < value.array().size(); ++index) {
        if (index > 0) out += ',';
        new_line(depth + 1);
        AppendCanonical(out, value.array()[index], depth + 1);
      }
      if (!value.array().empty()) new_line(depth);
      out += ']';
      break;
    case Kind::kObject: {
      std::vector<const Member*> members;
      for (const Member& member : value.object()) members.push_back(&member);
      std::sort(members.begin(), members.end(), [](const Member* a, const Member* b) { return a->name < b->name; });
      out += '{';
      for (std::size_t index = 0; index < members.size(); ++index) {
        if (index > 0) out += ',';
        new_line(depth + 1);
        AppendQuoted(out, members[index]->name);
        out += ": ";
        AppendCanonical(out, members[index]->value, depth + 1);
      }
      if (!members.empty()) new_line(depth);
      out += '}';
      break;
    }
  }
}

}  // namespace

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return "true or false";
    case Kind::kInteger:
      return "an integer";
    case Kind::kNumber:
      return "a number with a fraction";
    case Kind::kString:
      return "a string";
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return "a value";
}

Value Value::Number(double value) {
  Value out;
  out.kind_ = Kind::kNumber;
  out.number_ = value;
  return out;
}

Value Value::Array() {
  Value out;
  out.kind_ = Kind::kArray;
  return out;
}

Value Value::Object() {
  Value out;
  out.kind_ = Kind::kObject;
  return out;
}

const Value* Value::Find(std::string_view name) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.name == name; });
  return found == members_.end() ? nullptr : &found->value;
}

Value& Value::Append(Value value) {
  items_.push_back(std::move(value));
  return *this;
}

Value& Value::Set(std::string name, Value value) { return SetAt(std::move(name), {}, std::move(value)); }

Value& Value::SetAt(std::string name, Position name_position, Value value) {
  members_.push_back({std::move(name), name_position, std::move(value)});
  return *this;
}

Status ParseEvents(std::string_view text, std::string_view file, Events& events, const Limits& limits) {
  Cursor cursor{text.data()};
  Adapter adapter(text, cursor, events, limits);
  if (text.starts_with("\xef\xbb\xbf")) {
    return Fail(ErrorCode::kJsonInvalid, std::string(file) + ":1:1: the file begins with a byte order mark");
  }
  // The lexer takes a zero byte for the end of its input, whatever follows.
  const std::size_t end = std::min(text.find('\0'), text.size());
  const bool parsed =
      nlohmann::json::sax_parse(CountingIterator(text.data(), &cursor), CountingIterator(text.data() + end, &cursor),
                                &adapter, nlohmann::json::input_format_t::json, /*strict=*/true);
  if (parsed && !adapter.failed() && end < text.size()) adapter.RefuseAt(end, "a zero byte");
  if (!adapter.failed()) return {};
  const Position at = adapter.failure_position();
  return Fail(ErrorCode::kJsonInvalid, std::string(file) + ":" + std::to_string(at.line) + ":" +
                                           std::to_string(at.column) + ": " + adapter.failure());
}

Result<Value> Parse(std::string_view text, std::string_view file, const Limits& limits) {
  DocumentBuilder builder;
  PISHIP_CHECK(ParseEvents(text, file, builder, limits));
  return std::move(builder.root);
}

std::string Canonical(const Value& value) {
  std::string out;
  AppendCanonical(out, value, 0);
  out += '\n';
  return out;
}

std::string Quote(std::string_view text) {
  std::string out;
  AppendQuoted(out, text);
  return out;
}

}  // namespace piship::json
