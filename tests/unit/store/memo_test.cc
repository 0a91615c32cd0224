// SPDX-License-Identifier: MIT
#include "store_fixture.h"

namespace piship {
namespace {

class Memo : public StoreTest {
 protected:
  std::string OnlyMemo() const {
    for (const std::string& file : Files()) {
      if (file.find("/memos/") != std::string::npos) return file;
    }
    return {};
  }
};

TEST_F(Memo, IsRecalledByKindAndKey) {
  const Store store = OpenStore();
  const std::string key("a key\n\0with bytes", 17);
  const std::string value("a value\0\n", 9);
  EXPECT_EQ(store.Recall("package", key), std::nullopt);
  PISHIP_ASSERT_OK(store.Remember("package", key, value));
  PISHIP_ASSERT_OK(store.Remember("frame", key, ""));
  EXPECT_EQ(store.Recall("package", key), value);
  EXPECT_EQ(store.Recall("frame", key), "");
  EXPECT_EQ(store.Recall("package", "another"), std::nullopt);
  PISHIP_ASSERT_OK(store.Remember("package", key, "new"));
  EXPECT_EQ(OpenStore().Recall("package", key), "new");
}

TEST_F(Memo, IsForgottenWhenAnyByteChanges) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Remember("package", "key", "value"));
  const std::string path = OnlyMemo();
  const std::string text = ReadFile(path).value_or("");
  ASSERT_FALSE(text.empty());
  for (std::size_t index = 0; index < text.size(); ++index) {
    std::string changed = text;
    changed[index] = static_cast<char>(changed[index] ^ 4);
    Overwrite(path, changed);
    EXPECT_EQ(store.Recall("package", "key"), std::nullopt) << index;
    Overwrite(path, text.substr(0, index));
    EXPECT_EQ(store.Recall("package", "key"), std::nullopt) << index;
  }
  Overwrite(path, text);
  EXPECT_EQ(store.Recall("package", "key"), "value");
}

TEST_F(Memo, OfAnotherKeyIsNotTaken) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Remember("package", "one", "1"));
  const std::string one = OnlyMemo();
  const std::string text = ReadFile(one).value_or("");
  std::filesystem::remove(one);
  PISHIP_ASSERT_OK(store.Remember("package", "two", "2"));
  Overwrite(OnlyMemo(), text);
  EXPECT_EQ(store.Recall("package", "two"), std::nullopt);
  EXPECT_EQ(store.Check()->damaged.size(), 1U);
}

TEST_F(Memo, ThatIsNoFileDoesNotHang) {
  const Store store = OpenStore();
  PISHIP_ASSERT_OK(store.Remember("package", "key", "value"));
  const std::string path = OnlyMemo();
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(store.Recall("package", "key"), std::nullopt);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_EQ(store.Recall("package", "key"), std::nullopt);
  PISHIP_ASSERT_OK(store.Remember("package", "key", "value"));
  EXPECT_EQ(store.Recall("package", "key"), "value");
}

TEST_F(Memo, OfAKindThatIsNoNameIsRefused) {
  PISHIP_EXPECT_ERROR(OpenStore().Remember("../evil", "key", "value"), ErrorCode::kInternal);
  EXPECT_EQ(OpenStore().Recall("../evil", "key"), std::nullopt);
}

}  // namespace
}  // namespace piship
