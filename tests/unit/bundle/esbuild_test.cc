// SPDX-License-Identifier: MIT
#include "bundle/esbuild.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship::bundle {
namespace {

TEST(Messages, HaveTextIdPlaceAndNotes) {
  const auto messages = ParseMessages(
      "\xe2\x96\xb2 [WARNING] This \"import\" expression will not be bundled [unsupported-dynamic-import]\n"
      "\n"
      "    app/a dir/x:1.js:3:46:\n"
      "      3 \xe2\x94\x82 const f = (s) => import(s);\n"
      "        \xe2\x95\xb5                  ~~~~~~\n"
      "\n"
      "\xe2\x9c\x98 [ERROR] Could not resolve \"x\"\n"
      "\n"
      "    app/b.js:1:7:\n"
      "      1 \xe2\x94\x82 import \"x\"\n"
      "\n"
      "  You can mark the path \"x\" as external\n"
      "\n"
      "    app/c.js:9:9:\n");
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_FALSE(messages[0].is_error);
  EXPECT_EQ(messages[0].text, "This \"import\" expression will not be bundled");
  EXPECT_EQ(messages[0].id, "unsupported-dynamic-import");
  EXPECT_EQ(messages[0].file, "app/a dir/x:1.js");
  EXPECT_EQ(messages[0].line, 3U);
  EXPECT_EQ(messages[0].column, 46U);
  EXPECT_TRUE(messages[1].is_error);
  EXPECT_EQ(messages[1].id, "");
  EXPECT_EQ(messages[1].file, "app/b.js");
  EXPECT_THAT(messages[1].notes, testing::ElementsAre("You can mark the path \"x\" as external"));
}

TEST(Metafile, IsRead) {
  const auto metafile = ParseMetafile(
      R"({"inputs": {"app/a.js": {"bytes": 7, "format": "esm", "imports":
            [{"path": "app/b.js", "kind": "import-statement", "original": "./b"},
             {"path": "fs", "kind": "require-call", "external": true}]}},
          "outputs": {"app/node_modules/@piship/bundle/a-X.mjs": {"bytes": 5, "entryPoint": "app/a.js", "exports": ["default", "x"],
            "imports": [], "inputs": {"app/a.js": {"bytesInOutput": 3}}}}})",
      "meta.json");
  ASSERT_TRUE(metafile.has_value());
  const Input& input = metafile->inputs.at("app/a.js");
  EXPECT_EQ(input.bytes, 7);
  EXPECT_EQ(input.format, "esm");
  EXPECT_THAT(input.imports,
              testing::ElementsAre(Import{"app/b.js", "import-statement", false}, Import{"fs", "require-call", true}));
  const Output& output = metafile->outputs.at("app/node_modules/@piship/bundle/a-X.mjs");
  EXPECT_EQ(output.entry_point, "app/a.js");
  EXPECT_THAT(output.exports, testing::ElementsAre("default", "x"));
  EXPECT_EQ(output.inputs.at("app/a.js"), 3);
}

TEST(Metafile, OfAnotherShapeIsRefused) {
  EXPECT_FALSE(ParseMetafile("{}", "meta.json").has_value());
  EXPECT_FALSE(ParseMetafile("{\"inputs\": [], \"outputs\": {}}", "meta.json").has_value());
  EXPECT_FALSE(ParseMetafile("{", "meta.json").has_value());
}

}  // namespace
}  // namespace piship::bundle
