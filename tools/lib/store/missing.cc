// SPDX-License-Identifier: MIT
// Which objects are there? Asking for 20,000 names one by one costs 33 to 55 ms in system calls (measured, two threads
// and one); reading the 256 directories that hold them costs 10. But a directory holds other builds' objects too, and
// reading a name costs about a sixth of asking for one, so a directory is read until six times as many names have come
// as are wanted there, and then the rest is asked for one by one.
//
// Reading names says nothing about last use. So once a day, per set of objects, each is asked for and marked as used,
// which also checks its size; an empty file in uses/, named by the set, has the time when this was done.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/parallel.h"
#include "store/impl.h"

namespace piship {
namespace {

constexpr std::size_t kNamesPerQuestion = 6;
constexpr std::size_t kFewObjects = 64;  // not worth any cleverness

enum class Depth : std::uint8_t { kNames, kEach };

struct Wanted {
  StoredObject object;
  bool present = false;
};

// Asks for one object.
bool Ask(int root, const StoredObject& object) {
  const std::string path = ObjectPath(object.digest);
  struct stat status {};
  if (fstatat(root, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != object.size) return false;
  if (IsStale(status)) MarkUsed(root, path.c_str());
  return true;
}

// Reads names of one directory, and marks those that are wanted. False where it stopped early.
bool ReadNames(int root, std::vector<Wanted>::iterator begin, std::vector<Wanted>::iterator end) {
  const std::string directory = ObjectPath(begin->object.digest).substr(0, 10);
  const UniqueFd fd(openat(root, directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return errno == ENOENT;
  std::string hex = directory.substr(8);
  hex.resize(Digest::kHexSize);
  std::size_t budget = kNamesPerQuestion * static_cast<std::size_t>(end - begin) + kFewObjects;
  alignas(dirent64) std::array<char, 32768> buffer;
  for (;;) {
    const ssize_t size = getdents64(fd.get(), buffer.data(), buffer.size());
    if (size <= 0) return size == 0;
    for (ssize_t offset = 0; offset < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + offset);
      offset += entry->d_reclen;
      if (budget-- == 0) return false;
      const std::string_view name = entry->d_name;
      if (name.size() != Digest::kHexSize - 2) continue;
      if (entry->d_type == DT_UNKNOWN) return false;
      if (entry->d_type != DT_REG) continue;
      name.copy(hex.data() + 2, name.size());
      Digest digest;
      if (!Digest::Decode(hex, digest)) continue;
      const auto found =
          std::lower_bound(begin, end, digest, [](const Wanted& a, const Digest& b) { return a.object.digest < b; });
      if (found != end && found->object.digest == digest) found->present = true;
    }
  }
}

void Look(int root, std::vector<Wanted>::iterator begin, std::vector<Wanted>::iterator end, Depth depth) {
  if (depth == Depth::kNames && ReadNames(root, begin, end)) return;
  for (auto wanted = begin; wanted != end; ++wanted) {
    if (!wanted->present) wanted->present = Ask(root, wanted->object);
  }
}

std::string UsePath(const std::vector<Wanted>& wanted) {
  Sha256 hasher;
  for (const Wanted& each : wanted) {
    hasher.Update({reinterpret_cast<const char*>(each.object.digest.bytes().data()), Digest::kSize});
  }
  return "uses/" + hasher.Finish().Hex();
}

}  // namespace

Result<std::vector<Digest>> Store::Missing(const std::vector<StoredObject>& objects) const {
  std::vector<Wanted> wanted;
  wanted.reserve(objects.size());
  for (const StoredObject& object : objects) wanted.push_back({object, false});
  std::sort(wanted.begin(), wanted.end(),
            [](const Wanted& a, const Wanted& b) { return a.object.digest < b.object.digest; });
  wanted.erase(std::unique(wanted.begin(), wanted.end(),
                           [](const Wanted& a, const Wanted& b) { return a.object.digest == b.object.digest; }),
               wanted.end());
  PISHIP_TRY([[maybe_unused]] const bool reopened, impl_->Reopen());
  const auto held = impl_->Root();
  const int root = held->get();
  Depth depth = Depth::kEach;
  std::string use;
  if (wanted.size() > kFewObjects) {
    use = UsePath(wanted);
    struct stat status {};
    if (fstatat(root, use.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && !IsStale(status)) depth = Depth::kNames;
  }
  std::vector<std::size_t> starts;
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    if (index == 0 || wanted[index].object.digest.bytes()[0] != wanted[index - 1].object.digest.bytes()[0])
      starts.push_back(index);
  }
  starts.push_back(wanted.size());
  const auto at = [&](std::size_t index) { return wanted.begin() + static_cast<std::ptrdiff_t>(index); };
  PISHIP_CHECK(
      ParallelFor(starts.size() - 1, wanted.size() > kFewObjects ? 0 : 1, [&](std::size_t group, unsigned) -> Status {
        Look(root, at(starts[group]), at(starts[group + 1]), depth);
        return {};
      }));
  std::vector<Digest> missing;
  for (const Wanted& each : wanted) {
    if (!each.present) missing.push_back(each.object.digest);
  }
  // Best effort: without the note the next call is a little slower.
  if (depth == Depth::kEach && !use.empty() && missing.empty()) static_cast<void>(impl_->Write(use, ""));
  return missing;
}

Result<std::vector<Digest>> Store::Missing(const Inventory& inventory) const {
  std::vector<StoredObject> objects;
  objects.reserve(inventory.entries().size());
  for (const InventoryEntry& entry : inventory.entries()) objects.push_back({entry.digest, entry.size});
  return Missing(objects);
}

}  // namespace piship
