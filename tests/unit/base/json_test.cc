// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <gmock/gmock.h>

#include "support/result_matchers.h"

namespace piship::json {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string FailureOf(std::string_view text, const Limits& limits = {}) {
  const auto value = Parse(text, "f", limits);
  if (value) return "no error";
  EXPECT_EQ(value.error().code, ErrorCode::kJsonInvalid);
  return value.error().message;
}

// Every value and every name with its place, "line:column text".
void AppendPlaces(const Value& value, std::vector<std::string>& out) {
  const auto place = [](Position at) { return std::to_string(at.line) + ":" + std::to_string(at.column) + " "; };
  switch (value.kind()) {
    case Kind::kArray:
      out.push_back(place(value.position()) + "[");
      for (const Value& item : value.array()) AppendPlaces(item, out);
      break;
    case Kind::kObject:
      out.push_back(place(value.position()) + "{");
      for (const Member& member : value.object()) {
        out.push_back(place(member.position) + member.name + ":");
        AppendPlaces(member.value, out);
      }
      break;
    case Kind::kNumber:
      out.push_back(place(value.position()) + "number");
      break;
    default: {
      std::string text = Canonical(value);
      text.pop_back();
      out.push_back(place(value.position()) + text);
    }
  }
}

std::vector<std::string> Places(std::string_view text) {
  const auto value = Parse(text, "f");
  EXPECT_TRUE(value.has_value()) << (value ? "" : value.error().message);
  std::vector<std::string> out;
  if (value) AppendPlaces(*value, out);
  return out;
}

TEST(Json, ParsesEveryKind) {
  const auto value = Parse(R"({"n":null,"t":true,"f":false,"i":-12,"d":1.5,"s":"x","a":[1],"o":{"k":2}})", "f");
  PISHIP_ASSERT_OK(value);
  EXPECT_TRUE(value->Find("n")->is(Kind::kNull));
  EXPECT_TRUE(value->Find("t")->boolean());
  EXPECT_FALSE(value->Find("f")->boolean());
  EXPECT_EQ(value->Find("i")->integer(), -12);
  EXPECT_EQ(value->Find("d")->number(), 1.5);
  EXPECT_EQ(value->Find("s")->string(), "x");
  EXPECT_EQ(value->Find("a")->array().at(0).integer(), 1);
  EXPECT_EQ(value->Find("o")->Find("k")->integer(), 2);
  EXPECT_EQ(value->Find("none"), nullptr);
}

TEST(Json, KnowsThePlaceOfEachValue) {
  EXPECT_THAT(Places(R"({"a":1,"b":[22,-3.5e1,"x",true,false,null],"c":{"d":[]}})"),
              ElementsAre("1:1 {", "1:2 a:", "1:6 1", "1:8 b:", "1:12 [", "1:13 22", "1:16 number", "1:23 \"x\"",
                          "1:27 true", "1:32 false", "1:38 null", "1:44 c:", "1:48 {", "1:49 d:", "1:53 ["));
}

TEST(Json, KnowsPlacesAcrossLinesAndOddSpacing) {
  EXPECT_THAT(Places("\n {\t\"a\" :\r\n 1 , \"b\"\n:\n[ 2\n,3 , [4] ] } \n"),
              ElementsAre("2:2 {", "2:4 a:", "3:2 1", "3:6 b:", "5:1 [", "5:3 2", "6:2 3", "6:6 [", "6:7 4"));
}

TEST(Json, KnowsPlacesAfterTextThatLooksLikeStructure) {
  EXPECT_THAT(Places(R"([",[{:", "a\"]b", {"}": ":"}, [[]], [1], 7])"),
              ElementsAre("1:1 [", "1:2 \",[{:\"", "1:10 \"a\\\"]b\"", "1:19 {", "1:20 }:", "1:25 \":\"", "1:31 [",
                          "1:32 [", "1:37 [", "1:38 1", "1:42 7"));
}

TEST(Json, CountsColumnsInBytes) {
  EXPECT_THAT(Places("[\"\xc3\xa9\",1]"), ElementsAre("1:1 [", "1:2 \"\xc3\xa9\"", "1:7 1"));
}

TEST(Json, PlacesAScalarThatIsTheWholeText) {
  EXPECT_THAT(Places(" 12"), ElementsAre("1:2 12"));
  EXPECT_THAT(Places("\n\"\""), ElementsAre("2:1 \"\""));
}

TEST(Json, SaysWhereTheTextIsWrong) {
  EXPECT_THAT(FailureOf("{\n  \"a\": tru\n}"), StartsWith("f:2:"));
  EXPECT_THAT(FailureOf("{\"a\":1,}"), StartsWith("f:1:8: "));
  EXPECT_THAT(FailureOf(""), StartsWith("f:1:1: "));
  EXPECT_THAT(FailureOf("[1"), StartsWith("f:1:3: "));
  EXPECT_THAT(FailureOf("{\"a\":1,\n \"a\":2}"), EndsWith("2:2: the key \"a\" appears twice"));
}

TEST(Json, RefusesWhatReadersTakeDifferently) {
  EXPECT_THAT(FailureOf("\xef\xbb\xbf{}"), HasSubstr("byte order mark"));
  for (const std::string& text : {"{} x"s,         "{}{}"s,        "1 2"s,          "[1,]"s,     "{'a':1}"s,
                                  "{a:1}"s,        "// c\n1"s,     "/**/1"s,        "NaN"s,      "Infinity"s,
                                  "-Infinity"s,    "01"s,          "+1"s,           ".5"s,       "1."s,
                                  "0x1"s,          "\"\\ud800\""s, "\"\\udc00x\""s, "\"\xff\""s, "\"\xed\xa0\x80\""s,
                                  "\"\xc0\x80\""s, "\"a\nb\""s,    "\"\\x\""s,      "[1]\0"s,    "\0"s,
                                  "[1]\0[2]"s,     "\"a\0b\""s,    "tRue"s,         "{\"a\"}"s,  "[\"a\":1]"s,
                                  "\x00\x00\x00{"s}) {
    EXPECT_THAT(FailureOf(text), StartsWith("f:")) << testing::PrintToString(text);
  }
}

TEST(Json, RefusesNumbersOutOfRangeInItsOwnWords) {
  EXPECT_EQ(FailureOf("[1, 1e400]"), "f:1:5: a number is out of range");
  EXPECT_THAT(FailureOf("[-1e999]"), EndsWith("a number is out of range"));
}

TEST(Json, KeepsIntegersExactUpTo63Bits) {
  EXPECT_EQ(Parse("9223372036854775807", "f")->integer(), INT64_MAX);
  EXPECT_EQ(Parse("-9223372036854775808", "f")->integer(), INT64_MIN);
  EXPECT_EQ(Parse("9007199254740993", "f")->integer(), 9007199254740993);
  EXPECT_TRUE(Parse("9223372036854775808", "f")->is(Kind::kNumber));
  EXPECT_TRUE(Parse("-9223372036854775809", "f")->is(Kind::kNumber));
  EXPECT_TRUE(Parse("1.0", "f")->is(Kind::kNumber));
  EXPECT_TRUE(Parse("-0", "f")->is(Kind::kInteger));
}

TEST(Json, IsBoundedInDepthAndNumber) {
  const Limits limits{.depth = 3, .values = 6};
  PISHIP_ASSERT_OK(Parse("[[[]]]", "f", limits));
  EXPECT_EQ(FailureOf("[[[[]]]]", limits), "f:1:4: nested too deeply");
  PISHIP_ASSERT_OK(Parse("[1,2,3,4,5]", "f", limits));
  EXPECT_THAT(FailureOf("[1,2,3,4,5,6]", limits), EndsWith("more values than the limit of 6"));
  EXPECT_THAT(FailureOf(std::string(100'000, '[')), HasSubstr("nested too deeply"));
}

TEST(Json, DecodesEscapes) {
  EXPECT_EQ(Parse(R"("\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t\u0000")", "f")->string(),
            "\xc3\xa9\xf0\x9f\x98\x80\"\\/\b\f\n\r\t\0"s);
}

TEST(CanonicalJson, SortsByBytesAndIndentsByTwo) {
  const auto value = Parse(R"({"b":[1,{"z":null,"A":true}],"\u00e9":1,"a":{},"c":[],"Z":"\u0001\n/\u007f"})", "f");
  PISHIP_ASSERT_OK(value);
  EXPECT_EQ(Canonical(*value),
            "{\n"
            "  \"Z\": \"\\u0001\\n/\x7f\",\n"
            "  \"a\": {},\n"
            "  \"b\": [\n"
            "    1,\n"
            "    {\n"
            "      \"A\": true,\n"
            "      \"z\": null\n"
            "    }\n"
            "  ],\n"
            "  \"c\": [],\n"
            "  \"\xc3\xa9\": 1\n"
            "}\n");
}

TEST(CanonicalJson, IsAFixedPoint) {
  const auto value = Parse("{\"b\":[1,[],{}],\"a\":\"\\\"\\\\\\t\"}", "f");
  PISHIP_ASSERT_OK(value);
  const std::string text = Canonical(*value);
  EXPECT_EQ(Canonical(Parse(text, "f").value()), text);
}

TEST(CanonicalJson, QuotesStrings) { EXPECT_EQ(Quote("a\"\\\n\x1f\xc3\xa9"), "\"a\\\"\\\\\\n\\u001f\xc3\xa9\""); }

class Recorder : public Events {
 public:
  std::string OnKey(Position, std::string name) override { return Note("key " + name); }
  std::string OnScalar(Value value) override { return Note(std::string(KindName(value.kind()))); }
  std::string OnBegin(Position, Kind kind) override { return Note("begin " + std::string(KindName(kind))); }
  std::string OnEnd() override { return Note("end"); }
  std::string refuse;
  std::vector<std::string> notes;

 private:
  std::string Note(const std::string& what) {
    notes.push_back(what);
    return what == refuse ? "not here" : "";
  }
};

TEST(JsonEvents, ComeInOrder) {
  Recorder recorder;
  PISHIP_ASSERT_OK(ParseEvents(R"({"a":[1]})", "f", recorder));
  EXPECT_THAT(recorder.notes, ElementsAre("begin an object", "key a", "begin an array", "an integer", "end", "end"));
}

TEST(JsonEvents, StopWhereTheReceiverRefuses) {
  Recorder recorder;
  recorder.refuse = "key b";
  const Status status = ParseEvents("{\"a\":1,\n\"b\":2}", "f", recorder);
  PISHIP_EXPECT_ERROR(status, ErrorCode::kJsonInvalid);
  EXPECT_EQ(status.error().message, "f:2:1: not here");
}

}  // namespace
}  // namespace piship::json
