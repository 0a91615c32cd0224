// SPDX-License-Identifier: MIT
#include "model/inventory.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

using testing::HasSubstr;

InventoryEntry Entry(std::string_view path, std::string_view content = "", FileMode mode = FileMode::kPlain) {
  return {Digest::Of(content), content.size(), mode, RelativePath::Parse(path).value()};
}

std::string Line(std::string_view path, std::string_view content = "", char mode = '-') {
  return Digest::Of(content).Hex() + " " + std::to_string(content.size()) + " " + mode + " " + std::string(path) + "\n";
}

const std::string kFirst(Inventory::kFirstLine);

std::string RefusalOf(const std::string& text) {
  const auto inventory = Inventory::Parse(text, "f");
  if (inventory) return "no error";
  EXPECT_EQ(inventory.error().code, ErrorCode::kInventoryInvalid);
  return inventory.error().message;
}

TEST(Inventory, WritesOneLineAFileInTheOrderOfTheBytes) {
  const auto inventory = Inventory::FromEntries({Entry("b", "xyz", FileMode::kExecutable), Entry("a/b"), Entry("a-b")});
  PISHIP_ASSERT_OK(inventory);
  EXPECT_EQ(inventory->Text(), kFirst + Line("a-b") + Line("a/b") + Line("b", "xyz", 'x'));
  EXPECT_EQ(inventory->total_bytes(), 3U);
}

TEST(Inventory, ParsesWhatItWrites) {
  const auto inventory =
      Inventory::FromEntries({Entry("with space/\xc3\xa9", "1"), Entry("b", "xyz", FileMode::kExecutable)});
  PISHIP_ASSERT_OK(inventory);
  const auto parsed = Inventory::Parse(inventory->Text(), "f");
  PISHIP_ASSERT_OK(parsed);
  EXPECT_EQ(parsed->entries(), inventory->entries());
  EXPECT_EQ(parsed->total_bytes(), 4U);
}

TEST(Inventory, MayBeEmpty) {
  EXPECT_EQ(Inventory().Text(), kFirst);
  EXPECT_TRUE(Inventory::Parse(kFirst, "f").value().entries().empty());
}

TEST(Inventory, RefusesAnythingButTheCanonicalText) {
  const std::string good = Line("a");
  EXPECT_THAT(RefusalOf(""), HasSubstr("f:1:"));
  EXPECT_THAT(RefusalOf(good), HasSubstr("f:1:"));
  EXPECT_THAT(RefusalOf("piship-inventory 1"), HasSubstr("f:1:"));
  EXPECT_THAT(RefusalOf("piship-inventory 01\n"), HasSubstr("f:1:"));
  EXPECT_THAT(RefusalOf("piship-inventory 0\n"), HasSubstr("f:1:"));
  EXPECT_THAT(RefusalOf("piship-inventory 1\r\n" + good), HasSubstr("f:1:"));
  EXPECT_THAT(RefusalOf(kFirst + good.substr(0, good.size() - 1)), HasSubstr("f:2: the last line has no end"));
  EXPECT_THAT(RefusalOf(kFirst + "\n"), HasSubstr("f:2:"));
  EXPECT_THAT(RefusalOf(kFirst + good + "\n"), HasSubstr("f:3:"));
  EXPECT_THAT(RefusalOf(kFirst + Line("b") + good), HasSubstr("f:3: is not in order"));
  EXPECT_THAT(RefusalOf(kFirst + good + good), HasSubstr("f:3: is not in order"));
  EXPECT_THAT(RefusalOf(kFirst + Line("a\r")), HasSubstr("f:2: contains a control character"));
  EXPECT_THAT(RefusalOf(kFirst + Line("../a")), HasSubstr("f:2: has a '.' or '..' component"));
  EXPECT_THAT(RefusalOf(kFirst + Line("a", "", 'X')), HasSubstr("f:2: lacks ' x ' or ' - '"));
}

TEST(Inventory, RefusesOtherSpellingsOfDigestAndSize) {
  const std::string digest = Digest::Of("").Hex();
  std::string upper = digest;
  upper[0] = 'E';
  EXPECT_THAT(RefusalOf(kFirst + upper + " 0 - a\n"), HasSubstr("SHA-256"));
  for (const char* size : {"00", "01", "+1", "-1", "0x1", "1.0", "18446744073709551616", "", " 1", "1 "}) {
    EXPECT_THAT(RefusalOf(kFirst + digest + " " + size + " - a\n"), HasSubstr("f:2: ")) << size;
  }
  EXPECT_THAT(RefusalOf(kFirst + digest + "  0 - a\n"), HasSubstr("f:2: "));
  EXPECT_THAT(RefusalOf(kFirst + digest + " 0  - a\n"), HasSubstr("f:2: "));
  EXPECT_THAT(RefusalOf(kFirst + digest + "\t0 - a\n"), HasSubstr("f:2: "));
}

TEST(Inventory, SaysThatAFormatIsNewer) {
  const auto inventory = Inventory::Parse("piship-inventory 2\nanything", "f");
  PISHIP_EXPECT_ERROR(inventory, ErrorCode::kFormatNewer);
  EXPECT_EQ(inventory.error().message, "f has inventory format 2, this PiShip reads 1");
}

TEST(Inventory, RefusesPathsThatCantExistSideBySide) {
  PISHIP_EXPECT_ERROR(Inventory::FromEntries({Entry("A"), Entry("a")}), ErrorCode::kPathConflict);
  PISHIP_EXPECT_ERROR(Inventory::FromEntries({Entry("a"), Entry("a")}), ErrorCode::kPathConflict);
  const auto parsed = Inventory::Parse(kFirst + Line("A/x") + Line("a/y"), "payload");
  PISHIP_EXPECT_ERROR(parsed, ErrorCode::kPathConflict);
  EXPECT_THAT(parsed.error().context, testing::ElementsAre(HasSubstr("payload")));
}

TEST(Inventory, HasLimits) {
  const InventoryLimits limits{.entries = 2, .total_bytes = 5};
  PISHIP_ASSERT_OK(Inventory::FromEntries({Entry("a", "123"), Entry("b", "45")}, limits));
  PISHIP_EXPECT_ERROR(Inventory::FromEntries({Entry("a", "123"), Entry("b", "456")}, limits),
                      ErrorCode::kLimitExceeded);
  PISHIP_EXPECT_ERROR(Inventory::FromEntries({Entry("a"), Entry("b"), Entry("c")}, limits), ErrorCode::kLimitExceeded);
  PISHIP_EXPECT_ERROR(Inventory::Parse(kFirst + Line("a") + Line("b") + Line("c"), "f", limits),
                      ErrorCode::kLimitExceeded);
  PISHIP_EXPECT_ERROR(Inventory::Parse(kFirst + Line("a", "123456"), "f", limits), ErrorCode::kLimitExceeded);
}

TEST(Inventory, DoesNotOverflowOnHugeSizes) {
  const std::string digest = Digest::Of("").Hex();
  PISHIP_EXPECT_ERROR(Inventory::Parse(kFirst + digest + " 18446744073709551615 - a\n" + digest + " 2 - b\n", "f"),
                      ErrorCode::kLimitExceeded);
}

TEST(Inventory, FindsEntriesByPath) {
  const auto inventory = Inventory::FromEntries({Entry("a"), Entry("b/c"), Entry("d")});
  PISHIP_ASSERT_OK(inventory);
  ASSERT_NE(inventory->Find("b/c"), nullptr);
  EXPECT_EQ(inventory->Find("b/c")->path.str(), "b/c");
  EXPECT_EQ(inventory->Find("b"), nullptr);
  EXPECT_EQ(inventory->Find("e"), nullptr);
  EXPECT_EQ(Inventory().Find("a"), nullptr);
}

TEST(ReadInventory, NamesItsFile) {
  const TempDir dir;
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "i", kFirst + Line("a")));
  EXPECT_EQ(ReadInventory(dir / "i").value().entries().size(), 1U);
  PISHIP_ASSERT_OK(WriteFileAtomically(dir / "i", "other"));
  const auto refused = ReadInventory(dir / "i");
  PISHIP_EXPECT_ERROR(refused, ErrorCode::kInventoryInvalid);
  EXPECT_THAT(refused.error().message, HasSubstr(dir / "i:1: "));
}

}  // namespace
}  // namespace piship
