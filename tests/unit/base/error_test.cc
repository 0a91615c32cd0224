// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <set>

#include "base/result.h"
#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::HasSubstr;

struct Row {
  const char* name;
  const char* code;
  int exit_status;
  const char* summary;
};
constexpr Row kRows[] = {
#define PISHIP_ERROR(name, code, exit_status, summary) {#name, code, exit_status, summary},
#include "base/errors.def"
#undef PISHIP_ERROR
};

// "InventoryInvalid" -> "INVENTORY_INVALID"
std::string UpperSnake(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z' && !out.empty()) out += '_';
    out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return out;
}

TEST(ErrorTable, CodesAreUniqueAndSpelledAsTheirNames) {
  std::set<std::string> seen;
  for (const Row& row : kRows) {
    EXPECT_TRUE(seen.insert(row.code).second) << row.code << " appears twice";
    EXPECT_EQ(UpperSnake(row.name), row.code);
    EXPECT_TRUE(std::string_view(row.summary).ends_with('.')) << row.code;
  }
}

TEST(ErrorTable, ExitStatusesComeFromTheDocumentedSet) {
  for (const Row& row : kRows) {
    EXPECT_THAT(row.exit_status, testing::AnyOf(1, 2, 3, 4, 70, 126, 127)) << row.code;
  }
  EXPECT_EQ(ErrorCodeName(ErrorCode::kInventoryInvalid), "INVENTORY_INVALID");
  EXPECT_EQ(ExitStatus(ErrorCode::kUsage), 2);
  EXPECT_EQ(ExitStatus(ErrorCode::kInternal), 70);
}

TEST(SystemErrors, HaveTheCodeOfTheirCause) {
  const auto code = [](int number) { return ErrorCodeName(SystemError("write 'x'", number).code); };
  EXPECT_EQ(code(ENOENT), "FILE_NOT_FOUND");
  EXPECT_EQ(code(EACCES), "PERMISSION_DENIED");
  EXPECT_EQ(code(EROFS), "PERMISSION_DENIED");
  EXPECT_EQ(code(ENOSPC), "DISK_FULL");
  EXPECT_EQ(code(EDQUOT), "DISK_FULL");
  EXPECT_EQ(code(EISDIR), "FILE_INVALID");
  EXPECT_EQ(code(ELOOP), "FILE_INVALID");
  EXPECT_EQ(code(ENAMETOOLONG), "FILE_INVALID");
  EXPECT_EQ(code(EIO), "IO_FAILED");
  EXPECT_EQ(SystemError("write 'x'", EIO).message, "can't write 'x': Input/output error");
}

TEST(FormatError, ShowsEveryPartInOrder) {
  Error error{ErrorCode::kLockInvalid, "piship.lock: 2 problems", "build it again", {"l:1:1: one", "l:2:1: two"}};
  error = std::move(error).While("installing acme 1.2.0").While("updating");
  EXPECT_EQ(FormatError("piship", error),
            "piship: error: piship.lock: 2 problems [LOCK_INVALID]\n"
            "  l:1:1: one\n"
            "  l:2:1: two\n"
            "  while: installing acme 1.2.0\n"
            "  while: updating\n"
            "  hint: build it again");
}

TEST(FormatError, MakesHostileNamesVisible) {
  const Error error{ErrorCode::kPathInvalid, "the path 'a\x1b[2Jb\n\xe2\x80\xae\xff\xc2\x9b' is bad"};
  EXPECT_EQ(FormatError("piship", error),
            "piship: error: the path 'a\\x1b[2Jb\\x0a\\xe2\\x80\\xae\\xff\\xc2\\x9b' is bad [PATH_INVALID]");
  EXPECT_EQ(Printable("caf\xc3\xa9 \xf0\x9f\x98\x80"), "caf\xc3\xa9 \xf0\x9f\x98\x80");
}

Result<int> Half(int number) {
  if (number % 2 != 0) return Fail(ErrorCode::kUsage, "odd");
  return number / 2;
}
Result<int> Quarter(int number) {
  PISHIP_TRY(const int half, Half(number));
  PISHIP_CHECK(Half(half));
  return half / 2;
}

TEST(Result, TryUnwrapsOrReturnsTheError) {
  const auto quarter = Quarter(8);
  PISHIP_ASSERT_OK(quarter);
  EXPECT_EQ(*quarter, 2);
  PISHIP_EXPECT_ERROR(Quarter(7), ErrorCode::kUsage);
  PISHIP_EXPECT_ERROR(Quarter(6), ErrorCode::kUsage);
}

}  // namespace
}  // namespace piship
