// SPDX-License-Identifier: MIT
#include "support/hostile_archives.h"

#include "format/archive_layout.h"
#include "format/zstd_frame.h"

namespace piship {
namespace {

constexpr char kContent[] = "content\n";

TarFields VictimFields() {
  TarFields fields;
  fields.name = kVictim;
  fields.size = Octal11(sizeof kContent - 1);
  return fields;
}

std::string VictimBlock() { return TarBlock(VictimFields()); }

std::string WithFields(const std::function<void(TarFields&)>& change, const std::string& content = kContent) {
  TarFields fields = VictimFields();
  change(fields);
  return TarBlock(fields) + Padded(content);
}

std::string File(const std::string& name) {
  return WithFields([&](TarFields& fields) { fields.name = name; });
}

std::string WithRecords(const std::string& records, char type = 'x') {
  return PaxHeader(records, type) + VictimBlock() + Padded(kContent);
}

std::string PaxFile(const std::string& name) { return WithRecords(PaxRecord("path", name)); }

std::string Special(char type, const std::string& target, const std::string& name = kVictim) {
  return WithFields(
      [&](TarFields& fields) {
        fields.name = name;
        fields.type = type;
        fields.link = target;
        fields.size = Octal11(0);
      },
      "");
}

std::string Link(const std::string& target, const std::string& name = kVictim) { return Special('2', target, name); }
std::string HardLink(const std::string& target, const std::string& name = kVictim) {
  return Special('1', target, name);
}

std::string Repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t count = 0; count < times; ++count) out += text;
  return out;
}

// The checksum as some old programs computed it: bytes as signed numbers.
std::string SignedChecksum() {
  TarFields fields = VictimFields();
  fields.user = "\xff\xfe";
  const std::string block = TarBlock(fields);
  int sum = 0;
  for (std::size_t index = 0; index < block.size(); ++index) {
    sum += index >= 148 && index < 156 ? ' ' : static_cast<signed char>(block[index]);
  }
  char digits[16];
  std::snprintf(digits, sizeof digits, "%06o", static_cast<unsigned>(sum));
  fields.checksum = std::string(digits) + std::string("\0 ", 2);
  return TarBlock(fields) + Padded(kContent);
}

}  // namespace

std::vector<TestFile> FilesWithVictim(std::vector<TestFile> around) {
  around.push_back({"app/a", "a"});
  around.push_back({kVictim, kContent});
  around.push_back({"app/z", "z"});
  return around;
}

std::string ArchiveWith(const HostileEntry& entry, const std::vector<TestFile>& around) {
  TestArchive archive(FilesWithVictim(around));
  const auto place = archive.Find(kVictim);
  archive.frames[place.frame].replace(place.offset, 2 * kTarBlock, entry.bytes);
  return archive.Pack();
}

std::vector<HostileEntry> HostileNames(const std::string& outside) {
  return {
      {"A01", File(outside + "/x"), "is absolute"},
      {"A02", File("/" + outside + "/x"), "is absolute"},
      {"A03", File("../x"), "'..'"},
      {"A04", File("a/../../x"), "'..'"},
      {"A05", File("./a/./../../x"), "'.'"},
      {"A06", File("a/.."), "'..'"},
      {"A07", File(""), "is empty"},
      {"A08", File("."), "'.'"},
      {"A09", File(".."), "'..'"},
      {"A10", File("app/victim/"), "empty component"},
      {"A11_drive", File("C:\\x"), "contains a"},
      {"A11_drive_relative", File("C:x"), "colon"},
      {"A11_share", File("\\\\srv\\s\\x"), "backslash"},
      {"A11_backslash", File("a\\..\\..\\x"), "backslash"},
      {"A12_device", File("CON"), "device name"},
      {"A12_device_extension", File("nul.txt"), "device name"},
      {"A12_dot", File("aux."), "which"},
      {"A12_stream", File("a:b"), "colon"},
      {"A12_space", File("a "), "ends in a dot or a space"},
      {"A13_newline", File("a\nb"), "control"},
      {"A13_escape", File("a\x1b[2Jb"), "control"},
      {"A13_delete", File("a\x7f"), "control"},
      {"A13_c1", File("a\xc2\x9b[2J"), "control"},
      {"A14", File("a\xff"), "UTF-8"},
      {"A15", File("a\xc0\xaf"), "UTF-8"},
      {"A16", PaxFile(std::string("app/victim\0x", 12)), "which"},
      {"A17",
       PaxFile("app/\xe2\x80\xae"
               "victim"),
       "bidirectional"},
      {"A18", PaxFile("app/" + std::string(256, 'n')), "255 bytes"},
      {"A19", PaxFile(Repeated("n/", 2100) + "n"), "4,095 bytes"},
      {"A19_64_kib", PaxFile(std::string(std::size_t{64} << 10, 'n')), "pax header"},
      {"A20", PaxFile(Repeated("d/", 1000) + "d"), "128 components"},
      {"A20_beside_the_order", File("a/a/a/a/a"), "order"},
      {"A26", File("app/a"), "order"},
      {"A88_other_name", File("app/other"), "order"},
      {"S_node_tar_root_after_dots", File("..//" + outside + "/x"), "component"},
      {"S_node_tar_drive_relative", File("c:../x"), "colon"},
      {"S_node_tar_drive_relative_dots", File("c:.."), "colon"},
  };
}

std::vector<HostileEntry> HostileTypes(const std::string& outside) {
  const std::string victim = VictimBlock() + Padded(kContent);
  return {
      {"A25_directory", Special('5', ""), "directory"},
      {"A25_directory_then_file", Special('5', "") + victim, "directory"},
      {"A30", Link(outside + "/secret"), "symbolic link to '" + outside},
      {"A31", Link("../.."), "symbolic link"},
      {"A32", Link("a"), "symbolic link"},
      {"A33", Link(outside) + File("app/victim/x"), "symbolic link"},
      {"A34", Link(".", "app/cur") + Link("cur/..", "app/par") + File("app/par/x"), "symbolic link to '.'"},
      {"A35_link_first", Link(outside + "/x") + victim, "symbolic link"},
      {"A35_file_first", victim + Link(outside + "/x"), "symbolic link"},
      {"A36", Link("b", "app/victim") + Link("victim", "app/b"), "symbolic link"},
      {"A36_itself", Link("victim"), "symbolic link"},
      {"A37", PaxHeader(PaxRecord("linkpath", std::string(std::size_t{64} << 10, 't'))) + Link(""), "pax header"},
      {"A37_gnu", PaxHeader(std::string(std::size_t{64} << 10, 't') + '\0', 'K') + Link(""), "GNU long name"},
      {"A38", WithFields([](TarFields& f) {
         f.type = '2';
         f.link = "a";
       }),
       "symbolic link"},
      {"A40", HardLink(outside + "/secret"), "hard link"},
      {"A41", HardLink("../x"), "hard link"},
      {"A42", Link(outside + "/secret", "app/l") + HardLink("app/l"), "symbolic link"},
      {"A43", HardLink("app/z"), "hard link to 'app/z'"},
      {"A44", HardLink(kVictim), "hard link"},
      {"A45", WithFields([](TarFields& f) {
         f.type = '1';
         f.link = "app/a";
       }),
       "hard link"},
      {"A46", HardLink(outside + "/secret") + victim, "hard link"},
      {"A50_character", Special('3', ""), "device"},
      {"A50_block", Special('4', ""), "device"},
      {"A51", Special('6', ""), "FIFO"},
      {"A52_contiguous", WithFields([](TarFields& f) { f.type = '7'; }), "contiguous"},
      {"A52_old", WithFields([](TarFields& f) { f.type = '\0'; }), "type '0'"},
      {"A52_gnu_directory", Special('D', ""), "GNU"},
      {"A52_gnu_multivolume", Special('M', ""), "GNU"},
      {"A52_gnu_volume", Special('V', ""), "GNU"},
      {"A53", WithFields([](TarFields& f) { f.type = 'Q'; }), "unknown type"},
      {"A53_escape", WithFields([](TarFields& f) { f.type = '\x1b'; }), "unknown type"},
      {"A53_high", WithFields([](TarFields& f) { f.type = '\xff'; }), "unknown type"},
      {"A54_old", Special('S', ""), "GNU"},
      {"A54_0_0",
       WithRecords(PaxRecord("GNU.sparse.size", "8589934592") + PaxRecord("GNU.sparse.numblocks", "1") +
                   PaxRecord("GNU.sparse.offset", "0") + PaxRecord("GNU.sparse.numbytes", "0")),
       "pax"},
      {"A54_0_1", WithRecords(PaxRecord("GNU.sparse.size", "9223372036854775807") + PaxRecord("GNU.sparse.map", "0,0")),
       "pax"},
      {"A54_1_0",
       WithRecords(PaxRecord("GNU.sparse.major", "1") + PaxRecord("GNU.sparse.minor", "0") +
                   PaxRecord("GNU.sparse.realsize", "9223372036854775807")),
       "pax"},
      // A directory cache that believes one spelling of a name and a link under another.
      {"S_node_tar_directory_cache", Special('5', "") + Link(outside, "app/VICTIM") + File("app/victim/x"),
       "directory"},
      {"S_python_link_chain",
       Link("a", "app/l1") + Link("l1/l1", "app/l2") + Link("l2/l2", "app/l3") + File("app/l3/x"), "symbolic link"},
      {"S_perl_mode_of_hard_link",
       WithFields(
           [&](TarFields& f) {
             f.type = '1';
             f.link = outside + "/secret";
             f.mode = "0000777";
             f.size = Octal11(0);
           },
           ""),
       "hard link"},
      {"S_libarchive_acl_through_link", PaxHeader(PaxRecord("SCHILY.acl.access", "user::rwx")) + Link(outside), "pax"},
  };
}

std::vector<HostileEntry> HostileMetadata() {
  return {
      {"A60_setuid", WithFields([](TarFields& f) { f.mode = "0004644"; }), "mode"},
      {"A60_setgid", WithFields([](TarFields& f) { f.mode = "0002755"; }), "mode"},
      {"A60_sticky", WithFields([](TarFields& f) { f.mode = "0001644"; }), "mode"},
      {"A61", WithFields([](TarFields& f) { f.mode = "0000666"; }), "mode"},
      {"A61_executable", WithFields([](TarFields& f) { f.mode = "0000755"; }), "mode"},
      {"A61_all", WithFields([](TarFields& f) { f.mode = "0000777"; }), "mode"},
      {"A62", WithFields([](TarFields& f) { f.mode = "0000000"; }), "mode"},
      {"A63", WithFields([](TarFields& f) { f.uid = "0001750"; }), "owner"},
      {"A63_base256", WithFields([](TarFields& f) { f.gid = std::string("\x80\0\0\1\0\0\0\0", 8); }), "owner"},
      {"A63_pax", WithRecords(PaxRecord("uid", "4294967296")), "pax"},
      {"A64", WithFields([](TarFields& f) { f.time = "14000000000"; }), "time"},
      {"A64_base256", WithFields([](TarFields& f) { f.time = std::string(12, '\xff'); }), "time"},
      {"A64_nan", WithRecords(PaxRecord("mtime", "nan")), "pax"},
      {"A64_negative", WithRecords(PaxRecord("mtime", "-1")), "pax"},
      {"A64_2_to_the_63", WithRecords(PaxRecord("mtime", "9223372036854775808")), "pax"},
      {"A64_nanoseconds", WithRecords(PaxRecord("mtime", "1.9999999999999")), "pax"},
      {"A65", WithRecords(PaxRecord("SCHILY.xattr.security.capability", "x")), "pax"},
      {"A65_acl", WithRecords(PaxRecord("SCHILY.acl.access", "user::rwx")), "pax"},
      {"A65_user", WithRecords(PaxRecord("LIBARCHIVE.xattr.user.x", "eA")), "pax"},
      {"A66", WithRecords(PaxRecord("RHT.security.selinux", "x")), "pax"},
      {"A67", WithFields([](TarFields& f) { f.user = "ro\x1b"; }), "owner's name"},
      {"A67_nul", WithFields([](TarFields& f) { f.group = std::string("\0root", 5); }), "owner's name"},
      {"A68", WithRecords(PaxRecord("SCHILY.fflags", "sappnd")), "pax"},
  };
}

std::vector<HostileEntry> HostileFraming() {
  const std::string block = VictimBlock();
  const std::string content = Padded(kContent);
  TarFields empty = VictimFields();
  empty.size = Octal11(0);
  TarFields extra;
  extra.name = "app/w";
  return {
      {"A70", WithFields([](TarFields& f) { f.checksum = std::string("000001\0 ", 8); }), "checksum"},
      {"A70_signed", SignedChecksum(), "checksum"},
      {"A70_spaces", WithFields([](TarFields& f) { f.checksum = "        "; }), "checksum"},
      {"A71", WithFields([](TarFields& f) { f.size = Octal11(0); }), "size 0"},
      {"A71_pax", PaxHeader(PaxRecord("size", "8")) + TarBlock(empty) + content, "pax header where none is needed"},
      {"A72", WithFields([](TarFields& f) { f.size = Octal11(1 << 20); }), "size"},
      {"A72_pax", WithRecords(PaxRecord("size", "1048576")), "pax size"},
      {"A73_negative", WithFields([](TarFields& f) { f.size = std::string(12, '\xff'); }), "base 256"},
      {"A73_base256", WithFields([](TarFields& f) { f.size = std::string("\x80\0\0\0\0\0\0\0\0\0\0\x08", 12); }),
       "base 256"},
      {"A73_pax", WithRecords(PaxRecord("size", "-8")), "pax size"},
      {"A74_space", WithFields([](TarFields& f) { f.size = "         10 "; }), "canonical"},
      {"A74_nul", WithFields([](TarFields& f) { f.size = std::string("10\0", 3); }), "canonical"},
      {"A74_junk", WithFields([](TarFields& f) { f.size = "0000000001x"; }), "octal"},
      {"A74_digit", WithFields([](TarFields& f) { f.size = "00000000018"; }), "octal"},
      {"A75", PaxHeader(PaxRecord("path", kVictim)) + PaxHeader(PaxRecord("path", kVictim)) + block + content, "pax"},
      {"A76", PaxHeader(PaxRecord("path", kVictim)), "pax"},
      {"A77", WithRecords(PaxRecord("path", kVictim), 'g'), "global"},
      {"A77_size", WithRecords(PaxRecord("size", "8"), 'g'), "global"},
      {"A77_linkpath", WithRecords(PaxRecord("linkpath", "/etc"), 'g'), "global"},
      {"A78_short", WithRecords("5 path=app/victim\n"), "length"},
      {"A78_long", WithRecords("99 path=app/victim\n"), "length"},
      {"A78_newline", WithRecords("19 path=app/victim "), "length"},
      {"A78_equals", WithRecords("18 path:app/victim\n"), "pax"},
      {"A78_huge", WithRecords("99999999999999999999 path=app/victim\n"), "length"},
      {"A79", PaxHeader(std::string("app/other\0", 10), 'L') + PaxHeader(PaxRecord("path", kVictim)) + block + content,
       "GNU long name"},
      {"A80", WithFields([](TarFields& f) {
         f.type = 'L';
         f.size = Octal11(1 << 30);
       }),
       "GNU long name"},
      {"A80_link", WithFields([](TarFields& f) { f.type = 'K'; }), "GNU long name"},
      {"A81", std::string(kTarBlock, '\0') + content, "end is in its place"},
      {"A81_before", std::string(kTarBlock, '\0') + block + content, "end is in its place"},
      {"A83_padding", WithFields([](TarFields&) {}, std::string(kContent) + "hidden"), "padding"},
      {"A86", block + content + TarBlock(extra), "order"},
      {"A88_twice", block + content + block + content, "order"},
      {"A_magic_gnu", WithFields([](TarFields& f) { f.magic = std::string("ustar  \0", 8); }), "ustar"},
      {"A_magic_v7", WithFields([](TarFields& f) { f.magic = std::string(8, '\0'); }), "ustar"},
      {"A_missing", "", "order"},
      {"S_node_tar_pax_for_a_meta_entry",
       PaxHeader(PaxRecord("size", "8")) + PaxHeader(std::string("app/long\0", 9), 'L') + block + content, "pax"},
      {"S_node_tar_negative_size", WithFields([](TarFields& f) { f.size = "-0000000010"; }), "octal"},
  };
}

std::vector<HostileList> HostileLists(const std::string& outside) {
  const auto invalid = ErrorCode::kInventoryInvalid;
  const auto conflict = ErrorCode::kPathConflict;
  const std::string e_acute = "\xc3\xa9";
  const std::string e_and_acute = "e\xcc\x81";
  return {
      {"A01", {outside + "/x"}, invalid},
      {"A02", {"/" + outside + "/x"}, invalid},
      {"A03", {"../x"}, invalid},
      {"A04", {"a/../../x"}, invalid},
      {"A05", {"./a/./../../x"}, invalid},
      {"A06", {"a/.."}, invalid},
      {"A07", {""}, invalid},
      {"A08", {"."}, invalid},
      {"A09", {".."}, invalid},
      {"A10", {"a/"}, invalid},
      {"A11_drive", {"C:\\x"}, invalid},
      {"A11_drive_relative", {"C:x"}, invalid},
      {"A11_share", {"\\\\srv\\s\\x"}, invalid},
      {"A12_device", {"app/CON"}, invalid},
      {"A12_device_extension", {"nul.txt"}, invalid},
      {"A12_stream", {"a:b"}, invalid},
      {"A12_space", {"a "}, invalid},
      {"A13_escape", {"a\x1b[2Jb"}, invalid},
      {"A13_newline", {"a\nb"}, invalid},
      {"A14", {"a\xff"}, invalid},
      {"A15", {"a\xc0\xaf"}, invalid},
      {"A16", {std::string("a\0b", 3)}, invalid},
      {"A17", {"\xe2\x80\xae"}, invalid},
      {"A18", {std::string(256, 'n')}, invalid},
      {"A19", {Repeated("n/", 2100) + "n"}, invalid},
      {"A20", {Repeated("d/", 1000) + "d"}, invalid},
      {"A21", {"A", "a"}, conflict},
      {"A21_directories", {"A/x", "a/y"}, conflict},
      {"A22", {e_and_acute, e_acute}, conflict},
      {"A23_sharp_s",
       {"strasse",
        "stra\xc3\x9f"
        "e"},
       conflict},
      {"A23_kelvin", {"k", "\xe2\x84\xaa"}, conflict},
      {"A23_ligature", {"ffi", "\xef\xac\x83"}, conflict},
      {"A23_long_s", {"s", "\xc5\xbf"}, conflict},
      {"A24", {"a", "a/b"}, conflict},
      {"A25", {"a/b", "a/b/c"}, conflict},
      {"A26", {"a", "a"}, invalid},
      {"A88", {"b", "a"}, invalid},
      {"S_node_tar_sharp_s_directories", {"collisio", "ss/x", "\xc3\x9f/x"}, conflict},
  };
}

std::string ArchiveOfList(const HostileList& list) {
  std::string text(Inventory::kFirstLine);
  std::string entries;
  for (const std::string& path : list.paths) {
    text += Digest::Of("").Hex() + " 0 - " + path + "\n";
    TarFields fields;
    if (path.size() <= 100) fields.name = path;
    if (path.size() > 100) entries += PaxHeader(PaxRecord("path", path));
    entries += TarBlock(fields);
  }
  TarFields fields;
  fields.name = "metadata/inventory";
  fields.size = Octal11(text.size());
  std::vector<std::string> frames;
  std::vector<std::size_t> sizes;
  for (const std::string& frame : {TarBlock(fields) + Padded(text), entries, std::string(kTarEndBytes, '\0')}) {
    frames.push_back(*CompressFrame(frame, 1));
    sizes.push_back(frame.size());
  }
  return PackFrames(frames, sizes);
}

}  // namespace piship
