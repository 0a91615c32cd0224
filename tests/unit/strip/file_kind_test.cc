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

TEST(IsLicence, KnowsTheUsualNamesInAnyCase) {
  for (const char* name : {"LICENSE", "licence.md", "lib/LICENSE-MIT.d.ts", "Copying", "NOTICE.txt"})
    EXPECT_TRUE(IsLicence(name)) << name;
  for (const char* name : {"lib/typescript.js", "my-license.js"}) EXPECT_FALSE(IsLicence(name)) << name;
}

TEST(PackageOf, IsTheInnermost) {
  EXPECT_EQ(PackageOf("node_modules/a/lib/x.js"), "node_modules/a");
  EXPECT_EQ(PackageOf("node_modules/@s/a/x.js"), "node_modules/@s/a");
  EXPECT_EQ(PackageOf("node_modules/a/node_modules/@s/b/x"), "node_modules/a/node_modules/@s/b");
  EXPECT_EQ(PackageOf("node_modules/a/my_node_modules/b/x"), "node_modules/a");
  EXPECT_EQ(PackageOf("src/node_modules/a/x"), "src/node_modules/a");
  for (const char* path : {"src/a.d.ts", "node_modules/file", "node_modules/@s/file", "xnode_modules/a/b"}) {
    EXPECT_EQ(PackageOf(path), "") << path;
  }
}

}  // namespace
}  // namespace piship::strip
