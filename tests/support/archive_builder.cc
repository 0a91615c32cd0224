// SPDX-License-Identifier: MIT
#include "support/archive_builder.h"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/files.h"
#include "format/archive_layout.h"
#include "format/seek_table.h"
#include "format/zstd_frame.h"

namespace piship {
namespace {

constexpr int kLevel = 1;

void Put(std::string& block, std::size_t offset, std::string_view text) { block.replace(offset, text.size(), text); }

}  // namespace

TestArchive::TestArchive(const std::vector<TestFile>& files) {
  std::vector<InventoryEntry> entries;
  std::map<std::string, const std::string*> contents;
  for (const TestFile& file : files) {
    auto path = RelativePath::Parse(file.path);
    if (!path) std::abort();
    entries.push_back({Digest::Of(file.content), file.content.size(), file.mode, *std::move(path)});
    contents[file.path] = &file.content;
  }
  inventory = *Inventory::FromEntries(std::move(entries));
  inventory_text = inventory.Text();
  contents[InventoryPath().str()] = &inventory_text;
  const ArchiveLayout layout = *ArchiveLayout::Of(inventory, inventory_text);
  std::string tar;
  for (std::size_t index = 0; index < layout.entry_count(); ++index) {
    AppendTarHeader(layout.entry(index), tar);
    tar += Padded(*contents[layout.entry(index).path.str()]);
  }
  tar.append(kTarEndBytes, '\0');
  for (const FramePlan& plan : layout.frames()) frames.push_back(tar.substr(plan.offset, plan.size));
}

TestArchive::Place TestArchive::Find(std::string_view path) const {
  const ArchiveLayout layout = *ArchiveLayout::Of(inventory, inventory_text);
  for (std::size_t number = 0; number < layout.frames().size(); ++number) {
    const FramePlan& plan = layout.frames()[number];
    std::size_t offset = 0;
    for (std::size_t index = plan.first_entry; index < plan.first_entry + plan.entry_count; ++index) {
      if (layout.entry(index).path.str() == path) return {number, offset};
      offset += TarEntrySize(layout.entry(index));
    }
  }
  std::abort();
}

std::string TestArchive::Pack() const {
  std::vector<std::string> compressed;
  std::vector<std::size_t> sizes;
  for (const std::string& frame : frames) {
    compressed.push_back(*CompressFrame(frame, kLevel));
    sizes.push_back(frame.size());
  }
  return PackFrames(compressed, sizes);
}

std::string PackFrames(const std::vector<std::string>& compressed, const std::vector<std::size_t>& content_sizes) {
  std::string bytes;
  std::vector<FrameRecord> records;
  for (std::size_t index = 0; index < compressed.size(); ++index) {
    bytes += compressed[index];
    records.push_back({Digest::Of(compressed[index]), static_cast<std::uint32_t>(compressed[index].size()),
                       static_cast<std::uint32_t>(content_sizes[index])});
  }
  return bytes + FrameIndexBytes(records);
}

std::string TarBlock(const TarFields& fields) {
  std::string block(kTarBlock, '\0');
  Put(block, 0, fields.name);
  Put(block, 100, fields.mode);
  Put(block, 108, fields.uid);
  Put(block, 116, fields.gid);
  Put(block, 124, fields.size);
  Put(block, 136, fields.time);
  Put(block, 148, "        ");
  block[156] = fields.type;
  Put(block, 157, fields.link);
  Put(block, 257, fields.magic);
  Put(block, 265, fields.user);
  Put(block, 297, fields.group);
  Put(block, 329, "0000000");
  Put(block, 337, "0000000");
  Put(block, 345, fields.prefix);
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  Put(block, 148, fields.checksum.empty() ? std::string_view(digits, 7) : std::string_view(fields.checksum));
  return block;
}

std::string Octal11(std::uint64_t value) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%011llo", static_cast<unsigned long long>(value));
  return digits;
}

std::string PaxRecord(std::string_view key, std::string_view value) {
  std::size_t length = key.size() + value.size() + 3;
  while (std::to_string(length).size() + key.size() + value.size() + 3 != length) ++length;
  return std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

std::string PaxHeader(std::string_view records, char type) {
  TarFields fields;
  fields.name = "pax";
  fields.type = type;
  fields.size = Octal11(records.size());
  return TarBlock(fields) + Padded(std::string(records));
}

std::string Padded(std::string content) {
  content.append(TarPadding(content.size()), '\0');
  return content;
}

Status CollectingSink::Begin(const Inventory&, std::string_view text) {
  if (begun) faults.push_back("Begin was called twice");
  begun = true;
  inventory_text = text;
  return {};
}

Status CollectingSink::File(const InventoryEntry& entry, std::string_view bytes) {
  const std::lock_guard lock(mutex);
  if (!begun) faults.push_back("File came before Begin");
  if (Digest::Of(bytes) != entry.digest) faults.push_back(entry.path.str() + " was handed on unchecked");
  if (!files.emplace(entry.path.str(), bytes).second) faults.push_back(entry.path.str() + " came twice");
  if (entry.path.str() == fail_at) return Fail(ErrorCode::kDiskFull, "no space is left for " + fail_at);
  return {};
}

Status CollectingSink::Part(const InventoryEntry& entry, std::uint64_t offset, std::string_view bytes) {
  const std::lock_guard lock(mutex);
  std::string& content = files[entry.path.str()];
  if (content.size() != offset) faults.push_back(entry.path.str() + " came out of order");
  content += bytes;
  if (entry.path.str() == fail_at) return Fail(ErrorCode::kDiskFull, "no space is left for " + fail_at);
  return {};
}

Result<ArchiveSummary> ReadBytes(std::string_view bytes, PayloadSink& sink, const ReadArchiveOptions& options,
                                 Through through) {
  if (through == Through::kFile) {
    const UniqueFd file(memfd_create("archive", MFD_CLOEXEC));
    if (!WriteAll(file.get(), bytes, "memory") || lseek(file.get(), 0, SEEK_SET) != 0) std::abort();
    return ReadArchive(file.get(), "test.tar.zst", sink, options);
  }
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  // The reader may stop early; SIGPIPE would then end the test.
  std::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    static_cast<void>(WriteAll(in.get(), bytes, "pipe"));
    in.Reset();
  });
  auto result = ReadArchive(out.get(), "test.tar.zst", sink, options);
  out.Reset();
  writer.join();
  return result;
}

}  // namespace piship
