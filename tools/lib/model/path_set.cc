// SPDX-License-Identifier: MIT
// Every inventory that is read passes through here, so this decides how long reading takes. A table from folded names
// to exact ones would allocate twice for each path; instead the exact names lie in one text, and a slot of the table
// holds only a 64-bit hash of the folded name and where the exact one lies. Names are folded again and compared only
// where their hashes are equal. The hash is seeded at random, so nobody can prepare names that fall into one place.
#include "model/path_set.h"

#include <sys/random.h>
#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/utf8.h"

namespace piship {
namespace {

constexpr std::size_t kFewestSlots = 64;
constexpr std::size_t kTextLimit = UINT32_MAX;

std::uint64_t RandomSeed() {
  std::uint64_t seed = 0;
  // Cannot fail for so few bytes once the system's generator is up; without it the hash is merely predictable.
  static_cast<void>(getrandom(&seed, sizeof seed, 0));
  return seed;
}

// Letter case of ASCII only; false where there is anything beyond ASCII. `to` has room for the whole of `text`.
bool FoldAscii(std::string_view text, char* to) {
  unsigned char all = 0;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const auto byte = static_cast<unsigned char>(text[index]);
    const bool upper = static_cast<unsigned char>(byte - 'A') < 26;
    to[index] = static_cast<char>(byte | (upper ? 0x20 : 0));
    all = static_cast<unsigned char>(all | byte);
  }
  return all < 0x80;
}

// Both halves of a 128-bit product folded together: each input bit reaches each output bit.
std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t HashOf(std::string_view bytes, std::uint64_t seed) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = seed ^ (kOdd * bytes.size());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = bytes.size() < sizeof word ? bytes.size() : sizeof word;
    std::memcpy(&word, bytes.data(), size);
    hash = Mix(hash ^ word ^ kOdd, kOdd ^ seed);
    bytes.remove_prefix(size);
  }
  return hash != 0 ? hash : 1;
}

std::uint64_t HashOfFolded(std::string_view exact, std::uint64_t seed) {
  std::array<char, RelativePath::kMaxBytes> folded;
  if (exact.size() <= folded.size() && FoldAscii(exact, folded.data()))
    return HashOf({folded.data(), exact.size()}, seed);
  return HashOf(FoldPath(exact), seed);
}

}  // namespace

std::string FoldPath(std::string_view path) {
  std::string folded(path);
  if (FoldAscii(path, folded.data())) return folded;
  utf8proc_uint8_t* mapped = nullptr;
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                                           UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(path.data()),
                                             static_cast<utf8proc_ssize_t>(path.size()), &mapped, kOptions);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(mapped, &std::free);
  // Only memory can run out for valid UTF-8; the text itself is then the finest fold there is.
  if (size < 0) return folded;
  return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)};
}

PathSet::PathSet() : seed_(RandomSeed()) { Grow(kFewestSlots); }

void PathSet::Reserve(std::size_t paths) {
  std::size_t slots = kFewestSlots;
  while (slots < 2 * paths) slots *= 2;
  if (slots > slots_.size()) Grow(slots);
}

void PathSet::Grow(std::size_t slots) {
  std::vector<Name> old(slots);
  old.swap(slots_);
  for (const Name& name : old) {
    if (name.hash == 0) continue;
    std::size_t slot = name.hash & (slots - 1);
    while (slots_[slot].hash != 0) slot = (slot + 1) & (slots - 1);
    slots_[slot] = name;
  }
}

Status PathSet::AddName(std::string_view exact, bool directory) {
  const std::uint64_t hash = HashOfFolded(exact, seed_);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot].hash != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const Name& present = slots_[slot];
    if (present.hash != hash) continue;
    if (Exact(present) == exact && present.directory && directory) return {};
    if (Exact(present) == exact || FoldPath(Exact(present)) == FoldPath(exact))
      return Conflict(exact, directory, present);
  }
  if (text_.size() + exact.size() > kTextLimit)
    return Fail(ErrorCode::kLimitExceeded, "the paths are longer than 4 GiB");
  slots_[slot] = {hash, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint16_t>(exact.size()), directory};
  text_ += exact;
  if (++used_ * 4 > slots_.size() * 3) Grow(2 * slots_.size());
  return {};
}

Status PathSet::Conflict(std::string_view exact, bool directory, const Name& present) const {
  std::string message = "'" + std::string(exact) + "' ";
  if (Exact(present) == exact) {
    message += present.directory == directory ? "appears twice" : "is both a file and a directory";
  } else {
    message += "and '" + std::string(Exact(present)) + "' are one name on some file systems";
  }
  return Fail(ErrorCode::kPathConflict, std::move(message));
}

Status PathSet::Add(const RelativePath& path) {
  PISHIP_CHECK(AddName(path.str(), false));
  // Paths mostly come sorted, so the directories of the path before this one are usually known.
  const std::string_view parent = path.parent();
  if (parent == last_parent_) return {};
  for (std::size_t end = parent.size(); end > 0 && end != std::string_view::npos; end = parent.rfind('/', end - 1)) {
    const std::string_view directory = parent.substr(0, end);
    if (last_parent_.size() > end && last_parent_.starts_with(directory) && last_parent_[end] == '/') break;
    if (last_parent_ == directory) break;
    PISHIP_CHECK(AddName(directory, true));
  }
  last_parent_ = parent;
  return {};
}

}  // namespace piship
