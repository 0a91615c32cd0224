// SPDX-License-Identifier: MIT
// Hostile archives by the numbers of the project's list of attacks. Each is right but for one thing, its frame index
// included, so what is refused is that thing and not a consequence of making it. All must be refused as a whole, by
// their entry and a rule, whatever a lenient reader would make of them.
#include <gmock/gmock.h>

#include <functional>

#include "format/archive_layout.h"
#include "format/archive_reader.h"
#include "format/zstd_frame.h"
#include "support/archive_builder.h"
#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::HasSubstr;

constexpr char kVictim[] = "app/victim";
constexpr char kContent[] = "content\n";

// The blocks of the victim's entry; the frame holds app/a before it and app/z behind it.
std::vector<TestFile> Files() { return {{"app/a", "a"}, {kVictim, kContent}, {"app/z", "z"}, {"piship.lock", "{}"}}; }

TarFields VictimFields() {
  TarFields fields;
  fields.name = kVictim;
  fields.size = Octal11(sizeof kContent - 1);
  return fields;
}

// An archive with other bytes in the place of the victim's entry.
std::string With(const std::string& entry) {
  TestArchive archive(Files());
  const auto place = archive.Find(kVictim);
  archive.frames[place.frame].replace(place.offset, 2 * kTarBlock, entry);
  return archive.Pack();
}

std::string WithFields(const std::function<void(TarFields&)>& change, const std::string& content = kContent) {
  TarFields fields = VictimFields();
  change(fields);
  return With(TarBlock(fields) + Padded(content));
}

std::string WithName(const std::string& name) {
  return WithFields([&](TarFields& fields) { fields.name = name; });
}

std::string WithPaxName(const std::string& name) {
  return With(PaxHeader(PaxRecord("path", name)) + TarBlock(VictimFields()) + Padded(kContent));
}

std::string WithRecords(const std::string& records, char type = 'x') {
  return With(PaxHeader(records, type) + TarBlock(VictimFields()) + Padded(kContent));
}

std::string WithLink(char type, const std::string& target) {
  return WithFields(
      [&](TarFields& fields) {
        fields.type = type;
        fields.link = target;
        fields.size = Octal11(0);
      },
      "");
}

// Frames as they are, changed after compression.
std::string WithFrames(const std::function<void(std::vector<std::string>&, std::vector<std::size_t>&)>& change) {
  const TestArchive archive(Files());
  std::vector<std::string> compressed;
  std::vector<std::size_t> sizes;
  for (const std::string& frame : archive.frames) {
    compressed.push_back(*CompressFrame(frame, 1));
    sizes.push_back(frame.size());
  }
  change(compressed, sizes);
  return PackFrames(compressed, sizes);
}

struct Case {
  const char* name;
  std::string bytes;
  const char* rule;  // a part of the message
};

std::vector<Case> Names() {
  std::vector<Case> cases = {
      {"A01", WithName("/tmp/x"), "is absolute"},
      {"A02", WithName("//tmp/x"), "is absolute"},
      {"A03", WithName("../x"), "'..'"},
      {"A04", WithName("a/../../x"), "'..'"},
      {"A05", WithName("./a/./../../x"), "'.'"},
      {"A06", WithName("a/.."), "'..'"},
      {"A07", WithName(""), "is empty"},
      {"A08", WithName("."), "'.'"},
      {"A09", WithName(".."), "'..'"},
      {"A10", WithName("app/victim/"), "empty component"},
      {"A11_drive", WithName("C:\\x"), "which"},
      {"A11_drive_relative", WithName("C:x"), "which"},
      {"A11_share", WithName("\\\\srv\\s\\x"), "backslash"},
      {"A11_backslash", WithName("a\\..\\..\\x"), "backslash"},
      {"A12_device", WithName("CON"), "device name"},
      {"A12_device_extension", WithName("nul.txt"), "device name"},
      {"A12_dot", WithName("aux."), "which"},
      {"A12_stream", WithName("a:b"), "which"},
      {"A12_space", WithName("a "), "ends in a dot or a space"},
      {"A13_newline", WithName("a\nb"), "control"},
      {"A13_escape", WithName("a\x1b[2Jb"), "control"},
      {"A13_delete", WithName("a\x7f"), "control"},
      {"A14", WithName("a\xff"), "UTF-8"},
      {"A15", WithName("a\xc0\xaf"), "UTF-8"},
      {"A16", WithPaxName(std::string("app/victim\0x", 12)), "which"},
      {"A17",
       WithPaxName("app/\xe2\x80\xae"
                   "victim"),
       "which"},
      {"A18", WithPaxName("app/" + std::string(256, 'n')), "255 bytes"},
      {"A19_long", WithPaxName(std::string(std::size_t{64} << 10, 'n')), "entry 3"},
      {"A20", WithName("a/a/a/a/a"), "order"},
      {"A26", WithName("app/a"), "order"},
      {"A88_other_name", WithName("app/other"), "order"},
  };
  return cases;
}

std::vector<Case> Types() {
  std::vector<Case> cases = {
      {"A30", WithLink('2', "/etc/passwd"), "symbolic link to '/etc/passwd'"},
      {"A31", WithLink('2', "../.."), "symbolic link"},
      {"A32", WithLink('2', "a"), "symbolic link"},
      {"A38", WithFields([](TarFields& f) {
         f.type = '2';
         f.link = "a";
       }),
       "symbolic link"},
      {"A40", WithLink('1', "/etc/passwd"), "hard link"},
      {"A41", WithLink('1', "../x"), "hard link"},
      {"A44", WithLink('1', kVictim), "hard link"},
      {"A45", WithFields([](TarFields& f) {
         f.type = '1';
         f.link = "app/a";
       }),
       "hard link"},
      {"A50_character", WithLink('3', ""), "device"},
      {"A50_block", WithLink('4', ""), "device"},
      {"A51", WithLink('6', ""), "FIFO"},
      {"A52_contiguous", WithFields([](TarFields& f) { f.type = '7'; }), "contiguous"},
      {"A52_old", WithFields([](TarFields& f) { f.type = '\0'; }), "type '0'"},
      {"A52_gnu_directory", WithLink('D', ""), "GNU"},
      {"A52_gnu_multivolume", WithLink('M', ""), "GNU"},
      {"A52_gnu_volume", WithLink('V', ""), "GNU"},
      {"A53", WithFields([](TarFields& f) { f.type = 'Q'; }), "unknown type"},
      {"A54_old", WithLink('S', ""), "GNU"},
      {"A54_pax", WithRecords(PaxRecord("GNU.sparse.realsize", "8589934592")), "pax"},
      {"A25_directory", WithLink('5', ""), "directory"},
  };
  return cases;
}

std::vector<Case> Metadata() {
  std::vector<Case> cases = {
      {"A60_setuid", WithFields([](TarFields& f) { f.mode = "0004644"; }), "mode"},
      {"A60_sticky", WithFields([](TarFields& f) { f.mode = "0001644"; }), "mode"},
      {"A61", WithFields([](TarFields& f) { f.mode = "0000666"; }), "mode"},
      {"A61_executable", WithFields([](TarFields& f) { f.mode = "0000755"; }), "mode"},
      {"A62", WithFields([](TarFields& f) { f.mode = "0000000"; }), "mode"},
      {"A63", WithFields([](TarFields& f) { f.uid = "0001750"; }), "owner"},
      {"A63_base256", WithFields([](TarFields& f) { f.gid = std::string("\x80\0\0\1\0\0\0\0", 8); }), "owner"},
      {"A64", WithFields([](TarFields& f) { f.time = "14000000000"; }), "time"},
      {"A64_pax", WithRecords(PaxRecord("mtime", "nan")), "pax"},
      {"A65", WithRecords(PaxRecord("SCHILY.xattr.security.capability", "x")), "pax"},
      {"A65_acl", WithRecords(PaxRecord("SCHILY.acl.access", "user::rwx")), "pax"},
      {"A66", WithRecords(PaxRecord("RHT.security.selinux", "x")), "pax"},
      {"A67", WithFields([](TarFields& f) { f.user = "ro\x1b"; }), "owner's name"},
      {"A68", WithRecords(PaxRecord("SCHILY.fflags", "sappnd")), "pax"},
  };
  return cases;
}

std::vector<Case> Framing() {
  const std::string block = TarBlock(VictimFields());
  const std::string content = Padded(kContent);
  std::vector<Case> cases = {
      {"A70", WithFields([](TarFields& f) { f.checksum = std::string("000001\0 ", 8); }), "checksum"},
      {"A71", WithFields([](TarFields& f) { f.size = Octal11(0); }), "size 0"},
      {"A71_pax",
       With(PaxHeader(PaxRecord("size", "8")) + WithFields([](TarFields&) {}).substr(0, 0) + TarBlock([] {
              TarFields f = VictimFields();
              f.size = Octal11(0);
              return f;
            }()) +
            content),
       "pax header where none is needed"},
      {"A72", WithFields([](TarFields& f) { f.size = Octal11(1 << 20); }), "size"},
      {"A73_negative", WithFields([](TarFields& f) { f.size = std::string(12, '\xff'); }), "base 256"},
      {"A73_base256", WithFields([](TarFields& f) { f.size = std::string("\x80\0\0\0\0\0\0\0\0\0\0\x08", 12); }),
       "base 256"},
      {"A74_space", WithFields([](TarFields& f) { f.size = "         10 "; }), "canonical"},
      {"A74_nul", WithFields([](TarFields& f) { f.size = std::string("10\0", 3); }), "canonical"},
      {"A74_junk", WithFields([](TarFields& f) { f.size = "0000000001x"; }), "octal"},
      {"A74_digit", WithFields([](TarFields& f) { f.size = "00000000018"; }), "octal"},
      {"A75", With(PaxHeader(PaxRecord("path", kVictim)) + PaxHeader(PaxRecord("path", kVictim)) + block + content),
       "pax"},
      {"A76", With(PaxHeader(PaxRecord("path", kVictim))), "pax"},
      {"A77", WithRecords(PaxRecord("path", kVictim), 'g'), "global"},
      {"A78_short", WithRecords("5 path=app/victim\n"), "length"},
      {"A78_long", WithRecords("99 path=app/victim\n"), "length"},
      {"A78_newline", WithRecords("19 path=app/victim "), "length"},
      {"A78_equals", WithRecords("18 path:app/victim\n"), "pax"},
      {"A78_huge", WithRecords("99999999999999999999 path=app/victim\n"), "length"},
      {"A79",
       With(PaxHeader(std::string("app/other\0", 10), 'L') + PaxHeader(PaxRecord("path", kVictim)) + block + content),
       "GNU long name"},
      {"A80", WithFields([](TarFields& f) {
         f.type = 'L';
         f.size = Octal11(1 << 30);
       }),
       "GNU long name"},
      {"A80_link", WithFields([](TarFields& f) { f.type = 'K'; }), "GNU long name"},
      {"A81", With(std::string(kTarBlock, '\0') + content), "end is in its place"},
      {"A81_before", With(std::string(kTarBlock, '\0') + block + content), "end is in its place"},
      {"A83_padding", WithFields([](TarFields&) {}, std::string(kContent) + "hidden"), "padding"},
      {"A86", With(block + content + TarBlock([] {
                     TarFields f;
                     f.name = "app/w";
                     return f;
                   }())),
       "order"},
      {"A_magic_gnu", WithFields([](TarFields& f) { f.magic = std::string("ustar  \0", 8); }), "ustar"},
      {"A_magic_v7", WithFields([](TarFields& f) { f.magic = std::string(8, '\0'); }), "ustar"},
      {"A_missing", With(""), "order"},
  };
  return cases;
}

class HostileEntry : public testing::TestWithParam<Case> {};

TEST_P(HostileEntry, IsRefusedByEntryAndRule) {
  for (const unsigned threads : {1U, 3U}) {
    CollectingSink sink;
    const auto result = ReadBytes(GetParam().bytes, sink, {.threads = threads, .limits = {}});
    PISHIP_EXPECT_ERROR(result, ErrorCode::kArchiveInvalid);
    EXPECT_THAT(result.error().message, HasSubstr(GetParam().rule));
    EXPECT_THAT(result.error().message, HasSubstr("entry "));
    EXPECT_FALSE(sink.files.contains(kVictim) && sink.files.contains("app/z"))
        << "files after the fault were handed on";
    EXPECT_THAT(sink.faults, testing::IsEmpty());
    // Nothing of the hostile name reaches a terminal as it is.
    const std::string shown = FormatError("test", result.error());
    EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  }
}

std::string NameOf(const testing::TestParamInfo<Case>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Names, HostileEntry, testing::ValuesIn(Names()), NameOf);
INSTANTIATE_TEST_SUITE_P(Types, HostileEntry, testing::ValuesIn(Types()), NameOf);
INSTANTIATE_TEST_SUITE_P(Metadata, HostileEntry, testing::ValuesIn(Metadata()), NameOf);
INSTANTIATE_TEST_SUITE_P(Framing, HostileEntry, testing::ValuesIn(Framing()), NameOf);

struct StreamCase {
  const char* name;
  std::string bytes;
  ErrorCode code;
};

std::string Skippable(std::size_t size) {
  std::string frame("\x50\x2a\x4d\x18", 4);
  for (unsigned shift = 0; shift < 32; shift += 8) frame += static_cast<char>(size >> shift & 0xff);
  return frame.append(size, 's');
}

std::vector<StreamCase> Streams() {
  const TestArchive archive(Files());
  const std::string whole = archive.Pack();
  const auto without = [&](std::size_t number) {
    TestArchive copy(Files());
    copy.frames.erase(copy.frames.begin() + static_cast<std::ptrdiff_t>(number));
    return copy.Pack();
  };
  TestArchive no_end(Files());
  no_end.frames.pop_back();
  TestArchive one_zero_block(Files());
  one_zero_block.frames.back().resize(kTarBlock);
  TestArchive more_zeros(Files());
  more_zeros.frames.back().append(8 * kTarBlock, '\0');
  TestArchive after_end(Files());
  after_end.frames.push_back(after_end.frames[1]);
  TestArchive entry_after_end(Files());
  entry_after_end.frames.back() += entry_after_end.frames[1];
  TestArchive swapped(Files());
  std::swap(swapped.frames[1], swapped.frames[2]);
  TestArchive wrong_text(Files());
  wrong_text.frames[0][kTarBlock + 30] ^= 1;
  const auto frames = [](const std::function<void(std::vector<std::string>&, std::vector<std::size_t>&)>& change) {
    return WithFrames(change);
  };
  return {
      {"A82_no_end", no_end.Pack(), ErrorCode::kArchiveInvalid},
      {"A81_one_zero_block", one_zero_block.Pack(), ErrorCode::kArchiveInvalid},
      {"A83_more_zeros", more_zeros.Pack(), ErrorCode::kArchiveInvalid},
      {"A83_frame_after_end", after_end.Pack(), ErrorCode::kArchiveInvalid},
      {"A83_entry_after_end", entry_after_end.Pack(), ErrorCode::kArchiveInvalid},
      {"A83_trailing_byte", whole + "x", ErrorCode::kArchiveInvalid},
      {"A83_trailing_skippable", whole + Skippable(4), ErrorCode::kArchiveInvalid},
      {"A85_twice", whole + whole, ErrorCode::kArchiveInvalid},
      {"A87_no_inventory", without(0), ErrorCode::kArchiveInvalid},
      {"A87_missing_file", without(2), ErrorCode::kArchiveInvalid},
      {"A88_order", swapped.Pack(), ErrorCode::kArchiveInvalid},
      {"A86_wrong_inventory", wrong_text.Pack(), ErrorCode::kIntegrityFailed},
      {"A90_gzip", std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10) + whole, ErrorCode::kArchiveInvalid},
      {"A91_window",
       frames([](auto& f, auto&) { f[1] = std::string("\x28\xb5\x2f\xfd\x84\xa8\x00\x06\x00\x00\x01\x00\x00", 13); }),
       ErrorCode::kArchiveInvalid},
      {"A91_skippable_first", Skippable(10) + whole, ErrorCode::kArchiveInvalid},
      {"A91_skippable_between", frames([](auto& f, auto&) { f[1] = Skippable(10) + f[1]; }),
       ErrorCode::kArchiveInvalid},
      {"A91_skippable_flood",
       [&] {
         std::string flood;
         for (int count = 0; count < 10'000; ++count) flood += Skippable(0);
         return flood + whole;
       }(),
       ErrorCode::kArchiveInvalid},
      {"A91_dictionary", frames([](auto& f, auto&) { f[1][4] = static_cast<char>(f[1][4] | 1); }),
       ErrorCode::kArchiveInvalid},
      {"A91_no_checksum", frames([](auto& f, auto&) { f[1][4] = static_cast<char>(f[1][4] & ~4); }),
       ErrorCode::kArchiveInvalid},
      {"A91_size_lie", frames([](auto& f, auto&) { f[1][5] = static_cast<char>(f[1][5] ^ 2); }),
       ErrorCode::kArchiveInvalid},
      {"A91_size_lie_huge",
       frames([](auto& f, auto&) { f[1] = std::string("\x28\xb5\x2f\xfd\xe4\xff\xff\xff\xff\xff\xff\xff\x7f", 13); }),
       ErrorCode::kArchiveInvalid},
      {"A91_first_size_lie_huge", std::string("\x28\xb5\x2f\xfd\xe4\xff\xff\xff\xff\xff\xff\xff\x7f", 13) + whole,
       ErrorCode::kArchiveInvalid},
      {"A91_empty_block_flood", frames([](auto& f, auto&) {
         std::string blocks;
         for (int count = 0; count < 100'000; ++count) blocks.append(3, '\0');
         f[1].insert(7, blocks);
       }),
       ErrorCode::kArchiveInvalid},
      {"A_two_frames_for_one", frames([](auto& f, auto& s) {
         // The same content in two frames: another archive of the same files, so not the canonical one.
         const TestArchive right(Files());
         f[2] = *CompressFrame(right.frames[2].substr(0, 1024), 1);
         f.insert(f.begin() + 3, *CompressFrame(right.frames[2].substr(1024), 1));
         s[2] = 1024;
         s.insert(s.begin() + 3, right.frames[2].size() - 1024);
       }),
       ErrorCode::kArchiveInvalid},
      {"A_no_index", whole.substr(0, whole.size() - 49 - 40 * archive.frames.size()), ErrorCode::kArchiveTruncated},
      {"A_empty", "", ErrorCode::kArchiveTruncated},
      {"A_text", "just a text that is no archive at all", ErrorCode::kArchiveInvalid},
  };
}

class HostileStream : public testing::TestWithParam<StreamCase> {};

TEST_P(HostileStream, IsRefused) {
  for (const unsigned threads : {1U, 3U}) {
    CollectingSink sink;
    PISHIP_EXPECT_ERROR(ReadBytes(GetParam().bytes, sink, {.threads = threads, .limits = {}}), GetParam().code);
    EXPECT_THAT(sink.faults, testing::IsEmpty());
  }
}

std::string NameOfStream(const testing::TestParamInfo<StreamCase>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Streams, HostileStream, testing::ValuesIn(Streams()), NameOfStream);

// What an inventory itself may not say (A21 to A24, A86) is refused before any file.
TEST(HostileInventory, IsRefusedBeforeAnyFile) {
  const std::string line = Digest::Of("").Hex() + " 0 - ";
  for (const std::string& paths :
       std::vector<std::string>{"A\n" + line + "a\n", "app/a\n" + line + "app/a/b\n", "../x\n", "a\n" + line + "a\n",
                                "stra\xc3\x9f"
                                "e\n" +
                                    line + "strasse\n",
                                "\xc3\xa9\n" + line + "e\xcc\x81\n"}) {
    const std::string text = std::string(Inventory::kFirstLine) + line + paths;
    TarFields fields;
    fields.name = "metadata/inventory";
    fields.size = Octal11(text.size());
    const std::string first = TarBlock(fields) + Padded(text);
    CollectingSink sink;
    EXPECT_FALSE(ReadBytes(PackFrames({*CompressFrame(first, 1)}, {first.size()}), sink)) << paths;
    EXPECT_FALSE(sink.begun) << paths;
  }
}

// A header may claim an inventory of 8 GiB; no memory follows from that.
TEST(HostileInventory, SizeIsBounded) {
  TarFields fields;
  fields.name = "metadata/inventory";
  fields.size = "77777777777";
  const std::string first = TarBlock(fields) + std::string(1024, 'x');
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(ReadBytes(PackFrames({*CompressFrame(first, 1)}, {first.size()}), sink),
                      ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace piship
