// SPDX-License-Identifier: MIT
//
// Compression at a high level costs minutes where everything else costs a second, so it is what must not be repeated. A
// frame is remembered under everything that decides its bytes: the lines of its files in the inventory, the place in
// the file for a part, the level, zstd's version and the format. What is remembered is the digest and size of the
// compressed frame, and the frame is an object of the store like any other; so it is checked when it is read, and it
// disappears with the same pruning.
//
// A file in several frames is read once, by the calling thread, which gives the parts to others. Its digest is known
// only at the end, so its parts are remembered only then.
#include "archive/frame_maker.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>

#include "base/parallel.h"
#include "format/zstd_frame.h"

namespace piship {
namespace {

constexpr std::string_view kMemoKind = "frame";
// The inventory changes with every build and its digests do not compress: the highest level gains 6 % of it in 20 times
// the time.
constexpr int kInventoryLevel = 6;
// Parts that wait for a thread; each holds up to kPartBytes.
constexpr std::size_t kWaitingTasks = 2;

std::string ValueOf(const StoredObject& object) { return object.digest.Hex() + " " + std::to_string(object.size); }

std::optional<StoredObject> ParseValue(std::string_view value) {
  StoredObject object;
  if (value.size() < Digest::kHexSize + 2 || value[Digest::kHexSize] != ' ') return std::nullopt;
  if (!Digest::Decode(value.substr(0, Digest::kHexSize), object.digest)) return std::nullopt;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data() + Digest::kHexSize + 1, end, object.size);
  if (error != std::errc() || stop != end) return std::nullopt;
  return object;
}

bool IsLost(const Error& error) {
  return error.code == ErrorCode::kObjectMissing || error.code == ErrorCode::kObjectDamaged;
}

}  // namespace

FrameMaker::FrameMaker(const Store& store, const ArchiveLayout& layout, std::string_view inventory_text, int level,
                       unsigned threads)
    : store_(store),
      layout_(layout),
      inventory_text_(inventory_text),
      level_(level),
      threads_(threads == 0 ? UsableProcessors(64) : threads),
      frames_(layout.frames().size()) {}

int FrameMaker::LevelOf(const FramePlan& plan) const {
  return plan.first_entry == 0 ? std::min(level_, kInventoryLevel) : level_;
}

std::string FrameMaker::KeyOf(const FramePlan& plan) const {
  std::string text = "piship-frame 1\nzstd " + std::string(ZstdVersion()) + "\nlevel " + std::to_string(LevelOf(plan)) +
                     "\npart " + std::to_string(plan.part_offset) + "\n";
  for (std::size_t index = plan.first_entry; index < plan.first_entry + plan.entry_count; ++index) {
    const InventoryEntry& entry = layout_.entry(index);
    entry.digest.AppendHex(text);
    text += ' ' + std::to_string(entry.size) + (entry.mode == FileMode::kExecutable ? " x " : " - ") +
            entry.path.str() + '\n';
  }
  return Digest::Of(text).Hex();
}

Status FrameMaker::Remember(std::size_t number) const {
  return store_.Remember(kMemoKind, KeyOf(layout_.frames()[number]), ValueOf(*frames_[number]));
}

// What is remembered and still there, by size. Asking first keeps the store from reporting as lost what was only
// pruned.
Status FrameMaker::Recall() {
  std::vector<InventoryEntry> recalled;
  for (std::size_t number = 0; number < frames_.size(); ++number) {
    const auto value = store_.Recall(kMemoKind, KeyOf(layout_.frames()[number]));
    if (value) frames_[number] = ParseValue(*value);
    if (!frames_[number]) continue;
    InventoryEntry entry;
    entry.digest = frames_[number]->digest;
    entry.size = frames_[number]->size;
    PISHIP_TRY(entry.path, RelativePath::Parse("frames/" + std::to_string(number)));
    recalled.push_back(std::move(entry));
  }
  PISHIP_TRY(const Inventory inventory, Inventory::FromEntries(std::move(recalled)));
  PISHIP_TRY(std::vector<Digest> missing, store_.Missing(inventory));
  std::sort(missing.begin(), missing.end());
  for (auto& frame : frames_) {
    if (frame && std::binary_search(missing.begin(), missing.end(), frame->digest)) frame.reset();
  }
  return {};
}

Status FrameMaker::MakeAll() {
  PISHIP_CHECK(Recall());
  return MakeMissing();
}

Status FrameMaker::StreamEntry(std::size_t index, const std::function<Status(std::string_view)>& take) const {
  if (index == 0) return take(inventory_text_);
  const InventoryEntry& entry = layout_.entry(index);
  return store_.Stream(entry.digest, entry.size, take);
}

// The tar bytes of a frame that is not a part.
Result<std::string> FrameMaker::Gather(const FramePlan& plan) const {
  std::string content;
  content.reserve(plan.size);
  if (plan.kind == FrameKind::kEnd) content.append(plan.size, '\0');
  for (std::size_t index = plan.first_entry; index < plan.first_entry + plan.entry_count; ++index) {
    const InventoryEntry& entry = layout_.entry(index);
    AppendTarHeader(entry, content);
    if (index == 0) {
      content += inventory_text_;
    } else {
      auto bytes = store_.Read(entry.digest, entry.size);
      if (!bytes) return Fail(std::move(bytes).error().While("packing '" + entry.path.str() + "'"));
      content += *bytes;
    }
    content.append(TarPadding(entry.size), '\0');
  }
  return content;
}

Status FrameMaker::Make(std::size_t number, std::string_view content) {
  PISHIP_TRY(const std::string frame, CompressFrame(content, LevelOf(layout_.frames()[number])));
  StoredObject object{Digest::Of(frame), frame.size()};
  PISHIP_CHECK(store_.PutAs(object.digest, frame));
  frames_[number] = object;
  return {};
}

Status FrameMaker::MakeMissing() {
  const std::vector<FramePlan>& plans = layout_.frames();
  TaskPool pool(threads_, kWaitingTasks);
  std::vector<std::size_t> parts;  // made, not yet remembered
  Status status;
  for (std::size_t number = 0; status && number < plans.size(); ++number) {
    if (frames_[number]) continue;
    if (plans[number].kind == FrameKind::kPart) {
      status = MakeParts(number, pool, parts);
      // The parts of this file that follow are on their way.
      while (number + 1 < plans.size() && plans[number + 1].kind == FrameKind::kPart &&
             plans[number + 1].first_entry == plans[number].first_entry) {
        ++number;
      }
      continue;
    }
    const bool submitted = pool.Submit([this, number]() -> Status {
      PISHIP_TRY(const std::string content, Gather(layout_.frames()[number]));
      PISHIP_CHECK(Make(number, content));
      return Remember(number);
    });
    if (!submitted) break;
  }
  PISHIP_CHECK(pool.Finish());
  PISHIP_CHECK(status);
  for (const std::size_t number : parts) PISHIP_CHECK(Remember(number));
  return {};
}

// Reads one large file and submits those of its parts, from `first` on, that are not there yet.
Status FrameMaker::MakeParts(std::size_t first, TaskPool& pool, std::vector<std::size_t>& made) {
  const std::vector<FramePlan>& plans = layout_.frames();
  const InventoryEntry& entry = layout_.entry(plans[first].first_entry);
  std::size_t number = first - static_cast<std::size_t>(plans[first].part_offset / kPartBytes);
  bool failed = false;
  std::string content;
  std::uint64_t left = 0;  // of the part in the file
  const auto begin = [&] {
    content = std::string();
    if (plans[number].part_offset == 0) AppendTarHeader(entry, content);
    left = plans[number].part_size;
  };
  const auto end = [&] {
    if (plans[number].part_offset + plans[number].part_size == entry.size) content.append(TarPadding(entry.size), '\0');
    if (!frames_[number] && !failed) {
      made.push_back(number);
      const auto bytes = std::make_shared<const std::string>(std::move(content));
      failed = !pool.Submit([this, part = number, bytes] { return Make(part, *bytes); });
    }
    ++number;
  };
  begin();
  auto status = StreamEntry(plans[first].first_entry, [&](std::string_view bytes) -> Status {
    while (!bytes.empty() && left > 0 && !failed) {
      const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size()));
      content += bytes.substr(0, step);
      bytes.remove_prefix(step);
      left -= step;
      if (left > 0) continue;
      const bool last = plans[number].part_offset + plans[number].part_size == entry.size;
      end();
      if (!last) begin();
    }
    return {};
  });
  if (!status) return Fail(std::move(status).error().While("packing '" + entry.path.str() + "'"));
  return {};
}

Result<std::string> FrameMaker::Read(std::size_t number) {
  auto bytes = store_.Read(frames_[number]->digest, frames_[number]->size);
  if (bytes || !IsLost(bytes.error())) return bytes;
  frames_[number].reset();
  PISHIP_CHECK(MakeMissing());
  return store_.Read(frames_[number]->digest, frames_[number]->size);
}

}  // namespace piship
