// SPDX-License-Identifier: MIT
// Both readers on any bytes, and the reader on any content of otherwise right frames (a fuzzer does not get past
// digests and compression by itself). An input is raw where its first byte is even. Where it is 0xff, the rest are
// paths and contents, with a NUL after each, of an archive that must be accepted. Else it is a patch: each 4 bytes say
// frame, offset (2 bytes) and value, which are applied to the content of a small archive before it is packed.
//
// Whatever is accepted must be the archive that the inventory decides, and both readers must agree on it.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/files.h"
#include "format/archive_file.h"
#include "format/archive_layout.h"
#include "support/archive_builder.h"

namespace {

std::string Patched(std::string_view patch) {
  piship::TestArchive archive(
      std::vector<piship::TestFile>{{"app/a", "a"}, {"app/\xc3\xa9", "e"}, {"piship.lock", "{}"}});
  for (; patch.size() >= 4; patch.remove_prefix(4)) {
    std::string& frame = archive.frames[static_cast<unsigned char>(patch[0]) % archive.frames.size()];
    const std::size_t offset = static_cast<unsigned char>(patch[1]) * 256U + static_cast<unsigned char>(patch[2]);
    frame[offset % frame.size()] = patch[3];
  }
  return archive.Pack();
}

// Empty where the paths can't lie side by side.
std::string Built(std::string_view input, std::size_t& files) {
  std::vector<piship::TestFile> list;
  std::vector<piship::InventoryEntry> entries;
  while (list.size() < 64) {
    const std::size_t path_end = input.find('\0');
    if (path_end == std::string_view::npos) break;
    const std::size_t content_end = std::min(input.find('\0', path_end + 1), input.size());
    auto path = piship::RelativePath::Parse(input.substr(0, path_end));
    if (path) {
      const bool executable = path_end % 2 == 1;
      list.push_back({path->str(), std::string(input.substr(path_end + 1, content_end - path_end - 1)),
                      executable ? piship::FileMode::kExecutable : piship::FileMode::kPlain});
      entries.push_back({piship::Digest(), 0, piship::FileMode::kPlain, *std::move(path)});
    }
    input.remove_prefix(std::min(content_end + 1, input.size()));
  }
  const auto inventory = piship::Inventory::FromEntries(std::move(entries));
  if (!inventory || !piship::ArchiveLayout::Of(*inventory, "")) return {};
  files = list.size();
  return piship::TestArchive(std::move(list)).Pack();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool raw = input.empty() || (static_cast<unsigned char>(input[0]) & 1) == 0;
  const bool built = !input.empty() && input[0] == '\xff';
  if (!input.empty()) input.remove_prefix(1);
  std::size_t files = 0;
  const std::string bytes = raw ? std::string(input) : built ? Built(input, files) : Patched(input);

  piship::CollectingSink sink;
  const auto summary = piship::ReadBytes(bytes, sink, {.threads = 1, .limits = {}});
  if (!sink.faults.empty()) std::abort();
  if (built && !bytes.empty() && (!summary || sink.files.size() != files)) std::abort();
  const piship::UniqueFd fd(memfd_create("fuzz", MFD_CLOEXEC));
  if (!piship::WriteAll(fd.get(), bytes, "memory")) return 0;
  const auto file = piship::ArchiveFile::Open(fd.get(), "fuzz");
  if (!summary) return 0;
  if (!file || file->inventory_text() != sink.inventory_text) std::abort();
  if (sink.files.size() != file->inventory().entries().size()) std::abort();
  for (const auto& [path, content] : sink.files) {
    if (*file->Read(path) != content) std::abort();
  }
  return 0;
}
