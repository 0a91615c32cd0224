// SPDX-License-Identifier: MIT
#include "strip/file_kind.h"

#include <gtest/gtest.h>

namespace piship::strip {
namespace {

TEST(FileKindOf, GoesByTheName) {
  for (const char* map : {"a.js.map", "a.d.ts.map", "dir/style.css.map"}) EXPECT_EQ(KindOf(map), FileKind::kMap) << map;
  for (const char* declaration : {"a.d.ts", "a.d.mts", "x/a.d.cts"}) {
    EXPECT_EQ(KindOf(declaration), FileKind::kDeclaration) << declaration;
  }
  for (const char* source : {"a.ts", "a.mts", "x/a.cts", "d.ts"})
    EXPECT_EQ(KindOf(source), FileKind::kTypeScript) << source;
  for (const char* code : {"a.js", "bin/run", "a.json", "a.node", "a.tsx", "dist/data.wasm"}) {
    EXPECT_EQ(KindOf(code), FileKind::kCode) << code;
  }
  for (const char* other : {"README.md", "LICENSE", "tsconfig.json", "tsconfig.build.json", "logo.svg", "NOTICE.js"}) {
    EXPECT_EQ(KindOf(other), FileKind::kOther) << other;
  }
  EXPECT_EQ(KindOf("package.json"), FileKind::kManifest);
  EXPECT_EQ(KindOf("dist/cjs/package.json"), FileKind::kManifest);
}

}  // namespace
}  // namespace piship::strip
