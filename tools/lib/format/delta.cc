// SPDX-License-Identifier: MIT
#include "format/delta.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "format/zstd_frame.h"

namespace piship {
namespace {

constexpr std::uint32_t kDeltaMagic = kSkippableMagic | 0x2;
constexpr std::string_view kFirstLine = "piship-delta 1\n";
constexpr std::string_view kAnyFormat = "piship-delta ";
constexpr std::size_t kNumbers = 4;
constexpr std::size_t kBody = kFirstLine.size() + 2 * Digest::kSize + 8 * kNumbers;
constexpr std::size_t kHead = 8 + kBody;

using DigestSet = std::unordered_set<Digest, DigestHash>;

DigestSet DigestsOf(const Inventory& inventory) {
  DigestSet digests;
  digests.reserve(inventory.entries().size());
  for (const InventoryEntry& entry : inventory.entries()) digests.insert(entry.digest);
  return digests;
}

std::vector<const InventoryEntry*> Without(const Inventory& inventory, DigestSet known, std::uint64_t& bytes) {
  std::vector<const InventoryEntry*> entries;
  for (const InventoryEntry& entry : inventory.entries()) {
    if (!known.insert(entry.digest).second) continue;
    entries.push_back(&entry);
    bytes += entry.size;
  }
  return entries;
}

void Append(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned index = 0; index < bytes; ++index) out += static_cast<char>(value >> 8 * index & 0xff);
}

std::uint64_t Number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t index = bytes.size(); index-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[index]);
  return value;
}

void Append(std::string& out, const Digest& digest) {
  for (const std::uint8_t byte : digest.bytes()) out += static_cast<char>(byte);
}

Digest DigestIn(std::string_view bytes) {
  std::array<std::uint8_t, Digest::kSize> raw{};
  for (std::size_t index = 0; index < raw.size(); ++index) raw[index] = static_cast<std::uint8_t>(bytes[index]);
  return Digest(raw);
}

tl::unexpected<Error> Invalid(std::string_view name, std::string_view what) {
  return Fail(ErrorCode::kArchiveInvalid, "'" + std::string(name) + "' " + std::string(what));
}

Status CheckHead(std::string_view bytes, std::string_view name) {
  const std::string_view line = bytes.substr(0, kHead).substr(8, kFirstLine.size());
  if (Number(bytes.substr(0, 4)) != kDeltaMagic || !line.starts_with(kAnyFormat))
    return Invalid(name, "is not a delta");
  if (line != kFirstLine) return Fail(ErrorCode::kFormatNewer, "'" + std::string(name) + "' has a newer format");
  if (Number(bytes.substr(4, 4)) != kBody) return Invalid(name, "has a head of another size");
  return {};
}

}  // namespace

DeltaContents CompareContents(const Inventory& base, const Inventory& release) {
  DeltaContents contents;
  contents.gone = Without(base, DigestsOf(release), contents.gone_bytes);
  contents.added = Without(release, DigestsOf(base), contents.added_bytes);
  return contents;
}

namespace {

Error TooLarge(std::string_view name) {
  return Error{ErrorCode::kLimitExceeded, std::string(name) + " needs more than " +
                                              std::to_string(kMaxDeltaMemory >> 20) + " MiB of memory to be applied"};
}

std::string BytesOf(const Delta& delta) {
  std::string out;
  out.reserve(kHead + delta.inventory_frame.size() + delta.added_frame.size());
  Append(out, kDeltaMagic, 4);
  Append(out, kBody, 4);
  out += kFirstLine;
  Append(out, delta.base);
  Append(out, delta.inventory);
  for (const std::uint64_t number : {delta.inventory_bytes, std::uint64_t{delta.inventory_frame.size()},
                                     delta.added_bytes, std::uint64_t{delta.added_frame.size()}}) {
    Append(out, number, 8);
  }
  out += delta.inventory_frame;
  out += delta.added_frame;
  return out;
}

Result<std::string> Joined(const std::vector<const InventoryEntry*>& entries, std::uint64_t bytes,
                           const ContentOf& content_of) {
  std::string joined;
  joined.reserve(static_cast<std::size_t>(bytes));
  for (const InventoryEntry* entry : entries) {
    PISHIP_TRY(const std::string content, content_of(*entry));
    joined += content;
  }
  return joined;
}

Result<std::string> Decoded(std::string_view frame, std::string_view prefix, std::uint64_t bytes,
                            std::string_view name) {
  std::string out(static_cast<std::size_t>(bytes), '\0');
  FrameDecoder decoder;
  if (decoder.DecodeAfter(prefix, frame, out.data(), out.size())) return out;
  return Fail(ErrorCode::kIntegrityFailed, "'" + std::string(name) + "' is damaged, or belongs to another base");
}

}  // namespace

Result<std::string> MakeDelta(const Inventory& base, const ContentOf& base_content, const Inventory& release,
                              const ContentOf& release_content, int level) {
  const DeltaContents contents = CompareContents(base, release);
  if (contents.gone_bytes + contents.added_bytes > kMaxDeltaMemory) return Fail(TooLarge("the delta"));
  const std::string base_text = base.Text();
  const std::string release_text = release.Text();
  PISHIP_TRY(const std::string gone, GoneContents(contents, base_content));
  PISHIP_TRY(const std::string added, Joined(contents.added, contents.added_bytes, release_content));
  PISHIP_TRY(const std::string inventory_frame, CompressAfter(base_text, release_text, level));
  PISHIP_TRY(const std::string added_frame, CompressAfter(gone, added, level));
  Delta delta;
  delta.base = Digest::Of(base_text);
  delta.inventory = Digest::Of(release_text);
  delta.inventory_bytes = release_text.size();
  delta.inventory_frame = inventory_frame;
  delta.added_bytes = added.size();
  delta.added_frame = added_frame;
  std::string bytes = BytesOf(delta);
  if (bytes.size() + std::max(gone.size() + added.size(), base_text.size() + release_text.size()) > kMaxDeltaMemory) {
    return Fail(TooLarge("the delta"));
  }
  return bytes;
}

Result<std::string> InventoryOf(const Delta& delta, std::string_view base_text, std::string_view name) {
  if (Digest::Of(base_text) != delta.base) {
    return Fail(ErrorCode::kIntegrityFailed, "'" + std::string(name) + "' belongs to another base");
  }
  PISHIP_TRY(std::string text, Decoded(delta.inventory_frame, base_text, delta.inventory_bytes, name));
  if (Digest::Of(text) == delta.inventory) return text;
  return Fail(ErrorCode::kIntegrityFailed, "'" + std::string(name) + "' holds another inventory than it names");
}

Result<std::string> GoneContents(const DeltaContents& contents, const ContentOf& base_content) {
  return Joined(contents.gone, contents.gone_bytes, base_content);
}

Result<std::string> AddedContents(const Delta& delta, const DeltaContents& contents, std::string_view gone,
                                  std::string_view name) {
  if (delta.added_bytes != contents.added_bytes) {
    return Fail(ErrorCode::kIntegrityFailed,
                "'" + std::string(name) + "' holds other contents than its inventory needs");
  }
  if (gone.size() + delta.added_bytes + delta.added_frame.size() > kMaxDeltaMemory) return Fail(TooLarge(name));
  return Decoded(delta.added_frame, gone, delta.added_bytes, name);
}

Result<Delta> ParseDelta(std::string_view bytes, std::string_view name) {
  if (bytes.size() < kHead)
    return Fail(ErrorCode::kArchiveTruncated, "'" + std::string(name) + "' is too short for a delta");
  PISHIP_CHECK(CheckHead(bytes, name));
  std::string_view rest = bytes.substr(8 + kFirstLine.size());
  const auto take = [&](std::size_t size) {
    const std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
  };
  Delta delta;
  delta.base = DigestIn(take(Digest::kSize));
  delta.inventory = DigestIn(take(Digest::kSize));
  std::array<std::uint64_t, kNumbers> numbers{};
  for (std::uint64_t& number : numbers) {
    number = Number(take(8));
    if (number > kMaxDeltaMemory) {
      return Fail(ErrorCode::kLimitExceeded, "'" + std::string(name) + "' needs more memory than a delta may");
    }
  }
  delta.inventory_bytes = numbers[0];
  delta.added_bytes = numbers[2];
  if (numbers[1] + numbers[3] > rest.size())
    return Fail(ErrorCode::kArchiveTruncated, "'" + std::string(name) + "' ends early");
  if (numbers[1] + numbers[3] < rest.size()) return Invalid(name, "goes on after its end");
  delta.inventory_frame = take(static_cast<std::size_t>(numbers[1]));
  delta.added_frame = rest;
  return delta;
}

}  // namespace piship
