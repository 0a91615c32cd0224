// SPDX-License-Identifier: MIT
//
// Only four things of a header depend on the entry: its path, its size, its executable bit and the checksum. So a
// header is a constant block with four fields written over it. A path that ustar's name and prefix can't hold (too
// long, or not ASCII, since ustar does not say what other bytes mean) and a size that eleven octal digits can't hold go
// into a pax header before the block. The block then carries a stand-in name that differs for every path, and the size
// in base 256, as GNU tar and libarchive write it: a reader that does not know pax fails or agrees, but never takes
// content for headers.
#include "format/tar_header.h"

#include <array>
#include <cstring>

#include "base/error.h"
#include "base/utf8.h"

namespace piship {
namespace {

struct Field {
  std::size_t offset;
  std::size_t size;
};
// The fields that our entries use; link, user and group names (157, 265, 297) stay empty.
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUid{108, 8};
constexpr Field kGid{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 8};  // magic and version
constexpr Field kPrefix{345, 155};

// The first size that eleven octal digits can't say.
constexpr std::uint64_t kLargeSize = std::uint64_t{1} << 33;

using Block = std::array<char, kTarBlock>;

constexpr void Put(Block& block, Field field, std::string_view text) {
  for (std::size_t index = 0; index < text.size(); ++index) block[field.offset + index] = text[index];
}

constexpr Block MakeTemplate() {
  Block block{};
  Put(block, kMode, "0000644");
  Put(block, kUid, "0000000");
  Put(block, kGid, "0000000");
  Put(block, kTime, "00000000000");
  Put(block, kChecksum, "        ");
  Put(block, kType, "0");
  Put(block, kMagic,
      std::string_view("ustar\0"
                       "00",
                       8));
  Put(block, {329, 8}, "0000000");  // device numbers
  Put(block, {337, 8}, "0000000");
  return block;
}
constexpr Block kTemplate = MakeTemplate();

void PutOctal(char* out, std::size_t digits, std::uint64_t value) {
  for (std::size_t index = digits; index-- > 0; value >>= 3) out[index] = static_cast<char>('0' + (value & 7));
}

void PutSize(char* block, std::uint64_t size) {
  char* field = block + kSize.offset;
  if (size < kLargeSize) {
    PutOctal(field, 11, size);
    return;
  }
  for (std::size_t index = kSize.size; index-- > 1; size >>= 8) field[index] = static_cast<char>(size & 0xff);
  field[0] = static_cast<char>(0x80);
}

std::uint32_t SumOf(const char* block) {
  std::uint32_t sum = 0;
  for (std::size_t index = 0; index < kTarBlock; ++index) sum += static_cast<unsigned char>(block[index]);
  return sum;
}

// The checksum field counts as spaces, which the template holds.
void PutChecksum(char* block) {
  const std::uint32_t sum = SumOf(block);
  PutOctal(block + kChecksum.offset, 6, sum);
  block[kChecksum.offset + 6] = '\0';
}

// Where `path` is cut into prefix and name: 0 where the name alone holds it, npos where ustar can't.
std::size_t UstarSplit(std::string_view path) {
  if (path.size() <= kName.size) return 0;
  if (path.size() > kPrefix.size + 1 + kName.size) return std::string_view::npos;
  // The first slash that leaves a name which fits; npos, where there is none, is larger than any prefix.
  const std::size_t slash = path.find('/', path.size() - kName.size - 1);
  return slash > kPrefix.size ? std::string_view::npos : slash;
}

bool NeedsPaxPath(std::string_view path) { return !IsAscii(path) || UstarSplit(path) == std::string_view::npos; }

std::size_t DecimalDigits(std::uint64_t value) {
  std::size_t digits = 1;
  while (value >= 10) {
    value /= 10;
    ++digits;
  }
  return digits;
}

// A pax record says its own length, digits included.
std::size_t PaxRecordSize(std::size_t key, std::size_t value) {
  const std::size_t rest = 1 + key + 1 + value + 1;
  std::size_t total = rest + 1;
  while (rest + DecimalDigits(total) != total) total = rest + DecimalDigits(total);
  return total;
}

void AppendPaxRecord(std::string_view key, std::string_view value, std::string& out) {
  out += std::to_string(PaxRecordSize(key.size(), value.size()));
  out += ' ';
  out += key;
  out += '=';
  out += value;
  out += '\n';
}

std::size_t PaxRecordsSize(const InventoryEntry& entry) {
  std::size_t size = 0;
  if (NeedsPaxPath(entry.path.str())) size += PaxRecordSize(4, entry.path.str().size());
  if (entry.size >= kLargeSize) size += PaxRecordSize(4, DecimalDigits(entry.size));
  return size;
}

char* AppendTemplate(std::string& out) {
  out.append(kTemplate.data(), kTemplate.size());
  return out.data() + out.size() - kTarBlock;
}

void AppendPaxHeader(const InventoryEntry& entry, std::string_view stand_in, std::string& out) {
  std::string records;
  if (NeedsPaxPath(entry.path.str())) AppendPaxRecord("path", entry.path.str(), records);
  if (entry.size >= kLargeSize) AppendPaxRecord("size", std::to_string(entry.size), records);
  char* block = AppendTemplate(out);
  const std::string name = "pax-header/" + std::string(stand_in);
  std::memcpy(block, name.data(), name.size());
  PutSize(block, records.size());
  block[kType.offset] = 'x';
  PutChecksum(block);
  out += records;
  out.append(TarPadding(records.size()), '\0');
}

}  // namespace

void AppendTarHeader(const InventoryEntry& entry, std::string& out) {
  const std::string& path = entry.path.str();
  const std::size_t split = IsAscii(path) ? UstarSplit(path) : std::string_view::npos;
  std::string stand_in;
  if (split == std::string_view::npos || entry.size >= kLargeSize) {
    stand_in = Digest::Of(path).Hex();
    AppendPaxHeader(entry, stand_in, out);
  }
  char* block = AppendTemplate(out);
  if (split == std::string_view::npos) {
    stand_in.insert(0, "pax-path/");
    std::memcpy(block, stand_in.data(), stand_in.size());
  } else if (split == 0) {
    std::memcpy(block, path.data(), path.size());
  } else {
    std::memcpy(block, path.data() + split + 1, path.size() - split - 1);
    std::memcpy(block + kPrefix.offset, path.data(), split);
  }
  if (entry.mode == FileMode::kExecutable) std::memcpy(block + kMode.offset, "0000755", 7);
  PutSize(block, entry.size);
  PutChecksum(block);
}

std::size_t TarHeaderSize(const InventoryEntry& entry) {
  const std::size_t records = PaxRecordsSize(entry);
  return records == 0 ? kTarBlock : 2 * kTarBlock + records + TarPadding(records);
}

std::uint64_t TarEntrySize(const InventoryEntry& entry) {
  return TarHeaderSize(entry) + entry.size + TarPadding(entry.size);
}

const RelativePath& InventoryPath() {
  static const RelativePath path = *RelativePath::Parse("metadata/inventory");
  return path;
}

}  // namespace piship
