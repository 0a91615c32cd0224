// SPDX-License-Identifier: MIT
#include "bundle/output.h"

#include <gtest/gtest.h>

namespace piship::bundle {
namespace {

TEST(ForwardingModule, ExportsTheSameNames) {
  EXPECT_EQ(ForwardingModule("", "../../@piship/bundle/x-A.mjs", {"a", "default", "b-c"}),
            "export { a, default, \"b-c\" } from \"../../@piship/bundle/x-A.mjs\";\n");
  EXPECT_EQ(ForwardingModule("#!/usr/bin/env node\n", "./node_modules/@piship/bundle/x.mjs", {}),
            "#!/usr/bin/env node\nimport \"./node_modules/@piship/bundle/x.mjs\";\n");
}

TEST(FinishChunk, BindsRequireToThePlaceOfTheChunk) {
  const std::string shim =
      "var __require = /* @__PURE__ */ ((x) => typeof require !== \"undefined\" ? require : typeof Proxy !== "
      "\"undefined\" ? new Proxy(x, {\n  get: (a, b) => (typeof require !== \"undefined\" ? require : a)[b]\n}) : "
      "x)(function(x) {\n  if (typeof require !== \"undefined\") return require.apply(this, arguments);\n"
      "  throw Error('Dynamic require of \"' + x + '\" is not supported');\n});\n";
  EXPECT_EQ(FinishChunk("#!/usr/bin/env node\nvar a = 1;\n" + shim + "var b = 2;\n"),
            "#!/usr/bin/env node\nimport { createRequire as __piship_create_require } from \"node:module\";\n"
            "var a = 1;\nvar __require = __piship_create_require(import.meta.url);\nvar b = 2;\n");
}

TEST(FinishChunk, GivesMissingImportsTheirNamesBack) {
  EXPECT_EQ(FinishChunk("import \"piship-missing:x\"; __require(\"piship-missing:@a/b\");\n"),
            "import \"x\"; __require(\"@a/b\");\n");
}

TEST(Namespaces, AreUsedWhereAFileOfCommonJsIsImported) {
  EXPECT_EQ(UseNamespaces("a = import(\"./a.mjs\"); b = import(\"./b.mjs\"); import(\"./a.mjs", {"a.mjs"}),
            "a = import(\"./a.mjs\").then((module) => module.__piship_namespace); b = import(\"./b.mjs\"); "
            "import(\"./a.mjs");
  const std::string text = AddNamespace("var x;\nexport default require_x();\n");
  EXPECT_TRUE(text.starts_with("var x;\nconst __piship_exports = require_x();\nexport default __piship_exports;\n"));
}

}  // namespace
}  // namespace piship::bundle
