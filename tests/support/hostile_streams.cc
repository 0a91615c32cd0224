// SPDX-License-Identifier: MIT
#include "format/archive_layout.h"
#include "format/seek_table.h"
#include "format/zstd_frame.h"
#include "support/hostile_archives.h"

namespace piship {
namespace {

constexpr auto kInvalid = ErrorCode::kArchiveInvalid;
constexpr auto kTruncated = ErrorCode::kArchiveTruncated;

using Files = std::vector<TestFile>;

// The tar bytes changed before they are compressed.
auto Content(std::function<void(TestArchive&)> change) {
  return [change = std::move(change)](const Files& around) {
    TestArchive archive(FilesWithVictim(around));
    change(archive);
    return archive.Pack();
  };
}

// The frames changed after that; the index fits them.
auto Frames(std::function<void(std::vector<std::string>& frames, std::vector<std::size_t>& sizes)> change) {
  return [change = std::move(change)](const Files& around) {
    const TestArchive archive(FilesWithVictim(around));
    std::vector<std::string> frames;
    std::vector<std::size_t> sizes;
    for (const std::string& frame : archive.frames) {
      frames.push_back(*CompressFrame(frame, 1));
      sizes.push_back(frame.size());
    }
    change(frames, sizes);
    return PackFrames(frames, sizes);
  };
}

// The finished bytes; `index` is where the frame index begins.
auto Bytes(std::function<void(std::string& bytes, std::size_t index)> change) {
  return [change = std::move(change)](const Files& around) {
    const TestArchive archive(FilesWithVictim(around));
    std::string bytes = archive.Pack();
    change(bytes, bytes.size() - FrameIndexSize(archive.frames.size()));
    return bytes;
  };
}

void Flip(std::string& bytes, std::size_t at) { bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1); }

std::string Skippable(std::size_t size) {
  std::string frame("\x50\x2a\x4d\x18", 4);
  for (unsigned shift = 0; shift < 32; shift += 8) frame += static_cast<char>(size >> shift & 0xff);
  return frame.append(size, 's');
}

// A header of a frame with the window or content size that is asked for, one block, and no more.
std::string FrameStart(const char* bytes, std::size_t size) { return {bytes, size}; }

std::vector<HostileStream> Ends() {
  return {
      {"A81_one_zero_block", kInvalid, "frame", Content([](TestArchive& a) { a.frames.back().resize(kTarBlock); })},
      {"A82", kInvalid, "frame", Content([](TestArchive& a) { a.frames.pop_back(); })},
      {"A83_more_zeros", kInvalid, "frame",
       Content([](TestArchive& a) { a.frames.back().append(8 * kTarBlock, '\0'); })},
      {"A83_frame", kInvalid, "after its last frame", Content([](TestArchive& a) { a.frames.push_back(a.frames[1]); })},
      {"A83_entry", kInvalid, "zeros", Content([](TestArchive& a) { a.frames.back() += a.frames[1]; })},
      {"A83_entry_for_end", kInvalid, "zeros",
       Content([](TestArchive& a) { a.frames.back() = a.frames[1].substr(0, 2 * kTarBlock); })},
      {"A83_byte", kInvalid, "goes on after its end", Bytes([](std::string& b, std::size_t) { b += 'x'; })},
      {"A83_skippable", kInvalid, "goes on after its end",
       Bytes([](std::string& b, std::size_t) { b += Skippable(4); })},
      {"A85", kInvalid, "goes on after its end", Bytes([](std::string& b, std::size_t) { b += std::string(b); })},
      {"A85_tar_after_tar", kInvalid, "zeros", Content([](TestArchive& a) {
         std::string whole;
         for (const std::string& frame : a.frames) whole += frame;
         a.frames.back() += whole;
       })},
      {"A_empty", kTruncated, "ends after 0 bytes", [](const Files&) { return std::string(); }},
      {"A_text", kInvalid, "frame 0", [](const Files&) { return std::string("just a text that is no archive"); }},
      {"A_no_index", kTruncated, "before its end", Bytes([](std::string& b, std::size_t index) { b.resize(index); })},
  };
}

std::vector<HostileStream> Lists() {
  const auto other_text = [](const std::function<void(std::string&)>& change) {
    return Content([change](TestArchive& a) {
      std::string text = a.inventory_text;
      change(text);
      TarFields fields;
      fields.name = "metadata/inventory";
      fields.size = Octal11(text.size());
      a.frames[0] = TarBlock(fields) + Padded(text);
    });
  };
  // The line of app/a, which begins with its digest.
  const auto line_of_a = [](const std::string& text) { return text.rfind('\n', text.find(" app/a\n")) + 1; };
  return {
      {"A86_wrong_digest", ErrorCode::kIntegrityFailed, "'app/a' does not match its digest",
       other_text([=](std::string& t) { t[line_of_a(t)] = t[line_of_a(t)] == '0' ? '1' : '0'; })},
      {"A86_wrong_size", kInvalid, "'app/a'",
       other_text([](std::string& t) { t.replace(t.find(" 1 - app/a\n"), 3, " 2 "); })},
      {"A86_wrong_mode", kInvalid, "'app/a' has the mode",
       other_text([](std::string& t) { t.replace(t.find(" - app/a\n"), 3, " x "); })},
      {"A86_extra_file", kInvalid, "app/a",
       other_text([=](std::string& t) { t.erase(line_of_a(t), t.find('\n', line_of_a(t)) + 1 - line_of_a(t)); })},
      {"A87_missing_file", kInvalid, "app/b", other_text([=](std::string& t) {
         t.insert(t.find('\n', line_of_a(t)) + 1, Digest::Of("").Hex() + " 0 - app/b\n");
       })},
      {"A87_no_inventory", kInvalid, "entry 0", Content([](TestArchive& a) { a.frames.erase(a.frames.begin()); })},
      {"A87_missing_frame", kInvalid, "order", Content([](TestArchive& a) { a.frames.erase(a.frames.begin() + 2); })},
      {"A88_frames", kInvalid, "entry", Content([](TestArchive& a) { std::swap(a.frames[1], a.frames[2]); })},
      {"A88_entries", kInvalid, "order", Content([](TestArchive& a) {
         const auto first = a.Find("app/a");
         std::string& frame = a.frames[first.frame];
         frame = frame.substr(0, first.offset) + frame.substr(first.offset + 2 * kTarBlock, 2 * kTarBlock) +
                 frame.substr(first.offset, 2 * kTarBlock) + frame.substr(first.offset + 4 * kTarBlock);
       })},
      {"A88_inventory_last", kInvalid, "entry 0",
       Content([](TestArchive& a) { std::swap(a.frames[0], a.frames[a.frames.size() - 2]); })},
      {"A_inventory_newer", ErrorCode::kFormatNewer, "format 2",
       other_text([](std::string& t) { t.replace(0, 18, "piship-inventory 2"); })},
  };
}

std::vector<HostileStream> Compression() {
  return {
      {"A90_gzip", kInvalid, "zstd",
       Bytes([](std::string& b, std::size_t) { b.insert(0, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10); })},
      {"A91_window", kInvalid, "frame 1",
       Frames([](auto& f, auto&) { f[1] = FrameStart("\x28\xb5\x2f\xfd\x84\xa8\x00\x06\x00\x00\x01\x00\x00", 13); })},
      {"A91_skippable_first", kInvalid, "skippable",
       Bytes([](std::string& b, std::size_t) { b.insert(0, Skippable(10)); })},
      {"A91_skippable_between", kInvalid, "skippable", Frames([](auto& f, auto&) { f[1].insert(0, Skippable(10)); })},
      {"A91_skippable_flood", kInvalid, "skippable", Bytes([](std::string& b, std::size_t) {
         std::string flood;
         for (int count = 0; count < 10'000; ++count) flood += Skippable(0);
         b.insert(0, flood);
       })},
      {"A91_dictionary", kInvalid, "frame 1", Frames([](auto& f, auto&) { f[1][4] = static_cast<char>(f[1][4] | 1); })},
      {"A91_no_checksum", kInvalid, "frame 1",
       Frames([](auto& f, auto&) { f[1][4] = static_cast<char>(f[1][4] & ~4); })},
      {"A91_size_lie", kInvalid, "frame 1", Frames([](auto& f, auto&) { f[1][5] = static_cast<char>(f[1][5] ^ 2); })},
      {"A91_size_lie_huge", kInvalid, "frame 1",
       Frames([](auto& f, auto&) { f[1] = FrameStart("\x28\xb5\x2f\xfd\xe4\xff\xff\xff\xff\xff\xff\xff\x7f", 13); })},
      {"A91_first_size_lie_huge", kInvalid, "frame 0", Bytes([](std::string& b, std::size_t) {
         b.insert(0, "\x28\xb5\x2f\xfd\xe4\xff\xff\xff\xff\xff\xff\xff\x7f", 13);
       })},
      {"A91_empty_block_flood", kInvalid, "frame 1", Frames([](auto& f, auto&) { f[1].insert(7, 300'000, '\0'); })},
      {"A_two_frames_for_one", kInvalid, "frame", Frames([](auto& f, auto& s) {
         // The same content in two frames: another archive of the same files, so not the canonical one.
         FrameDecoder decoder;
         std::string content(s[1], '\0');
         if (!decoder.Decode(f[1], content.data(), content.size())) std::abort();
         f[1] = *CompressFrame(content.substr(0, 512), 1);
         f.insert(f.begin() + 2, *CompressFrame(content.substr(512), 1));
         s[1] = 512;
         s.insert(s.begin() + 2, content.size() - 512);
       })},
  };
}

// One bit in each part of the file.
std::vector<HostileStream> Flips() {
  const auto in_victim = [](std::size_t offset) {
    return Content([offset](TestArchive& a) {
      const auto place = a.Find(kVictim);
      Flip(a.frames[place.frame], place.offset + offset);
    });
  };
  return {
      {"A_flip_header", kInvalid, "'app/victim'", in_victim(3)},
      {"A_flip_data", ErrorCode::kIntegrityFailed, "'app/victim' does not match its digest", in_victim(kTarBlock)},
      {"A_flip_padding", kInvalid, "padding", in_victim(kTarBlock + 100)},
      {"A_flip_end", kInvalid, "zeros", Content([](TestArchive& a) { Flip(a.frames.back(), 1000); })},
      {"A_flip_lock", ErrorCode::kIntegrityFailed, "'piship.lock'", Content([](TestArchive& a) {
         const auto place = a.Find("piship.lock");
         Flip(a.frames[place.frame], place.offset + kTarBlock);
       })},
      {"A_flip_inventory_header", kInvalid, "'metadata/inventory'",
       Content([](TestArchive& a) { Flip(a.frames[0], 1); })},
      {"A_flip_inventory_path", kInvalid, "entry",
       Content([](TestArchive& a) { Flip(a.frames[0], a.frames[0].find("app/victim") + 4); })},
      {"A_flip_frame_magic", kInvalid, "frame 1", Frames([](auto& f, auto&) { Flip(f[1], 0); })},
      {"A_flip_frame_descriptor", kInvalid, "frame 1", Frames([](auto& f, auto&) { Flip(f[1], 4); })},
      {"A_flip_frame_data", kInvalid, "frame 1", Frames([](auto& f, auto&) { Flip(f[1], f[1].size() / 2); })},
      {"A_flip_frame_checksum", kInvalid, "frame 1", Frames([](auto& f, auto&) { Flip(f[1], f[1].size() - 1); })},
      {"A_flip_index_magic", kInvalid, "frame index", Bytes([](std::string& b, std::size_t i) { Flip(b, i); })},
      {"A_flip_index_length", kInvalid, "frame index", Bytes([](std::string& b, std::size_t i) { Flip(b, i + 4); })},
      {"A_flip_index_name", kInvalid, "frame index", Bytes([](std::string& b, std::size_t i) { Flip(b, i + 8); })},
      {"A_flip_index_digest", kInvalid, "frame index", Bytes([](std::string& b, std::size_t i) { Flip(b, i + 30); })},
      {"A_flip_seek_table_entry", kInvalid, "frame index",
       Bytes([](std::string& b, std::size_t) { Flip(b, b.size() - 20); })},
      {"A_flip_seek_table_count", kInvalid, "frame index",
       Bytes([](std::string& b, std::size_t) { Flip(b, b.size() - 9); })},
      {"A_flip_seek_table_flags", kInvalid, "frame index",
       Bytes([](std::string& b, std::size_t) { Flip(b, b.size() - 5); })},
      {"A_flip_seek_table_magic", kTruncated, "does not end with a seek table",
       Bytes([](std::string& b, std::size_t) { Flip(b, b.size() - 1); })},
      {"A_index_digests_swapped", kInvalid, "frame index", Bytes([](std::string& b, std::size_t i) {
         const std::string first = b.substr(i + 24, 32);
         b.replace(i + 24, 32, b.substr(i + 56, 32));
         b.replace(i + 56, 32, first);
       })},
      {"A_index_without_seek_table", kTruncated, "before its end",
       Bytes([](std::string& b, std::size_t i) { b.resize(i + 40); })},
      {"A_index_before_the_end", kInvalid, "frame",
       Bytes([](std::string& b, std::size_t i) { b.insert(0, b.substr(i)); })},
  };
}

}  // namespace

std::vector<HostileStream> HostileStreams() {
  std::vector<HostileStream> streams;
  for (auto part : {Ends(), Lists(), Compression(), Flips()}) {
    for (HostileStream& stream : part) streams.push_back(std::move(stream));
  }
  return streams;
}

}  // namespace piship
