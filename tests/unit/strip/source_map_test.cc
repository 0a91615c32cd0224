// SPDX-License-Identifier: MIT
#include "strip/source_map.h"

#include <gtest/gtest.h>

#include <string>

namespace piship::strip {
namespace {

TEST(SourceMap, IsAnObjectWithVersionAndMappingsOrSections) {
  EXPECT_TRUE(IsSourceMap(R"({"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"})"));
  EXPECT_TRUE(IsSourceMap(R"({"mappings":"","version":3})"));
  EXPECT_TRUE(IsSourceMap(R"({"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{}}]})"));
}

TEST(SourceMap, IsNothingElse) {
  for (const char* text : {"", "{}", "[]", "3", "null", R"({"version":3})", R"({"mappings":"AAAA"})",
                           R"({"version":"3","mappings":"AAAA"})", R"({"version":3,"mappings":7})",
                           R"({"version":3,"sections":{}})", R"([{"version":3,"mappings":"A"}])",
                           R"({"inner":{"version":3,"mappings":"A"}})", R"({"version":3,"inner":{"mappings":"A"}})",
                           R"({"version":3,"mappings":"A")", R"({"version":3,"mappings":"A"} trailing)",
                           "// a world map\n", R"({"name":"level 1","tiles":[1,2,3],"version":1})"}) {
    EXPECT_FALSE(IsSourceMap(text)) << text;
  }
}

}  // namespace
}  // namespace piship::strip
