// SPDX-License-Identifier: MIT
#include "format/installer_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "format/read_at.h"

namespace piship {
namespace {

constexpr std::string_view kMagic = "piship-install 1";
constexpr std::string_view kAnyFormat = "piship-install ";
constexpr std::string_view kArchiveBeginning = "\x28\xb5\x2f\xfd";  // a zstd frame's
constexpr std::size_t kStep = std::size_t{256} * 1024;

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

tl::unexpected<Error> Invalid(std::string_view name, std::string_view what) {
  return Fail(ErrorCode::kArchiveInvalid, Quoted(name) + ": the installer's trailer " + std::string(what),
              "get it again");
}

void Append64(std::string& out, std::uint64_t value) {
  for (unsigned shift = 0; shift < 64; shift += 8) out += static_cast<char>(value >> shift & 0xff);
}

void AppendDigest(std::string& out, const Digest& digest) {
  for (const std::uint8_t byte : digest.bytes()) out += static_cast<char>(byte);
}

// A number of `size` bytes, the least significant one first or last.
enum class Order : std::uint8_t { kLittle, kBig };
std::uint64_t Number(std::string_view bytes, std::size_t offset, std::size_t size, Order order) {
  std::uint64_t value = 0;
  for (std::size_t index = 0; index < size; ++index) {
    const std::size_t at = order == Order::kBig ? index : size - 1 - index;
    value = value << 8 | static_cast<unsigned char>(bytes[offset + at]);
  }
  return value;
}

Digest DigestAt(std::string_view bytes, std::size_t offset) {
  std::array<std::uint8_t, Digest::kSize> digest{};
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), digest.size(), digest.begin());
  return Digest(digest);
}

}  // namespace

std::string InstallerTrailerBytes(const InstallerTrailer& trailer) {
  std::string out;
  out.reserve(kInstallerTrailerBytes);
  Append64(out, trailer.program_bytes);
  Append64(out, trailer.archive_bytes);
  AppendDigest(out, trailer.program);
  AppendDigest(out, trailer.archive);
  out += kMagic;
  return out;
}

Result<std::optional<InstallerTrailer>> ParseInstallerTrailer(std::string_view bytes, std::uint64_t file_bytes,
                                                              std::string_view name) {
  if (bytes.size() < kInstallerTrailerBytes || file_bytes < kInstallerTrailerBytes)
    return std::optional<InstallerTrailer>();
  bytes = bytes.substr(bytes.size() - kInstallerTrailerBytes);
  const std::string_view magic = bytes.substr(kInstallerTrailerBytes - kMagic.size());
  if (magic != kMagic) {
    const char format = magic.back();
    if (!magic.starts_with(kAnyFormat) || format < '2' || format > '9') return std::optional<InstallerTrailer>();
    return Fail(ErrorCode::kFormatNewer, Quoted(name) + " is an installer of a newer format, this PiShip reads 1",
                "execute it, it brings its own PiShip");
  }
  InstallerTrailer trailer;
  trailer.program_bytes = Number(bytes, 0, 8, Order::kLittle);
  trailer.archive_bytes = Number(bytes, 8, 8, Order::kLittle);
  trailer.program = DigestAt(bytes, 16);
  trailer.archive = DigestAt(bytes, 16 + Digest::kSize);
  const std::uint64_t content = file_bytes - kInstallerTrailerBytes;
  if (trailer.program_bytes == 0 || trailer.archive_bytes == 0 || trailer.program_bytes > content ||
      trailer.archive_bytes != content - trailer.program_bytes) {
    return Invalid(name, "does not add up to the file's size");
  }
  return std::optional<InstallerTrailer>(trailer);
}

// The table of sections is what linkers and `strip` write last; a program without one does not tell.
std::optional<std::uint64_t> EndOfProgram(std::string_view beginning) {
  if (beginning.size() < kProgramHeaderBytes || !beginning.starts_with("\x7f"
                                                                       "ELF"))
    return std::nullopt;
  const bool wide = beginning[4] == 2;
  const Order order = beginning[5] == 2 ? Order::kBig : Order::kLittle;
  const std::uint64_t table = wide ? Number(beginning, 0x28, 8, order) : Number(beginning, 0x20, 4, order);
  const std::uint64_t size = Number(beginning, wide ? 0x3a : 0x2e, 2, order);
  const std::uint64_t count = Number(beginning, wide ? 0x3c : 0x30, 2, order);
  if (table == 0 || count == 0 || table > UINT64_MAX - size * count) return std::nullopt;
  return table + size * count;
}

Result<std::optional<InstallerTrailer>> FindInstaller(int fd, std::string_view name) {
  const std::optional<InstallerTrailer> none;
  struct stat status {};
  if (fstat(fd, &status) != 0) return Fail(SystemError("read " + Quoted(name), errno));
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || bytes < kProgramHeaderBytes) return none;
  std::string read;
  PISHIP_CHECK(ReadAt(fd, 0, kProgramHeaderBytes, name, read));
  const std::optional<std::uint64_t> end = EndOfProgram(read);
  // Nothing is behind a program that ends with its file.
  if (!end || *end >= bytes) return none;
  PISHIP_CHECK(ReadAt(fd, bytes - std::min<std::uint64_t>(bytes, kInstallerTrailerBytes),
                      static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kInstallerTrailerBytes)), name, read));
  PISHIP_TRY(const auto trailer, ParseInstallerTrailer(read, bytes, name));
  if (trailer) return trailer;
  const std::uint64_t behind = bytes - *end;
  PISHIP_CHECK(ReadAt(fd, *end, static_cast<std::size_t>(std::min<std::uint64_t>(behind, kArchiveBeginning.size())),
                      name, read));
  if (!kArchiveBeginning.starts_with(read)) return none;
  return Fail(ErrorCode::kArchiveTruncated, Quoted(name) + " is an installer without its end",
              "it was not copied completely, or its end is damaged: get it again");
}

Status CheckInstallerProgram(int fd, const InstallerTrailer& trailer, std::string_view name) {
  Sha256 hash;
  std::string piece;
  for (std::uint64_t offset = 0; offset < trailer.program_bytes; offset += piece.size()) {
    const std::uint64_t size = std::min<std::uint64_t>(kStep, trailer.program_bytes - offset);
    PISHIP_CHECK(ReadAt(fd, offset, static_cast<std::size_t>(size), name, piece));
    hash.Update(piece);
  }
  if (hash.Finish() == trailer.program) return {};
  return Fail(ErrorCode::kIntegrityFailed, Quoted(name) + ": the installer's program is damaged", "get it again");
}

}  // namespace piship
