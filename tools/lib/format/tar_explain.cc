// SPDX-License-Identifier: MIT
//
// Interprets a header that is already refused, so that its owner reads which rule it breaks. Nothing here decides
// anything: whatever these functions make of hostile bytes, the archive stays refused.
#include <algorithm>
#include <optional>

#include "base/error.h"
#include "format/tar_header.h"

namespace piship {
namespace {

std::string_view FieldOf(std::string_view block, std::size_t offset, std::size_t size) {
  return block.substr(offset, size);
}

std::string_view TextOf(std::string_view field) { return field.substr(0, field.find('\0')); }

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 200;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

bool AllZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

std::optional<std::uint64_t> Octal(std::string_view field) {
  std::uint64_t value = 0;
  bool any = false;
  for (const char c : field) {
    if (c == '\0' || c == ' ') {
      if (any) break;
      continue;
    }
    if (c < '0' || c > '7' || value >> 60 != 0) return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(c - '0');
    any = true;
  }
  return any ? std::optional(value) : std::nullopt;
}

bool ChecksumHolds(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t index = 0; index < kTarBlock; ++index) {
    sum += static_cast<unsigned char>(index >= 148 && index < 156 ? ' ' : block[index]);
  }
  return Octal(FieldOf(block, 148, 8)) == sum;
}

std::string NameOf(std::string_view block) {
  const std::string_view prefix = TextOf(FieldOf(block, 345, 155));
  const std::string_view name = TextOf(FieldOf(block, 0, 100));
  return prefix.empty() ? std::string(name) : std::string(prefix) + "/" + std::string(name);
}

std::string ExplainType(char type, std::string_view link) {
  constexpr std::string_view kRule = "; an archive holds regular files only";
  switch (type) {
    case '\0':
    case '7':
      return "has the type of an old or contiguous file; regular files are of type '0' here";
    case '1':
      return "is a hard link to " + Quoted(link) + std::string(kRule);
    case '2':
      return "is a symbolic link to " + Quoted(link) + std::string(kRule);
    case '3':
    case '4':
      return "is a device" + std::string(kRule);
    case '5':
      return "is a directory; directories follow from the names of files";
    case '6':
      return "is a FIFO" + std::string(kRule);
    case 'g':
      return "is a global pax header, which an archive never holds";
    case 'x':
      return "has a pax header where none is needed";
    case 'K':
    case 'L':
      return "is a GNU long name, which an archive never holds";
    case 'D':
    case 'M':
    case 'S':
    case 'V':
      return std::string("is of GNU's type '") + type + "'" + std::string(kRule);
    default:
      return "is of the unknown type '" + std::string(1, type) + "'" + std::string(kRule);
  }
}

std::string ExplainName(std::string_view name, const InventoryEntry& expected) {
  if (const char* why = RelativePath::WhyNot(name)) return "has the name " + Quoted(name) + ", which " + why;
  if (name != expected.path.str()) return "has the name " + Quoted(name) + " where the inventory's order has this file";
  return "";
}

std::string ExplainSize(std::string_view block, std::uint64_t expected) {
  const std::string_view field = FieldOf(block, 124, 12);
  if ((static_cast<unsigned char>(field[0]) & 0x80) != 0) return "has a size in base 256 that is not the inventory's";
  const auto size = Octal(field);
  if (!size) return "has a size that is not an octal number";
  if (*size != expected)
    return "has the size " + std::to_string(*size) + ", the inventory says " + std::to_string(expected);
  return "";
}

std::string ExplainMode(std::string_view block, FileMode mode) {
  const std::string_view wanted = mode == FileMode::kExecutable ? "0000755" : "0000644";
  const std::string_view field = FieldOf(block, 100, 8);
  if (field.substr(0, 7) == wanted && field[7] == '\0') return "";
  return "has the mode " + Quoted(TextOf(field)) + " instead of " + std::string(wanted);
}

// The fields of a block of the expected type, one after the other. `name` is null where the block has a stand-in.
std::string ExplainBlock(std::string_view block, const InventoryEntry& expected, bool stand_in) {
  if (std::string text = stand_in ? "" : ExplainName(NameOf(block), expected); !text.empty()) return text;
  if (std::string text = ExplainMode(block, expected.mode); !text.empty()) return text;
  if (FieldOf(block, 108, 16) != std::string_view("0000000\0"
                                                  "0000000\0",
                                                  16))
    return "has an owner other than 0";
  if (std::string text = ExplainSize(block, expected.size); !text.empty()) return text;
  if (FieldOf(block, 136, 12) != std::string_view("00000000000\0", 12)) return "has a time other than 0";
  if (!AllZero(FieldOf(block, 157, 100))) return "has a link target";
  if (!AllZero(FieldOf(block, 265, 64))) return "has an owner's name";
  return "has a header that is not in the canonical form";
}

// The records of a pax header: the first that is malformed or not expected.
std::string ExplainRecords(std::string_view records, const InventoryEntry& expected) {
  while (!records.empty()) {
    std::size_t digits = 0;
    std::size_t length = 0;
    while (digits < records.size() && digits < 6 && records[digits] >= '0' && records[digits] <= '9') {
      length = length * 10 + static_cast<std::size_t>(records[digits++] - '0');
    }
    if (digits == 0 || digits == records.size() || records[digits] != ' ' || length <= digits + 1 ||
        length > records.size() || records[length - 1] != '\n') {
      return "has a pax record whose length is wrong";
    }
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return "has a pax record without '='";
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") {
      if (std::string text = ExplainName(value, expected); !text.empty()) return text;
    } else if (key != "size") {
      return "has the pax record " + Quoted(key) + "; only path and size may be there";
    } else if (value != std::to_string(expected.size)) {
      return "has the pax size " + Quoted(value) + ", the inventory says " + std::to_string(expected.size);
    }
    records.remove_prefix(length);
  }
  return "";
}

std::string ExplainPax(std::string_view bytes, const InventoryEntry& expected) {
  const std::string_view block = bytes.substr(0, kTarBlock);
  const auto size = Octal(FieldOf(block, 124, 12));
  if (!size || *size > kMaxTarHeader) return "has a pax header of an impossible size";
  if (bytes.size() - kTarBlock < *size + TarPadding(*size)) return "has a pax header that goes beyond its frame";
  if (std::string text = ExplainRecords(bytes.substr(kTarBlock, static_cast<std::size_t>(*size)), expected);
      !text.empty())
    return text;
  const std::string_view rest = bytes.substr(kTarBlock + static_cast<std::size_t>(*size) + TarPadding(*size));
  if (rest.size() < kTarBlock) return "has a pax header and nothing after it";
  const char type = rest[156];
  if (type == 'x') return "has two pax headers in a row";
  if (type != '0') return ExplainType(type, TextOf(FieldOf(rest, 157, 100)));
  return ExplainBlock(rest.substr(0, kTarBlock), expected, true);
}

}  // namespace

std::string ExplainTarHeader(std::string_view bytes, const InventoryEntry& expected) {
  if (bytes.size() < kTarBlock) return "has a header that is cut off";
  const std::string_view block = bytes.substr(0, kTarBlock);
  if (AllZero(block)) return "is missing: the archive's end is in its place";
  if (!ChecksumHolds(block)) return "has a header whose checksum is wrong";
  if (FieldOf(block, 257, 8) != std::string_view("ustar\0"
                                                 "00",
                                                 8))
    return "has a header that is not POSIX ustar";
  const char type = block[156];
  const bool wants_pax = TarHeaderSize(expected) != kTarBlock;
  if (type == 'x' && !wants_pax) {
    const std::string text = ExplainPax(bytes, expected);
    return ExplainType('x', "") + (text.empty() ? "" : ", and it " + text);
  }
  if (type == 'x') return ExplainPax(bytes, expected);
  // The name first: of an absolute link with a dotted name both are worth knowing, and the name says which entry it is.
  std::string name = wants_pax ? "" : ExplainName(NameOf(block), expected);
  if (type != '0') {
    std::string text = ExplainType(type, TextOf(FieldOf(block, 157, 100)));
    return name.empty() ? text : text + ", and it " + name;
  }
  if (wants_pax) {
    name = ExplainName(NameOf(block), expected);
    return name.empty() ? "lacks its pax header" : name;
  }
  return ExplainBlock(block, expected, false);
}

}  // namespace piship
