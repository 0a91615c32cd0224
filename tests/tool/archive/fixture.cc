// SPDX-License-Identifier: MIT
// Makes a payload with names and sizes of every shape: fixture <directory> [large | random <seed>]
//   <directory>/store, payload.inventory, piship.lock, and `listing`: "<mode> <size> <sha256> <path>" a line, in the
//   archive's order. With "large" the payload has a file of 8 GiB and one byte, all zeros, in the store as a sparse
//   file. With "random" names, sizes and modes follow from the seed.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string_view>

#include "base/files.h"
#include "format/archive_layout.h"
#include "support/payload_builder.h"

namespace {

using piship::FileMode;
using piship::TestFile;

std::vector<TestFile> Files() {
  std::string deep(1000, 'd');
  for (std::size_t slash = 99; slash < deep.size() - 1; slash += 100) deep[slash] = '/';
  std::string large(piship::kPartBytes * 2 + 12345, 'l');
  for (std::size_t index = 0; index < large.size(); index += 7) large[index] = static_cast<char>(index * index >> 5);
  return {{"app/main.js", "console.log(1)\n"},
          {"app/run", "#!/bin/sh\n", FileMode::kExecutable},
          {"bin/piship", "#!/bin/sh\n", FileMode::kExecutable},
          {"app/empty", ""},
          {"app/" + std::string(255, 'n'), "255 bytes\n"},
          {std::string(100, 'b'), "100\n"},
          {std::string(101, 'c'), "101\n"},
          {std::string(155, 'p') + "/" + std::string(100, 'n'), "256\n"},
          {std::string(155, 'p') + "/" + std::string(101, 'n'), "257\n"},
          {deep, "1000\n"},
          {"app/\xc3\xbcn\xc3\xaf c\xc3\xb6"
           "d\xc3\xa9 'q $x.js",
           "letters\n"},
          {"app/\xf0\x9f\x9a\xa2", "a ship\n", FileMode::kExecutable},
          {"app/511", std::string(511, '1')},
          {"app/512", std::string(512, '2')},
          {"app/513", std::string(513, '3')},
          {"engine/check.cjs", "// any engine\n"},
          {"engine/node", large, FileMode::kExecutable},
          {"metadata/strip.json", "{}\n"},
          {"piship.lock", piship::TestLock()}};
}

// Paths of up to eight components whose lengths crowd around the limits of ustar's fields, one in four beyond ASCII.
std::vector<TestFile> RandomFiles(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  constexpr unsigned kLengths[] = {1, 2, 9, 50, 98, 99, 100, 101, 154, 155, 156, 254};
  std::vector<TestFile> files = {{"piship.lock", piship::TestLock()}};
  for (unsigned number = 0; number < 60; ++number) {
    std::string path = "d" + std::to_string(below(4));
    for (unsigned depth = below(7); depth > 0; --depth) path += "/" + std::string(kLengths[below(12)], 'd');
    std::string name = std::to_string(number) + "-" + std::string(kLengths[below(11)], 'f');
    if (below(4) == 0) name += below(2) == 0 ? "\xc3\xa9" : "\xf0\x9f\x9a\xa2";
    std::string content(below(5) == 0 ? 0 : 511 + below(3) + 512 * below(3), 'c');
    for (char& c : content) c = static_cast<char>(random());
    files.push_back({path + "/" + name, content, below(3) == 0 ? FileMode::kExecutable : FileMode::kPlain});
  }
  return files;
}

// An object of zeros without its bytes: the store's own layout, with the digest of that many zeros.
bool PutZeros(const std::string& store, std::uint64_t size, piship::Digest& digest) {
  piship::Sha256 hash;
  const std::string zeros(std::size_t{1} << 20, '\0');
  for (std::uint64_t left = size; left > 0;) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(left, zeros.size()));
    hash.Update({zeros.data(), step});
    left -= step;
  }
  digest = hash.Finish();
  const std::string hex = digest.Hex();
  const std::string directory = store + "/objects/" + hex.substr(0, 2);
  if (!piship::MakeDirectories(directory)) return false;
  const auto fd = piship::OpenFile(directory + "/" + hex.substr(2), O_WRONLY | O_CREAT, 0444);
  return fd && ftruncate(fd->get(), static_cast<off_t>(size)) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string directory = argv[1];
  const bool random = argc == 4 && std::string_view(argv[2]) == "random";
  const auto store = piship::Store::Open(directory + "/store");
  if (!store) return 1;
  std::vector<piship::InventoryEntry> entries =
      PutPayload(*store, random ? RandomFiles(static_cast<unsigned>(std::atoi(argv[3]))) : Files()).entries();
  if (argc == 3) {
    piship::InventoryEntry zeros;
    zeros.size = (std::uint64_t{8} << 30) + 1;
    zeros.path = *piship::RelativePath::Parse("resources/model/zeros");
    if (!PutZeros(directory + "/store", zeros.size, zeros.digest)) return 1;
    entries.push_back(std::move(zeros));
  }
  const auto inventory = piship::Inventory::FromEntries(std::move(entries));
  if (!inventory) return 1;
  const std::string text = inventory->Text();
  std::string listing;
  const auto add = [&](const piship::InventoryEntry& entry) {
    listing += std::string(entry.mode == FileMode::kExecutable ? "755 " : "644 ") + std::to_string(entry.size) + " " +
               entry.digest.Hex() + " " + entry.path.str() + "\n";
  };
  const auto layout = piship::ArchiveLayout::Of(*inventory, text);
  if (!layout) return 1;
  for (std::size_t index = 0; index < layout->entry_count(); ++index) add(layout->entry(index));
  const bool written = piship::WriteFileAtomically(directory + "/payload.inventory", text).has_value() &&
                       piship::WriteFileAtomically(directory + "/piship.lock", piship::TestLock()).has_value() &&
                       piship::WriteFileAtomically(directory + "/listing", listing).has_value();
  return written ? 0 : 1;
}
