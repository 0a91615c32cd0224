// SPDX-License-Identifier: MIT
#include "bundle/module_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship::bundle {
namespace {

TEST(Mentions, AreByWord) {
  EXPECT_EQ(Mentions("export const x = 1;"), 0U);
  EXPECT_EQ(Mentions("f(import.meta)"), kMentionsMeta);
  EXPECT_EQ(Mentions("import.meta.url"), kMentionsMeta | kLocatesModules);
  EXPECT_EQ(Mentions("import.meta.resolve(x)"), kMentionsMeta | kLocatesModules | kResolvesItself);
  EXPECT_EQ(Mentions("__dirname"), kMentionsPlace | kLocatesModules);
  EXPECT_EQ(Mentions("if (!module.parent) run()"), kMentionsRequire);
  EXPECT_EQ(Mentions("createRequire(x)"), kLocatesModules | kRequiresNames);
  EXPECT_EQ(Mentions("new Worker(x)"), kLocatesModules);
}

TEST(Mentions, KnowWhatNeedsSloppyMode) {
  EXPECT_EQ(Mentions("var g = (function () {\n  return this;\n})();"), kNeedsSloppyMode);
  EXPECT_EQ(Mentions("var g = function(){return this}()"), kNeedsSloppyMode);
  EXPECT_EQ(Mentions("f.g = function () { return this; };"), 0U);
  EXPECT_EQ(Mentions("arguments.callee(x)"), kNeedsSloppyMode);
  EXPECT_EQ(Mentions("#!/usr/bin/env node\n/* c */ // d\n 'use strict';\narguments.callee(x)"), 0U);
}

TEST(Mentions, KnowAttributesOfJson) {
  EXPECT_EQ(Mentions("import a from './a.json' with { type: 'json' }"), kJsonAttribute);
  EXPECT_EQ(Mentions("import a from './a.json' with {\n  \"type\": \"json\"\n}"), kJsonAttribute);
  EXPECT_EQ(Mentions("import a from './a.css' with { type: 'css' }"), 0U);
}

TEST(Literals, AreStringsWithoutEscapesOrSubstitutions) {
  const Literals literals = FindLiterals("f('a', \"b c\", `./d`, 'a', `${x}`, \"\\n\", '', \"open\n)");
  EXPECT_THAT(literals.others, testing::IsSupersetOf({"./d", "a", "b c"}));
  EXPECT_THAT(literals.others, testing::Not(testing::Contains(testing::AnyOf("${x}", "\\n", "", "open"))));
  EXPECT_THAT(literals.imported, testing::IsEmpty());
  EXPECT_THAT(literals.required, testing::IsEmpty());
}

TEST(Literals, KnowWhatEsbuildFollows) {
  const Literals literals = FindLiterals(
      "import 'a'; import b from\"b\"; export * from 'c'; import('d'); import ( `e` , f); require('g'); require( \"h\" "
      ")\n"
      "x.require('i'); require.resolve('j'); import('k' + l); require('m' + n); from_('o'); xfrom 'p'; f('a')");
  EXPECT_THAT(literals.imported, testing::IsSupersetOf({"a", "b", "c"}));
  EXPECT_THAT(literals.dynamic, testing::ElementsAre("d", "e"));
  EXPECT_THAT(literals.required, testing::ElementsAre("g", "h"));
  EXPECT_THAT(literals.others, testing::IsSupersetOf({"a", "i", "j", "k", "m", "o", "p"}));
  EXPECT_THAT(literals.others, testing::Not(testing::Contains(testing::AnyOf("b", "c", "d", "e", "g", "h"))));
}

TEST(Edits, AreAppliedFromTheEnd) {
  const auto text = ApplyEdits("a\n  import(x) + import(y)\nz",
                               {{2, 14, "import", "other"}, {2, 2, "import", "one"}, {3, 0, "z", ""}}, "m.js");
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text, "a\n  one(x) + other(y)\n");
}

TEST(Edits, ThatDoNotFitAreRefused) {
  for (const Edit& edit : {Edit{1, 0, "b", ""}, Edit{1, 9, "a", ""}, Edit{4, 0, "a", ""}}) {
    PISHIP_EXPECT_ERROR(ApplyEdits("a\nb", {edit}, "m.js"), ErrorCode::kBundlerFailed);
  }
}

TEST(BindPlace, PutsItBehindHashbangAndDirectives) {
  EXPECT_EQ(BindPlace("#!/usr/bin/env node\n\"use strict\";\nf(__piship_dirname);\n", Format::kCommonJs,
                      "node_modules/a b/x.js", "../../../piship/place.mjs", false),
            "#!/usr/bin/env node\n\"use strict\";\n"
            "var __piship = require(\"../../../piship/place.mjs\").at(\"node_modules/a%20b/x.js\"), "
            "__piship_dirname = __piship.dirname;\nf(__piship_dirname);\n");
  EXPECT_EQ(BindPlace("f(__piship_meta.url);\n", Format::kModule, "x.js", "../piship/place.mjs", false),
            "import { at as __piship_at } from \"../piship/place.mjs\";\n"
            "const __piship = __piship_at(\"x.js\"), __piship_meta = __piship.meta;\nf(__piship_meta.url);\n");
}

TEST(BindPlace, LeavesATextAloneThatNeedsNone) {
  EXPECT_EQ(BindPlace("f();\n", Format::kModule, "x.js", "../piship/place.mjs", false), "f();\n");
}

TEST(BindPlace, RestoresTheRequiresThatEsbuildFollows) {
  const std::string bound = BindPlace(
      "a = __piship_require(\"./x\"); b = __piship_require(y); c = __piship_require(`t`); d = "
      "__piship_require(`${e}`);\n"
      "f = my__piship_require(\"z\"); g = __piship_require(\"q\" + h); i = __piship_require.resolve(\"j\");\n",
      Format::kCommonJs, "x.js", "../piship/place.mjs", false);
  EXPECT_THAT(
      bound,
      testing::EndsWith(
          "a = require(\"./x\"); b = __piship_require(y); c = require(`t`); d = __piship_require(`${e}`);\n"
          "f = my__piship_require(\"z\"); g = __piship_require(\"q\" + h); i = __piship_require.resolve(\"j\");\n"));
  EXPECT_THAT(bound, testing::HasSubstr("__piship_require = __piship.require"));
}

TEST(BindPlace, MakesAProgramItsOwnMain) {
  const std::string text = "if (__piship_main === module) run();\n";
  EXPECT_THAT(BindPlace(text, Format::kCommonJs, "x.js", "../piship/place.mjs", true),
              testing::HasSubstr("__piship_main = module;"));
  EXPECT_THAT(BindPlace(text, Format::kCommonJs, "x.js", "../piship/place.mjs", false),
              testing::HasSubstr("__piship_main = __piship.main;"));
}

TEST(Mentions, AnImportThatIsEvaluated) {
  EXPECT_EQ(Mentions("f = new Function('m', 'return import(m)');"), kEvaluatesImport | kLocatesModules);
  EXPECT_EQ(Mentions("f = eval(\"import(m);\");"), kEvaluatesImport | kLocatesModules);
  EXPECT_EQ(Mentions("print(\"import(\"); print('import()'); import(m); print(\"an import(m) of \");"), 0U);
}

}  // namespace
}  // namespace piship::bundle
