// SPDX-License-Identifier: MIT
// A header is a block of 512 bytes. Extension headers ('x', 'L', 'K') describe the next ordinary entry and never one
// another: a size from a pax record that is applied to an extension header in between lets an archive hide entries from
// one reader and show them to the next.
#include "vendor/tar_parser.h"

#include <algorithm>

#include "base/utf8.h"

namespace piship {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kMaxExtension = std::size_t{1} << 20;
constexpr std::string_view kExtensionTypes = "xgLKX";

struct Field {
  std::size_t offset;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kSize{124, 12};
constexpr Field kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr std::size_t kSparseGoesOn = 482;  // of GNU's type 'S'
constexpr Field kMagic{257, 8};
constexpr Field kPrefix{345, 155};
constexpr Field kShortPrefix{345, 130};  // where the last 25 bytes hold times, as star writes them

std::string_view Raw(std::string_view block, Field field) { return block.substr(field.offset, field.size); }

std::string_view Text(std::string_view block, Field field) {
  const std::string_view raw = Raw(block, field);
  return raw.substr(0, raw.find('\0'));
}

// Octal digits with spaces around, ended by a NUL or the field's end; or, with the first bit set, base 256.
std::optional<std::uint64_t> Number(std::string_view raw) {
  if ((static_cast<unsigned char>(raw[0]) & 0x80U) != 0) {
    std::uint64_t value = static_cast<unsigned char>(raw[0]) & 0x7fU;
    if (value != 0) return std::nullopt;  // negative, or beyond any archive
    for (const char c : raw.substr(1)) {
      if ((value >> 55U) != 0) return std::nullopt;
      value = value << 8U | static_cast<unsigned char>(c);
    }
    return value;
  }
  std::string_view text = raw.substr(0, raw.find('\0'));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

bool ChecksumHolds(std::string_view block) {
  const auto expected = Number(Raw(block, kChecksum));
  if (!expected) return false;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const bool inside = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
    sum += inside ? static_cast<unsigned char>(' ') : static_cast<unsigned char>(block[i]);
  }
  return sum == *expected;
}

bool IsZero(std::string_view block) { return block.find_first_not_of('\0') == std::string_view::npos; }

bool IsPosix(std::string_view block) { return Raw(block, kMagic) == std::string_view("ustar\00000", 8); }

std::string PathOf(std::string_view block) {
  std::string path(Text(block, kName));
  if (!IsPosix(block)) return path;
  const bool full = block[kPrefix.offset + kShortPrefix.size] != '\0';
  const std::string_view prefix = Text(block, full ? kPrefix : kShortPrefix);
  return prefix.empty() ? path : std::string(prefix) + "/" + path;
}

auto Invalid(std::string_view why) { return Fail(ErrorCode::kTarballInvalid, std::string(why)); }

// Of two extension headers that say different things some readers believe the first, some the last.
template <class T>
Status SetOnce(std::optional<T>& field, T value, std::string_view what) {
  if (field && *field != value) return Invalid("gives an entry a " + std::string(what) + " twice");
  field = std::move(value);
  return {};
}

}  // namespace

Result<std::optional<TarEntry>> TarParser::Next() {
  Extensions extensions;
  while (true) {
    TarEntry entry;
    PISHIP_TRY(const bool more, Header(entry, extensions));
    if (!more) {
      if (extensions.any) return Invalid("ends after an extension header");
      return std::optional<TarEntry>();
    }
    if (kExtensionTypes.find(entry.type) == std::string_view::npos) return std::optional(std::move(entry));
    PISHIP_CHECK(Extend(entry.type, entry.body, extensions));
  }
}

// Fills `entry` and steps over its body. False at the end: two zero blocks, or no block at all.
Result<bool> TarParser::Header(TarEntry& entry, Extensions& extensions) {
  if (rest_.size() < kBlock) {
    if (IsZero(rest_)) return false;
    return Invalid("ends inside a header");
  }
  block_ = rest_.substr(0, kBlock);
  if (IsZero(block_)) {
    // Two blocks end an archive. npm goes on after a single one, most others stop there.
    rest_.remove_prefix(kBlock);
    if (IsZero(rest_.substr(0, kBlock))) return false;
    return Invalid("goes on after a block of zeros");
  }
  if (!ChecksumHolds(block_)) return Invalid("has a header whose checksum is wrong");
  entry.type = block_[kType] == '\0' ? '0' : block_[kType];
  entry.path = PathOf(block_);
  const bool extension = kExtensionTypes.find(entry.type) != std::string_view::npos;
  const bool ordinary = std::string_view("01234567D").find(entry.type) != std::string_view::npos;
  if (!extension && extensions.path) entry.path = *extensions.path;
  if (entry.type == '0' && entry.path.ends_with('/')) entry.type = '5';
  PISHIP_CHECK(CheckBlock(entry));
  entry.mode = static_cast<std::uint32_t>(Number(Raw(block_, kMode)).value_or(0) & 07777U);
  auto size = Number(Raw(block_, kSize));
  if (!size) return Invalid("has an entry whose size is malformed: '" + Printable(entry.path) + "'");
  if (ordinary && extensions.size) size = extensions.size;
  if (!ordinary && !extension && extensions.size) {
    return Invalid("gives a pax size to an entry of an unknown type: '" + Printable(entry.path) + "'");
  }
  // Readers do not agree whether content follows; where they read on, they find different entries.
  if (std::string_view("123456V").find(entry.type) != std::string_view::npos && *size != 0) {
    return Invalid("gives content to '" + Printable(entry.path) + "', which is no file");
  }
  rest_.remove_prefix(kBlock);
  if (*size > rest_.size()) return Invalid("ends inside '" + Printable(entry.path) + "'");
  entry.body = rest_.substr(0, static_cast<std::size_t>(*size));
  // The last block is whole, also at the end of the archive.
  const std::size_t padded = (entry.body.size() + kBlock - 1) / kBlock * kBlock;
  if (padded > rest_.size()) return Invalid("ends inside '" + Printable(entry.path) + "'");
  rest_.remove_prefix(padded);
  if (entry.path.empty()) return Invalid("has an entry without a name");
  return true;
}

// What makes some readers see another name, or other blocks, than the rest.
Status TarParser::CheckBlock(const TarEntry& entry) const {
  if (entry.type == 'S') {
    if (block_[kSparseGoesOn] != '\0') return Invalid("has a sparse file with more than one header");
    return {};
  }
  if (IsPosix(block_) || IsZero(Raw(block_, kPrefix))) return {};
  return Invalid("has a prefix before '" + Printable(entry.path) + "' in a header that is not POSIX ustar");
}

Status TarParser::Extend(char type, std::string_view body, Extensions& extensions) {
  if (body.size() > kMaxExtension) return Invalid("has an extension header of more than 1 MiB");
  switch (type) {
    case 'L':
      extensions.any = true;
      return SetOnce(extensions.path, std::string(body.substr(0, body.find('\0'))), "name");
    case 'K':  // the target of a link, and links are skipped
      extensions.any = true;
      return {};
    case 'g':
      return ReadPaxRecords(body, extensions, true);
    default:
      extensions.any = true;
      return ReadPaxRecords(body, extensions, false);
  }
}

// "<length> <key>=<value>\n", where the length counts itself and the newline.
Status TarParser::ReadPaxRecords(std::string_view body, Extensions& extensions, bool global) {
  bool matters = false;  // something that decides what an entry is
  while (!IsZero(body)) {
    std::size_t length = 0;
    std::size_t digits = 0;
    while (digits < body.size() && digits < 8 && body[digits] >= '0' && body[digits] <= '9') {
      length = length * 10 + static_cast<std::size_t>(body[digits++] - '0');
    }
    const bool framed = digits > 0 && digits < body.size() && body[digits] == ' ' && length > digits + 2 &&
                        length <= body.size() && body[length - 1] == '\n';
    if (!framed) return Invalid("has a malformed pax record");
    const std::string_view record = body.substr(digits + 1, length - digits - 2);
    body.remove_prefix(length);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos || equals == 0) return Invalid("has a malformed pax record");
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key.starts_with("GNU.sparse.") || key == "SCHILY.realsize") {
      return Invalid("has a sparse file, which readers that do not know its pax records see as another one");
    }
    if (global && (key == "path" || key == "linkpath" || key == "size")) {
      return Invalid("has a global pax header that gives a " + std::string(key));
    }
    matters = matters || key == "path" || key == "size";
    if (key == "path") {
      if (value.find('\0') != std::string_view::npos) return Invalid("has a pax path with a NUL");
      PISHIP_CHECK(SetOnce(extensions.path, std::string(value), "name"));
    } else if (key == "size") {
      std::uint64_t size = 0;
      for (const char c : value) {
        if (c < '0' || c > '9' || size > (std::uint64_t{1} << 56U)) return Invalid("has a malformed pax size");
        size = size * 10 + static_cast<std::uint64_t>(c - '0');
      }
      if (value.empty()) return Invalid("has a malformed pax size");
      PISHIP_CHECK(SetOnce(extensions.size, size, "size"));
    }
  }
  // Some writers fill up with zeros. npm's reader does not mind; libarchive then takes none of the records.
  if (matters && !body.empty()) return Invalid("has a pax header that is filled up with zeros");
  return {};
}

}  // namespace piship
