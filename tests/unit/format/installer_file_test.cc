// SPDX-License-Identifier: MIT
#include "format/installer_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <array>

#include "base/files.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

constexpr std::string_view kArchive = "\x28\xb5\x2f\xfd and more";

// The beginning of a 64-bit program whose sections end at `end`, filled up to there.
std::string Program(std::size_t end) {
  std::string program(end, '\0');
  program.replace(0, 7,
                  "\x7f"
                  "ELF\x02\x01\x01");
  program[0x28] = static_cast<char>(end - 64 * 3);
  program[0x3a] = 64;
  program[0x3c] = 3;
  return program;
}

std::string Installer(const std::string& program, std::string_view archive = kArchive) {
  return program + std::string(archive) +
         InstallerTrailerBytes({program.size(), archive.size(), Digest::Of(program), Digest::Of(archive)});
}

class InstallerFile : public testing::Test {
 protected:
  Result<std::optional<InstallerTrailer>> Find(const std::string& bytes) {
    EXPECT_TRUE(WriteFileAtomically(path_, bytes).has_value());
    fd_ = *OpenFile(path_, O_RDONLY);
    return FindInstaller(fd_.get(), "x.run");
  }

  TempDir temp_;
  std::string path_ = temp_ / "x.run";
  UniqueFd fd_;
};

// Written by hand from docs/formats/installer.md.
TEST_F(InstallerFile, TrailerHasTheDocumentedBytes) {
  std::array<std::uint8_t, Digest::kSize> ones{};
  ones.fill(1);
  std::array<std::uint8_t, Digest::kSize> twos{};
  twos.fill(2);
  const std::string expected = std::string("\x04\x03\x02\x01\0\0\0\0\x08\x07\x06\x05\0\0\0\x01", 16) +
                               std::string(32, '\x01') + std::string(32, '\x02') + "piship-install 1";
  EXPECT_EQ(InstallerTrailerBytes({0x01020304, 0x0100000005060708, Digest(ones), Digest(twos)}), expected);
  EXPECT_EQ(expected.size(), kInstallerTrailerBytes);
}

TEST_F(InstallerFile, IsFoundBehindTheProgram) {
  const std::string program = Program(300);
  const auto found = Find(Installer(program));
  PISHIP_ASSERT_OK(found);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ(**found, (InstallerTrailer{300, kArchive.size(), Digest::Of(program), Digest::Of(kArchive)}));
  PISHIP_ASSERT_OK(CheckInstallerProgram(fd_.get(), **found, "x.run"));
}

TEST_F(InstallerFile, WhatIsNoInstallerIsNone) {
  const std::string program = Program(300);
  std::string without_sections = program;
  without_sections[0x3c] = 0;
  for (const std::string& bytes :
       {std::string(), std::string(kArchive), std::string(1000, 'x'), program, program + "x",
        program + std::string(200, 'x'), without_sections + std::string(kArchive), program.substr(0, 250)}) {
    const auto found = Find(bytes);
    PISHIP_ASSERT_OK(found);
    EXPECT_FALSE(found->has_value()) << bytes.size();
  }
}

TEST_F(InstallerFile, EachTruncationBehindTheProgramIsOne) {
  const std::string program = Program(300);
  const std::string whole = Installer(program);
  for (std::size_t size = program.size() + 1; size < whole.size(); ++size) {
    PISHIP_EXPECT_ERROR(Find(whole.substr(0, size)), ErrorCode::kArchiveTruncated);
  }
}

TEST_F(InstallerFile, NumbersThatDoNotAddUpAreRefused) {
  const std::string program = Program(300);
  const std::string body = program + std::string(kArchive);
  for (const InstallerTrailer& trailer :
       {InstallerTrailer{0, body.size(), {}, {}}, InstallerTrailer{body.size(), 0, {}, {}},
        InstallerTrailer{300, kArchive.size() + 1, {}, {}}, InstallerTrailer{299, kArchive.size(), {}, {}},
        InstallerTrailer{UINT64_MAX, body.size() + 1, {}, {}}, InstallerTrailer{UINT64_MAX, UINT64_MAX, {}, {}}}) {
    PISHIP_EXPECT_ERROR(Find(body + InstallerTrailerBytes(trailer)), ErrorCode::kArchiveInvalid);
  }
}

TEST_F(InstallerFile, NamesANewerFormat) {
  std::string newer = Installer(Program(300));
  newer.back() = '2';
  PISHIP_EXPECT_ERROR(Find(newer), ErrorCode::kFormatNewer);
}

TEST_F(InstallerFile, ADamagedProgramIsFound) {
  std::string damaged = Installer(Program(300));
  damaged[200] = 'x';
  const auto found = Find(damaged);
  PISHIP_ASSERT_OK(found);
  ASSERT_TRUE(found->has_value());
  PISHIP_EXPECT_ERROR(CheckInstallerProgram(fd_.get(), **found, "x.run"), ErrorCode::kIntegrityFailed);
}

TEST_F(InstallerFile, ProgramsOfAllKindsSayWhereTheyEnd) {
  std::string big = Program(300);
  big[5] = 2;
  big.replace(0x28, 8, std::string("\0\0\0\0\0\0\x01\0", 8));
  big.replace(0x3a, 4, std::string("\0\x40\0\x03", 4));
  EXPECT_EQ(EndOfProgram(big), 256 + 64 * 3);
  std::string narrow(64, '\0');
  narrow.replace(0, 7,
                 "\x7f"
                 "ELF\x01\x01\x01");
  narrow.replace(0x20, 4, std::string("\0\x01\0\0", 4));
  narrow.replace(0x2e, 4, std::string("\x28\0\x02\0", 4));
  EXPECT_EQ(EndOfProgram(narrow), 256 + 40 * 2);
  EXPECT_EQ(EndOfProgram(Program(300).substr(0, 63)), std::nullopt);
  EXPECT_EQ(EndOfProgram(std::string(64, 'x')), std::nullopt);
  std::string far = Program(300);
  far.replace(0x28, 8, std::string(8, '\xff'));
  EXPECT_EQ(EndOfProgram(far), std::nullopt);
}

}  // namespace
}  // namespace piship
