// SPDX-License-Identifier: MIT
#include "store_fixture.h"

namespace piship {
namespace {

constexpr std::int64_t kDay = 86400;

class MissingObjects : public StoreTest {
 protected:
  static std::string Bytes(int index) { return "object " + std::to_string(index); }
  static std::vector<StoredObject> Objects(int count) {
    std::vector<StoredObject> objects;
    for (int index = 0; index < count; ++index) objects.push_back({Digest::Of(Bytes(index)), Bytes(index).size()});
    return objects;
  }
  static void PutAll(const Store& store, int count) {
    for (int index = 0; index < count; ++index) PISHIP_ASSERT_OK(store.Put(Bytes(index)));
  }
  static std::vector<Digest> MissingOf(const Store& store, const std::vector<StoredObject>& objects) {
    const auto missing = store.Missing(objects);
    EXPECT_TRUE(missing.has_value());
    return missing.value_or(std::vector<Digest>{Digest()});
  }
};

TEST_F(MissingObjects, AreNamedOnceEach) {
  const Store store = OpenStore();
  for (const int count : {3, 500}) {  // asked for one by one, and by directory
    std::vector<StoredObject> objects = Objects(count);
    objects.push_back({Digest::Of("gone"), 4});
    objects.push_back({Digest::Of("gone"), 4});
    EXPECT_EQ(MissingOf(store, objects).size(), static_cast<std::size_t>(count) + 1);
    PutAll(store, count);
    for (int time = 0; time < 3; ++time) EXPECT_EQ(MissingOf(store, objects), std::vector{Digest::Of("gone")});
    std::filesystem::remove_all(StoreDirectory());
  }
}

TEST_F(MissingObjects, AreFoundAmongManyOthers) {
  const Store store = OpenStore();
  PutAll(store, 4000);
  std::vector<StoredObject> few = Objects(100);
  EXPECT_EQ(MissingOf(store, few).size(), 0U);
  EXPECT_EQ(MissingOf(store, few).size(), 0U);
  std::filesystem::remove(PathOf(few[42].digest));
  EXPECT_EQ(MissingOf(store, few), std::vector{few[42].digest});
}

TEST_F(MissingObjects, IncludeWhatIsNoFileAndOnceADayWhatHasAnotherSize) {
  const Store store = OpenStore();
  PutAll(store, 300);
  const std::vector<StoredObject> objects = Objects(300);
  Overwrite(PathOf(objects[7].digest), "short");
  EXPECT_EQ(MissingOf(store, objects), std::vector{objects[7].digest});
  PISHIP_ASSERT_OK(store.Put(Bytes(7)));
  EXPECT_EQ(MissingOf(store, objects).size(), 0U);
  std::filesystem::remove(PathOf(objects[8].digest));
  ASSERT_EQ(mkfifo(PathOf(objects[8].digest).c_str(), 0600), 0);
  EXPECT_EQ(MissingOf(store, objects), std::vector{objects[8].digest});
}

TEST_F(MissingObjects, MarksTheOthersAsUsedOnceADay) {
  const Store store = OpenStore();
  PutAll(store, 300);
  const std::vector<StoredObject> objects = Objects(300);
  SetAge(PathOf(objects[5].digest), 3 * kDay);
  SetAge(PathOf(objects[6].digest), kDay / 2);
  EXPECT_EQ(MissingOf(store, objects).size(), 0U);
  EXPECT_LT(Age(PathOf(objects[5].digest)), 100);
  EXPECT_GT(Age(PathOf(objects[6].digest)), kDay / 3);
}

TEST_F(MissingObjects, ReadingMarksAsUsedToo) {
  const Store store = OpenStore();
  PutAll(store, 2);
  const std::vector<StoredObject> objects = Objects(2);
  for (const StoredObject& object : objects) SetAge(PathOf(object.digest), 3 * kDay);
  PISHIP_ASSERT_OK(store.Read(objects[0].digest, objects[0].size));
  PISHIP_ASSERT_OK(store.Put(Bytes(1)));
  EXPECT_LT(Age(PathOf(objects[0].digest)), 100);
  EXPECT_LT(Age(PathOf(objects[1].digest)), 100);
}

TEST_F(MissingObjects, OfAnInventory) {
  const Store store = OpenStore();
  PutAll(store, 1);
  std::vector<InventoryEntry> entries;
  for (int index = 0; index < 2; ++index) {
    entries.push_back({Digest::Of(Bytes(index)), Bytes(index).size(), FileMode::kPlain,
                       *RelativePath::Parse("file" + std::to_string(index))});
  }
  const auto inventory = Inventory::FromEntries(entries);
  PISHIP_ASSERT_OK(inventory);
  EXPECT_EQ(*store.Missing(*inventory), std::vector{Digest::Of(Bytes(1))});
  EXPECT_EQ(store.Missing(Inventory())->size(), 0U);
}

}  // namespace
}  // namespace piship
