// SPDX-License-Identifier: MIT
#include "model/inventory.h"

#include <algorithm>
#include <charconv>

#include "base/files.h"
#include "model/path_set.h"

namespace piship {
namespace {

constexpr std::size_t kTextLimit = std::size_t{512} * 1024 * 1024;

// One line without its newline: "<sha256> <size> <x|-> <path>". Returns null, or what is wrong.
const char* ParseLine(std::string_view line, InventoryEntry& entry) {
  if (line.size() < Digest::kHexSize + 6 || line[Digest::kHexSize] != ' ')
    return "is not '<sha256> <size> <x|-> <path>'";
  if (!Digest::Decode(line.substr(0, Digest::kHexSize), entry.digest)) return "does not begin with a SHA-256 digest";
  line.remove_prefix(Digest::kHexSize + 1);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), entry.size);
  const auto digits = static_cast<std::size_t>(end - line.data());
  if (error != std::errc() || digits == 0 || (digits > 1 && line[0] == '0'))
    return "has a size that is not a plain number";
  line.remove_prefix(digits);
  if (line.size() < 4 || line[0] != ' ' || line[2] != ' ' || (line[1] != 'x' && line[1] != '-')) {
    return "lacks ' x ' or ' - ' after the size";
  }
  entry.mode = line[1] == 'x' ? FileMode::kExecutable : FileMode::kPlain;
  line.remove_prefix(3);
  auto path = RelativePath::Parse(line);
  if (!path) return RelativePath::WhyNot(line);
  entry.path = *std::move(path);
  return nullptr;
}

// "<digest> 0 - p" and its newline.
constexpr std::size_t kShortestLine = Digest::kHexSize + 7;

Error InvalidAt(std::string_view name, std::size_t line, std::string_view what) {
  Error error;
  error.code = ErrorCode::kInventoryInvalid;
  error.message = std::string(name) + ":" + std::to_string(line) + ": " + std::string(what);
  return error;
}

Status CheckFirstLine(std::string_view text, std::string_view name) {
  if (text.starts_with(Inventory::kFirstLine)) return {};
  constexpr std::string_view kAnyFormat = "piship-inventory ";
  const std::size_t end = text.find('\n');
  if (text.starts_with(kAnyFormat) && end != std::string_view::npos) {
    const std::string_view format = text.substr(kAnyFormat.size(), end - kAnyFormat.size());
    const bool number = !format.empty() && format.size() < 10 && format.front() != '0' &&
                        std::all_of(format.begin(), format.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (number) {
      return Fail(ErrorCode::kFormatNewer,
                  std::string(name) + " has inventory format " + std::string(format) + ", this PiShip reads 1",
                  "use a newer PiShip");
    }
  }
  return Fail(InvalidAt(name, 1, "is not 'piship-inventory 1'"));
}

}  // namespace

Status Inventory::Check(const InventoryLimits& limits) {
  if (entries_.size() > limits.entries) {
    return Fail(ErrorCode::kLimitExceeded, std::to_string(entries_.size()) + " files are more than the limit of " +
                                               std::to_string(limits.entries));
  }
  PathSet paths;
  paths.Reserve(entries_.size());
  total_bytes_ = 0;
  for (const InventoryEntry& entry : entries_) {
    if (entry.size > limits.total_bytes - total_bytes_) {
      return Fail(ErrorCode::kLimitExceeded,
                  "the files are larger than the limit of " + std::to_string(limits.total_bytes) + " bytes");
    }
    total_bytes_ += entry.size;
    PISHIP_CHECK(paths.Add(entry.path));
  }
  return {};
}

Result<Inventory> Inventory::FromEntries(std::vector<InventoryEntry> entries, const InventoryLimits& limits) {
  Inventory inventory;
  inventory.entries_ = std::move(entries);
  std::sort(inventory.entries_.begin(), inventory.entries_.end(),
            [](const InventoryEntry& a, const InventoryEntry& b) { return a.path < b.path; });
  PISHIP_CHECK(inventory.Check(limits));
  return inventory;
}

Result<Inventory> Inventory::Parse(std::string_view text, std::string_view name, const InventoryLimits& limits) {
  PISHIP_CHECK(CheckFirstLine(text, name));
  Inventory inventory;
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (lines - 1 > limits.entries) {
    return Fail(ErrorCode::kLimitExceeded,
                std::string(name) + " lists more than " + std::to_string(limits.entries) + " files");
  }
  // A text of empty lines must not reserve more than it is worth.
  inventory.entries_.reserve(std::min(lines - 1, text.size() / kShortestLine));
  text.remove_prefix(kFirstLine.size());
  for (std::size_t index = 0; index < lines - 1; ++index) {
    const std::size_t end = text.find('\n');
    InventoryEntry& entry = inventory.entries_.emplace_back();
    if (const char* what = ParseLine(text.substr(0, end), entry)) return Fail(InvalidAt(name, index + 2, what));
    if (index > 0 && entry.path <= inventory.entries_[index - 1].path) {
      return Fail(InvalidAt(name, index + 2, "is not in order"));
    }
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) return Fail(InvalidAt(name, lines + 1, "the last line has no end"));
  if (auto checked = inventory.Check(limits); !checked) {
    return Fail(std::move(checked).error().While("reading the inventory '" + std::string(name) + "'"));
  }
  return inventory;
}

std::string Inventory::Text() const {
  std::string out;
  std::size_t size = kFirstLine.size();
  for (const InventoryEntry& entry : entries_) size += Digest::kHexSize + 25 + entry.path.str().size();
  out.reserve(size);
  out += kFirstLine;
  for (const InventoryEntry& entry : entries_) {
    entry.digest.AppendHex(out);
    out += ' ';
    char digits[20];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, entry.size);
    out.append(digits, end);
    out += entry.mode == FileMode::kExecutable ? " x " : " - ";
    out += entry.path.str();
    out += '\n';
  }
  return out;
}

const InventoryEntry* Inventory::Find(std::string_view path) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), path,
      [](const InventoryEntry& entry, std::string_view wanted) { return std::string_view(entry.path.str()) < wanted; });
  return found != entries_.end() && found->path.str() == path ? &*found : nullptr;
}

Result<Inventory> ReadInventory(const std::string& path, const InventoryLimits& limits) {
  PISHIP_TRY(const std::string text, ReadFile(path, kTextLimit));
  return Inventory::Parse(text, path, limits);
}

}  // namespace piship
