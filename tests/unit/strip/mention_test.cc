// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "strip/package_scan.h"

namespace piship::strip {
namespace {

TEST(Mentions, OfDeclarations) {
  for (const char* code : {"read('lib.es5.d.ts')", "'.d.mts'", "x + \".d.cts\"", R"(/\.d\.ts$/)", R"(/\.d\.[cm]?ts$/)",
                           R"(/\.d\.(?:c|m)?ts$/)", "`${name}.d.${ending}`", "name + '.d.' + ending"}) {
    EXPECT_TRUE(MentionsDeclaration(code)) << code;
  }
  for (const char* code : {"", "a.d.t", "this.d.total", "x.data.ts", ".d", ".d.", "main.ts"}) {
    EXPECT_FALSE(MentionsDeclaration(code)) << code;
  }
}

TEST(Mentions, OfTypeScript) {
  for (const char* code :
       {"import('./x.ts')", "'.mts'", ".cts", "/[.]tsx/", R"(/\.[cm]?ts$/)", R"(/\.(js|ts)$/)", "['js', 'ts']",
        "require('jiti')", "spawn('tsx')", "import ts from \"typescript\"", "file.ts"}) {
    EXPECT_TRUE(MentionsTypeScript(code)) << code;
  }
  for (const char* code : {"", "elements.tsvalue", "const ts = 1;", "a.tsConfig", "events", "charts"}) {
    EXPECT_FALSE(MentionsTypeScript(code)) << code;
  }
}

TEST(Mentions, OfDirectories) {
  for (const char* code :
       {"require('../src/x')", "join(root, 'src')", "\"./src\"", R"('..\\src\\x')", "`${root}/src`"}) {
    EXPECT_TRUE(MentionsDirectory(code, "src")) << code;
  }
  for (const char* code : {"", "src", "img.src = x", "source/x", "src.x", "srcs/"}) {
    EXPECT_FALSE(MentionsDirectory(code, "src")) << code;
  }
}

TEST(FactsMemo, RoundTripsAndRefusesNonsense) {
  Facts facts;
  facts.not_maps = {"a b.map", "world.map"};
  facts.declarations_named_by = "lib/a b.js";
  facts.typescript_reason = "typescript-only";
  Facts back;
  ASSERT_TRUE(ParseFacts(FactsText(facts), back));
  EXPECT_EQ(back.not_maps, facts.not_maps);
  EXPECT_EQ(back.declarations_named_by, facts.declarations_named_by);
  EXPECT_EQ(back.typescript_reason, facts.typescript_reason);
  EXPECT_EQ(back.typescript_subject, "");
  for (const char* text : {"x", "word rest\n", "not-a-map x", "typescript reason\n"}) {
    Facts none;
    EXPECT_FALSE(ParseFacts(text, none)) << text;
  }
}

}  // namespace
}  // namespace piship::strip
