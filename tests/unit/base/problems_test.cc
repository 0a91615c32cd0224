// SPDX-License-Identifier: MIT
#include "base/problems.h"

#include <gmock/gmock.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ObjectReaderTest : public testing::Test {
 protected:
  json::Value Parsed(std::string_view text) {
    auto value = json::Parse(text, "f");
    EXPECT_TRUE(value.has_value());
    return value ? *value : json::Value();
  }
  Problems problems_{"f"};
};

TEST_F(ObjectReaderTest, TakesMembersOfTheRightKind) {
  const json::Value value = Parsed(R"({"s":"x","i":-3,"b":true,"a":[1],"o":{}})");
  ObjectReader reader(value, "the lock", problems_, UnknownKeys::kError);
  EXPECT_EQ(reader.String("s"), "x");
  EXPECT_EQ(reader.Integer("i"), -3);
  EXPECT_EQ(reader.OptionalBoolean("b"), true);
  ASSERT_NE(reader.Array("a"), nullptr);
  ASSERT_NE(reader.Object("o"), nullptr);
  EXPECT_EQ(reader.OptionalString("none"), std::nullopt);
  EXPECT_EQ(reader.OptionalArray("none"), nullptr);
  reader.Finish();
  EXPECT_THAT(problems_.lines(), IsEmpty());
}

TEST_F(ObjectReaderTest, NotesEveryProblemWithItsPlace) {
  const json::Value value = Parsed("{\n  \"s\": 1,\n  \"i\": 1.5,\n  \"verison\": 2\n}");
  ObjectReader reader(value, "the lock", problems_, UnknownKeys::kError);
  EXPECT_EQ(reader.String("s"), std::nullopt);
  EXPECT_EQ(reader.Integer("i"), std::nullopt);
  EXPECT_EQ(reader.Integer("version"), std::nullopt);
  reader.Finish();
  EXPECT_THAT(problems_.lines(), ElementsAre("f:2:8: \"s\" must be a string, not an integer",
                                             "f:3:8: \"i\" must be an integer, not a number with a fraction",
                                             "f:1:1: the lock lacks \"version\"",
                                             "f:4:3: unknown key \"verison\" in the lock; did you mean \"version\"?"));
}

TEST_F(ObjectReaderTest, KeepsQuietAboutUnknownKeysWhereTheyAreAllowed) {
  const json::Value value = Parsed(R"({"more":1})");
  ObjectReader reader(value, "the receipt", problems_, UnknownKeys::kIgnore);
  reader.Finish();
  EXPECT_THAT(problems_.lines(), IsEmpty());
}

TEST_F(ObjectReaderTest, SaysOnceThatAValueIsNotAnObject) {
  const json::Value value = Parsed("\n[]");
  ObjectReader reader(value, "the lock", problems_, UnknownKeys::kError);
  EXPECT_EQ(reader.String("s"), std::nullopt);
  reader.Finish();
  EXPECT_THAT(problems_.lines(), ElementsAre("f:2:1: the lock must be an object, not an array"));
}

TEST(Problems, OneBecomesTheMessageSeveralBecomeAList) {
  Problems problems("f");
  EXPECT_TRUE(problems.empty());
  problems.Add({3, 4}, "is wrong");
  const Error one = problems.ToError(ErrorCode::kLockInvalid, "mend it");
  EXPECT_EQ(one.message, "f:3:4: is wrong");
  EXPECT_EQ(one.hint, "mend it");
  EXPECT_THAT(one.problems, IsEmpty());
  problems.Add("lacks an end");
  const Error two = problems.ToError(ErrorCode::kLockInvalid);
  EXPECT_EQ(two.message, "f: 2 problems");
  EXPECT_THAT(two.problems, ElementsAre("f:3:4: is wrong", "f: lacks an end"));
}

TEST(NearestName, FindsSlipsAndNothingElse) {
  const std::vector<std::string> names = {"--output", "--offline", "id", "list", "uninstall"};
  EXPECT_EQ(NearestName("--ouput", names), "--output");
  EXPECT_EQ(NearestName("--of-line", names), "--offline");
  EXPECT_EQ(NearestName("lsit", names), "list");
  EXPECT_EQ(NearestName("uninstal", names), "uninstall");
  EXPECT_EQ(NearestName("x", names), "");
  EXPECT_EQ(NearestName("zz", names), "");
  EXPECT_EQ(NearestName("--registry", names), "");
  EXPECT_EQ(NearestName("", names), "");
  EXPECT_EQ(NearestName("output", {}), "");
}

}  // namespace
}  // namespace piship
