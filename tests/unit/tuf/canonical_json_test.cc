// SPDX-License-Identifier: MIT
#include "tuf/canonical_json.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship::tuf {
namespace {

Result<std::string> Canonical(std::string_view text) {
  PISHIP_TRY(const json::Value value, json::Parse(text, "text"));
  return CanonicalForm(value, "text");
}

TEST(CanonicalJson, T39IsTheFormOfOtherImplementations) {
  // The right sides are what securesystemslib and @tufjs/canonical-json give.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"b": [1, 2], "a": {"d": null, "c": true}})", R"({"a":{"c":true,"d":null},"b":[1,2]})"},
      {R"("a\"b\\c\/d")", R"("a\"b\\c/d")"},
      {"\"\\n\\t\\u0001\\u007f\"", "\"\n\t\x01\x7f\""},
      {"\"\\u00e9\\ud83d\\ude00\"", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
      {R"({"B": 1, "a": 2, "A": 3, "": 4, "aa": 5})", R"({"":4,"A":3,"B":1,"a":2,"aa":5})"},
      {"[ -0, -1, 9007199254740993 ]", "[0,-1,9007199254740993]"},
      {"[]", "[]"},
      {"{}", "{}"},
  };
  for (const auto& [text, wanted] : cases) {
    const auto canonical = Canonical(text);
    PISHIP_ASSERT_OK(canonical);
    EXPECT_EQ(*canonical, wanted);
  }
}

TEST(CanonicalJson, T32AndT39WhatHasNoCanonicalFormIsRefused) {
  for (const std::string text : {"1.0", "[1e3]", "{\"a\": 0.5}", "1e400", "99999999999999999999"}) {
    EXPECT_FALSE(Canonical(text)) << text;
  }
}

}  // namespace
}  // namespace piship::tuf
