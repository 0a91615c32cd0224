// SPDX-License-Identifier: MIT
//
// One pass over a stream, with the work spread over threads. The calling thread reads: it follows zstd's frame and
// block headers to find where each frame ends, without decompressing and without believing the index, which comes last.
// It decodes the inventory at the front itself; from then on the layout says what each frame must hold. So the size
// that a frame claims is compared before its bytes are read, no buffer's size comes from the stream, and a frame can be
// given to any thread: that one decompresses it, compares headers and digests and hands the files on. Of a file in
// several frames the parts are decompressed at the same time, but hashed and handed on in order.
//
// Memory: each thread has one buffer for a frame's content, and the compressed frames that wait are bounded in bytes.
// Frames are taken in the order of the stream, so the part that others wait for is always in some thread's hands.
#include "format/archive_reader.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include "base/files.h"
#include "base/parallel.h"
#include "format/archive_layout.h"
#include "format/frame_check.h"
#include "format/frame_input.h"
#include "format/seek_table.h"
#include "format/zstd_frame.h"

namespace piship {
namespace {

constexpr unsigned kMaxThreads = 8;
constexpr std::size_t kFreeFrames = 64;

// What a thread needs to decode a frame; kept from one frame to the next. The buffer has room for the largest frame
// from the start: memory costs when it is touched for the first time, and one that grew would be touched anew each
// time.
struct Workplace {
  FrameDecoder decoder;
  std::unique_ptr<char[]> content{new char[kMaxFrameContent]};
};

class Reading {
 public:
  Reading(int fd, std::string_view name, PayloadSink& sink, const ReadArchiveOptions& options)
      : name_(name), sink_(sink), options_(options), input_(fd, name, options.bytes) {}

  Result<ArchiveSummary> Run();

 private:
  Status ReadInventory();
  Status ReadFrames(unsigned threads);
  Status ReadEnd();
  // Reads frame number records_.size() and notes it; gives the size of the content that it claims to have.
  Result<std::size_t> ReadFrame(std::string& frame);
  // Reads the next frame of the layout, which must have the size that the layout says.
  Status ReadPlannedFrame(std::string& frame);

  Status CheckFrame(std::size_t number, std::string_view frame);
  Status HandPartOn(std::size_t number, std::string_view content);
  std::size_t NextPart(std::size_t number) const;

  bool Reserve(std::size_t bytes);
  void Release(std::string frame);
  void NoteFailure(std::size_t number);
  std::string TakeFrame();
  std::unique_ptr<Workplace> TakeWorkplace();
  void GiveBack(std::unique_ptr<Workplace> workplace);

  // A frame on its way. However the task ends, others learn of it.
  struct FrameTask {
    FrameTask(Reading& its_reading, std::size_t its_number) : reading(its_reading), number(its_number) {}
    Status Run() {
      struct Ending {
        FrameTask& task;
        bool checked = false;
        ~Ending() {
          if (!checked) task.reading.NoteFailure(task.number);
          task.reading.Release(std::move(task.frame));
        }
      } ending{*this};
      Status status = reading.CheckFrame(number, frame);
      ending.checked = status.has_value();
      return status;
    }
    Reading& reading;
    std::size_t number;
    std::string frame;
  };

  const std::string_view name_;
  PayloadSink& sink_;
  const ReadArchiveOptions& options_;

  // The calling thread's.
  FrameInput input_;
  std::vector<FrameRecord> records_;
  std::uint64_t unpacked_ = 0;

  // Written before the first thread starts.
  std::string inventory_text_;
  Inventory inventory_;
  ArchiveLayout layout_;

  std::mutex mutex_;  // protects all below but frame_digests_
  std::condition_variable changed_;
  std::size_t failed_ = SIZE_MAX;  // the first frame that is known to be wrong
  std::size_t waiting_bytes_ = 0;
  std::size_t next_part_ = 0;  // the frame whose part is to be handed on
  std::vector<std::unique_ptr<Workplace>> free_workplaces_;
  std::vector<std::string> free_frames_;  // for the memory that they have
  std::size_t free_frame_bytes_ = 0;
  std::vector<Digest> frame_digests_;  // one element per frame, each written by one thread
  Sha256 part_hash_;                   // used only by the thread whose part it is
};

Result<std::size_t> Reading::ReadFrame(std::string& frame) {
  PISHIP_TRY(const std::size_t content_bytes, input_.ReadFrame(records_.size(), kMaxFrameContent, frame));
  unpacked_ += content_bytes;
  if (!options_.limits.AllowsRatio(unpacked_, input_.bytes())) {
    return Fail(ErrorCode::kLimitExceeded, "'" + std::string(name_) + "' unpacks to more than " +
                                               std::to_string(options_.limits.ratio) + " times its size");
  }
  records_.push_back({Digest(), static_cast<std::uint32_t>(frame.size()), static_cast<std::uint32_t>(content_bytes)});
  return content_bytes;
}

Status Reading::ReadPlannedFrame(std::string& frame) {
  const std::size_t number = records_.size();
  const FramePlan& plan = layout_.frames()[number];
  PISHIP_TRY(const std::size_t content_bytes, ReadFrame(frame));
  if (content_bytes == plan.size) return {};
  // Refused; looking into it only finds the entry from which on it differs.
  Workplace workplace;
  char* buffer = workplace.content.get();
  if (!workplace.decoder.Decode(frame, buffer, content_bytes)) return input_.FailDamaged(number);
  const std::string_view bytes(buffer, content_bytes);
  if (plan.kind == FrameKind::kEntries) {
    PISHIP_CHECK(
        CheckEntries(layout_, plan, bytes, name_, [](const InventoryEntry&, std::string_view) { return Status(); }));
  }
  if (plan.kind == FrameKind::kEnd) PISHIP_CHECK(CheckEnd(bytes, name_));
  return Fail(ErrorCode::kArchiveInvalid, "'" + std::string(name_) + "': frame " + std::to_string(number) + " has " +
                                              std::to_string(content_bytes) +
                                              " bytes of content, the inventory's files need " +
                                              std::to_string(plan.size));
}

Status Reading::ReadInventory() {
  std::string frame;
  std::unique_ptr<Workplace> workplace = TakeWorkplace();
  const auto read = [&]() -> Result<std::string_view> {
    const std::size_t number = records_.size();
    PISHIP_TRY(const std::size_t size, ReadFrame(frame));
    if (!workplace->decoder.Decode(frame, workplace->content.get(), size)) return input_.FailDamaged(number);
    frame_digests_.push_back(Digest::Of(frame));
    return std::string_view(workplace->content.get(), size);
  };
  PISHIP_TRY(std::string_view content, read());
  InventoryEntry entry;
  entry.path = InventoryPath();
  PISHIP_TRY(entry.size, InventorySize(content, name_));
  if (entry.size > options_.limits.inventory_bytes) {
    return Fail(ErrorCode::kLimitExceeded, "'" + std::string(name_) + "' has an inventory of more than " +
                                               std::to_string(options_.limits.inventory_bytes) + " bytes");
  }
  std::vector<FramePlan> plans;
  AppendFramesOf(entry, 0, 0, plans);
  for (const FramePlan& plan : plans) {
    if (plan.part_offset > 0) {
      PISHIP_TRY(content, read());
    }
    if (content.size() != plan.size) {
      return FailEntry(ErrorCode::kArchiveInvalid, name_, 0, entry, "does not fill its frames exactly");
    }
    PISHIP_TRY(const std::string_view text, CheckPart(entry, plan, content, name_));
    inventory_text_ += text;
  }
  GiveBack(std::move(workplace));
  PISHIP_TRY(inventory_,
             Inventory::Parse(inventory_text_, std::string(name_) + ": metadata/inventory", options_.limits.inventory));
  PISHIP_TRY(layout_, ArchiveLayout::Of(inventory_, inventory_text_));
  return {};
}

bool Reading::Reserve(std::size_t bytes) {
  std::unique_lock lock(mutex_);
  const std::size_t most = options_.waiting_bytes;
  changed_.wait(lock, [&] { return failed_ != SIZE_MAX || waiting_bytes_ == 0 || waiting_bytes_ + bytes <= most; });
  waiting_bytes_ += bytes;
  return failed_ == SIZE_MAX;
}

// Ends the wait of a frame. Its memory serves the next ones, up to what may wait.
void Reading::Release(std::string frame) {
  {
    const std::lock_guard lock(mutex_);
    waiting_bytes_ -= frame.size();
    // Within what was reserved: this runs where nothing may fail any more.
    if (free_frames_.size() < free_frames_.capacity() &&
        free_frame_bytes_ + frame.capacity() <= options_.waiting_bytes) {
      free_frame_bytes_ += frame.capacity();
      free_frames_.push_back(std::move(frame));
    }
  }
  changed_.notify_all();
}

std::string Reading::TakeFrame() {
  const std::lock_guard lock(mutex_);
  if (free_frames_.empty()) return {};
  std::string frame = std::move(free_frames_.back());
  free_frames_.pop_back();
  free_frame_bytes_ -= frame.capacity();
  return frame;
}

void Reading::NoteFailure(std::size_t number) {
  {
    const std::lock_guard lock(mutex_);
    failed_ = std::min(failed_, number);
  }
  changed_.notify_all();
}

std::unique_ptr<Workplace> Reading::TakeWorkplace() {
  const std::lock_guard lock(mutex_);
  if (free_workplaces_.empty()) return std::make_unique<Workplace>();
  std::unique_ptr<Workplace> workplace = std::move(free_workplaces_.back());
  free_workplaces_.pop_back();
  return workplace;
}

void Reading::GiveBack(std::unique_ptr<Workplace> workplace) {
  const std::lock_guard lock(mutex_);
  free_workplaces_.push_back(std::move(workplace));
}

Status Reading::ReadFrames(unsigned threads) {
  const std::vector<FramePlan>& plans = layout_.frames();
  next_part_ = NextPart(records_.size());
  frame_digests_.resize(plans.size());
  free_frames_.reserve(kFreeFrames);
  const std::size_t first = records_.size();
  std::optional<TaskPool> pool;
  if (threads > 1) pool.emplace(threads, plans.size());
  Status read;
  while (read && records_.size() < plans.size()) {
    const std::size_t number = records_.size();
    auto task = std::make_shared<FrameTask>(*this, number);
    task->frame = TakeFrame();
    read = ReadPlannedFrame(task->frame);
    if (!read) break;
    // The first one, which holds piship.lock, comes before all others.
    if (!pool || number == first) {
      read = CheckFrame(number, task->frame);
      continue;
    }
    if (!Reserve(task->frame.size()) || !pool->Submit([task] { return task->Run(); })) break;
  }
  // What is wrong with an earlier frame comes before what is wrong with the reading.
  if (pool) PISHIP_CHECK(pool->Finish());
  return read;
}

// From this frame on.
std::size_t Reading::NextPart(std::size_t number) const {
  const std::vector<FramePlan>& plans = layout_.frames();
  while (number < plans.size() && plans[number].kind != FrameKind::kPart) ++number;
  return number;
}

Status Reading::CheckFrame(std::size_t number, std::string_view frame) {
  const FramePlan& plan = layout_.frames()[number];
  std::unique_ptr<Workplace> workplace = TakeWorkplace();
  char* buffer = workplace->content.get();
  if (!workplace->decoder.Decode(frame, buffer, plan.size)) return input_.FailDamaged(number);
  frame_digests_[number] = Digest::Of(frame);
  const std::string_view bytes(buffer, plan.size);
  switch (plan.kind) {
    case FrameKind::kEntries:
      PISHIP_CHECK(CheckEntries(
          layout_, plan, bytes, name_,
          [this](const InventoryEntry& entry, std::string_view content) { return sink_.File(entry, content); }));
      break;
    case FrameKind::kPart: {
      PISHIP_TRY(const std::string_view content, CheckPart(layout_.entry(plan.first_entry), plan, bytes, name_));
      PISHIP_CHECK(HandPartOn(number, content));
      break;
    }
    case FrameKind::kEnd:
      PISHIP_CHECK(CheckEnd(bytes, name_));
      break;
  }
  GiveBack(std::move(workplace));
  return {};
}

// One part after the other, over all large files: each is preceded by parts that other threads have or have had.
Status Reading::HandPartOn(std::size_t number, std::string_view content) {
  const FramePlan& plan = layout_.frames()[number];
  const InventoryEntry& entry = layout_.entry(plan.first_entry);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ < number || next_part_ == number; });
    if (failed_ < number) return {};
  }
  part_hash_.Update(content);
  PISHIP_CHECK(sink_.Part(entry, plan.part_offset, content));
  const bool last = plan.part_offset + plan.part_size == entry.size;
  if (last && part_hash_.Finish() != entry.digest) {
    return FailEntry(ErrorCode::kIntegrityFailed, name_, plan.first_entry, entry,
                     "does not match its digest in the inventory");
  }
  {
    const std::lock_guard lock(mutex_);
    next_part_ = NextPart(number + 1);
  }
  changed_.notify_all();
  return {};
}

Status Reading::ReadEnd() {
  for (std::size_t number = 0; number < records_.size(); ++number) records_[number].digest = frame_digests_[number];
  std::string index;
  PISHIP_CHECK(input_.Read(FrameIndexSize(records_.size()), index));
  const std::string expected = FrameIndexBytes(records_);
  if (index != expected) {
    if (index.substr(0, 4) != expected.substr(0, 4)) {
      return Fail(ErrorCode::kArchiveInvalid,
                  "'" + std::string(name_) + "' holds something else after its last frame than the frame index");
    }
    // The parser names a newer format or a malformed index; else it is well formed and says something else.
    PISHIP_CHECK(ParseFrameIndex(index, name_));
    return Fail(ErrorCode::kArchiveInvalid, "'" + std::string(name_) + "': the frame index does not match the frames");
  }
  return input_.ExpectEnd();
}

Result<ArchiveSummary> Reading::Run() {
  PISHIP_CHECK(ReadInventory());
  PISHIP_CHECK(sink_.Begin(inventory_, inventory_text_));
  const unsigned threads = options_.threads != 0 ? options_.threads : UsableProcessors(kMaxThreads);
  PISHIP_CHECK(ReadFrames(threads));
  PISHIP_CHECK(ReadEnd());
  return ArchiveSummary{input_.Finish(), input_.bytes(), layout_.entry(0).digest};
}

}  // namespace

Result<ArchiveSummary> ReadArchive(int fd, std::string_view name, PayloadSink& sink,
                                   const ReadArchiveOptions& options) {
  try {
    Reading reading(fd, name, sink, options);
    return reading.Run();
  } catch (const std::bad_alloc&) {
    return Fail(SystemError("get the memory to read '" + std::string(name) + "'", ENOMEM));
  }
}

}  // namespace piship
