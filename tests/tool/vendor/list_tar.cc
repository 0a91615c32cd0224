// SPDX-License-Identifier: MIT
// Lists tar archives as our reader of npm tarballs sees them and as libarchive does, for compare_readers.py:
//   piship_list_tar <file>...
// One block of lines per file: "ours <file>", then "<type> <size> <offset of the content> <digest of it> <name>" for
// each entry, and "refused <why>" where it is refused; "libarchive <file>" and the same without offsets. Names are in
// hexadecimal.
#include <archive.h>
#include <archive_entry.h>

#include <clocale>
#include <cstdio>
#include <string>

#include "base/digest.h"
#include "base/files.h"
#include "vendor/tar_parser.h"
#include "vendor/tarball.h"

namespace {

std::string Hex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += digits;
  }
  return out;
}

// As in `tar -tv`: '-' for a file, 'd', 'l', 'h' for a hard link, 'p', 'c', 'b'; '?' for what is no more than skipped.
char Kind(char type) {
  constexpr std::string_view kTypes = "0-7-5d2l1h6p3c4b";
  const std::size_t at = kTypes.find(type);
  return at != std::string_view::npos && at % 2 == 0 ? kTypes[at + 1] : '?';
}

void ListOurs(const std::string& file, std::string_view bytes) {
  std::printf("ours %s\n", file.c_str());
  if (const auto tarball = piship::ReadTarball(bytes, "p@1.0.0"); !tarball) {
    std::printf("refused %s\n", piship::Printable(tarball.error().message).c_str());
    return;
  }
  piship::TarParser parser(bytes);
  for (auto entry = parser.Next(); entry && *entry; entry = parser.Next()) {
    const piship::TarEntry& e = **entry;
    std::printf("%c %zu %zu %s %s\n", Kind(e.type), e.body.size(),
                static_cast<std::size_t>(e.body.data() - bytes.data()), piship::Digest::Of(e.body).Hex().c_str(),
                Hex(e.path).c_str());
  }
}

char KindOf(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return 'h';
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return '-';
    case AE_IFDIR:
      return 'd';
    case AE_IFLNK:
      return 'l';
    case AE_IFIFO:
      return 'p';
    case AE_IFCHR:
      return 'c';
    case AE_IFBLK:
      return 'b';
    default:
      return '?';
  }
}

void ListLibarchive(const std::string& file, std::string_view bytes) {
  std::printf("libarchive %s\n", file.c_str());
  archive* reader = archive_read_new();
  archive_read_support_format_tar(reader);
  archive_entry* entry = nullptr;
  int status = archive_read_open_memory(reader, bytes.data(), bytes.size());
  while (status == ARCHIVE_OK || status == ARCHIVE_WARN) {
    status = archive_read_next_header(reader, &entry);
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) break;
    piship::Sha256 hash;
    std::size_t size = 0;
    char buffer[65536];
    for (;;) {
      const la_ssize_t count = archive_read_data(reader, buffer, sizeof buffer);
      if (count <= 0) break;
      hash.Update({buffer, static_cast<std::size_t>(count)});
      size += static_cast<std::size_t>(count);
    }
    const char* name = archive_entry_pathname(entry);
    std::printf("%c %zu 0 %s %s\n", KindOf(entry), size, hash.Finish().Hex().c_str(),
                Hex(name != nullptr ? name : "").c_str());
  }
  if (status != ARCHIVE_EOF) std::printf("refused %s\n", archive_error_string(reader));
  archive_read_free(reader);
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_ALL, "C.UTF-8");
  for (int index = 1; index < argc; ++index) {
    const auto bytes = piship::ReadFile(argv[index]);
    if (!bytes) return 1;
    ListOurs(argv[index], *bytes);
    ListLibarchive(argv[index], *bytes);
  }
  return 0;
}
