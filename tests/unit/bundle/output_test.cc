// SPDX-License-Identifier: MIT
#include "bundle/output.h"

#include <gtest/gtest.h>

namespace piship::bundle {
namespace {

TEST(ForwardingModule, ExportsTheSameNames) {
  EXPECT_EQ(ForwardingModule("", "../../.bundle/x-A.mjs", {"a", "default", "b-c"}),
            "export { a, default, \"b-c\" } from \"../../.bundle/x-A.mjs\";\n");
  EXPECT_EQ(ForwardingModule("#!/usr/bin/env node\n", "./.bundle/x.mjs", {}),
            "#!/usr/bin/env node\nimport \"./.bundle/x.mjs\";\n");
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

}  // namespace
}  // namespace piship::bundle
