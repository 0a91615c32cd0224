// SPDX-License-Identifier: MIT
#include "strip/manifest.h"

#include <gtest/gtest.h>

namespace piship::strip {
namespace {

const std::vector<std::string_view> kSources = {"src/index.ts", "src/deep/part.mts"};

std::string_view Why(std::string_view text) { return WhyManifestKeepsTypeScript(text, kSources); }

TEST(Manifest, ThatClosesThePackageAndNamesNoSourceKeepsNothing) {
  for (
      const char* text : {
          R"({"exports":"./dist/index.js"})",
          R"({"exports":{".":{"types":"./src/index.ts","import":"./dist/index.mjs"}},"main":"dist/index.js"})",
          R"({"exports":{"./*":"./dist/*.js"},"types":"src/index.ts","typesVersions":{"*":{"*":["src/*"]}}})",
          R"({"exports":{},"files":["src","dist"],"scripts":{"build":"tsc src/index.ts"},"description":"src/index.ts"})",
      }) {
    EXPECT_EQ(Why(text), "") << text;
  }
}

TEST(Manifest, ThatIsOpenOrUnreadableKeepsThem) {
  EXPECT_EQ(Why(R"({"main":"dist/index.js"})"), "typescript-open-package");
  EXPECT_EQ(Why(R"({"exports":null})"), "typescript-open-package");
  EXPECT_EQ(Why("{"), "typescript-manifest-unreadable");
  EXPECT_EQ(Why("[]"), "typescript-manifest-unreadable");
}

TEST(Manifest, OfAnExtensionKeepsThem) {
  EXPECT_EQ(Why(R"({"exports":"./dist/index.js","pi":{"extensions":["./dist"]}})"), "typescript-extension");
  EXPECT_EQ(Why(R"({"exports":"./dist/index.js","keywords":["pi-package"]})"), "typescript-extension");
}

TEST(Manifest, ThatLeadsToASourceKeepsThemUnderAnySpelling) {
  for (const char* text : {
           R"({"exports":"./src/index.ts"})",
           R"({"exports":{".":{"node":["./dist/x.js",{"default":"./src/index.ts"}]}}})",
           R"({"exports":"./src/index.js"})",
           R"({"exports":"./src/index"})",
           R"({"exports":{"./*":"./src/*"}})",
           R"({"exports":{"./*":"./*"}})",
           R"({"exports":{"./*":"./*.js"}})",
           R"({"exports":{"./*":"./src/*.mjs"}})",
           R"({"exports":{"./deep/":"./src/deep/"}})",
           R"({"exports":"./dist/x.js","bin":{"run":"src/index.ts"}})",
           R"({"exports":"./dist/x.js","imports":{"#part":"./src/deep/part.mts"}})",
           R"({"exports":"./dist/x.js","source":"src/index.ts"})",
           R"({"exports":"./dist/x.js","directories":{"lib":"./src"}})",
           R"({"exports":"./dist/x.js","unknown":{"to":["us","src/deep"]}})",
       }) {
    EXPECT_EQ(Why(text), "typescript-named-by-manifest") << text;
  }
}

}  // namespace
}  // namespace piship::strip
