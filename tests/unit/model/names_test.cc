// SPDX-License-Identifier: MIT
#include "model/names.h"

#include <gmock/gmock.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

TEST(Ids, AreShortLowerCaseWords) {
  for (const std::string& text :
       {std::string("a"), std::string("mypi"), std::string("my-pi-2"), std::string(64, 'a')}) {
    EXPECT_TRUE(CheckId(text, "the id").has_value()) << text;
  }
  for (const std::string& text : {std::string(), std::string("Pi"), std::string("2pi"), std::string("-pi"),
                                  std::string("pi-"), std::string("p--i"), std::string("p_i"), std::string("p.i"),
                                  std::string("p/i"), std::string("p i"), std::string(65, 'a'), std::string("con"),
                                  std::string("com1"), std::string("\xc3\xa9"), std::string("a\0", 2)}) {
    const Status status = CheckId(text, "the id");
    PISHIP_EXPECT_ERROR(status, ErrorCode::kNameInvalid);
    EXPECT_THAT(status.error().message, testing::StartsWith("the id '"));
  }
}

TEST(EnvironmentNames, AreUpperCaseAndHarmless) {
  for (const char* text : {"PI_OFFLINE", "_A", "A1"}) EXPECT_TRUE(CheckEnvironmentName(text).has_value()) << text;
  for (const char* text : {"", "1A", "a", "A-B", "A=B", "A B", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES",
                           "PISHIP_STATE_HOME"}) {
    PISHIP_EXPECT_ERROR(CheckEnvironmentName(text), ErrorCode::kNameInvalid);
  }
  PISHIP_EXPECT_ERROR(CheckEnvironmentName(std::string(129, 'A')), ErrorCode::kNameInvalid);
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

TEST(IsLicence, KnowsTheUsualNamesInAnyCase) {
  for (const char* name : {"LICENSE", "licence.md", "lib/LICENSE-MIT.d.ts", "Copying", "NOTICE.txt"})
    EXPECT_TRUE(IsLicence(name)) << name;
  for (const char* name : {"lib/typescript.js", "my-license.js"}) EXPECT_FALSE(IsLicence(name)) << name;
}

}  // namespace
}  // namespace piship
