// SPDX-License-Identifier: MIT
// Both readers on any bytes, and the reader on any content of otherwise right frames (a fuzzer does not get past
// digests and compression by itself). An input is raw where its first byte is even; else the rest is a patch: each 4
// bytes say frame, offset (2 bytes) and value, which are applied to the content of a small archive before it is packed.
//
// Whatever is accepted must be the archive that the inventory decides, and both readers must agree on it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/files.h"
#include "format/archive_file.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool raw = input.empty() || (static_cast<unsigned char>(input[0]) & 1) == 0;
  if (!input.empty()) input.remove_prefix(1);
  const std::string bytes = raw ? std::string(input) : Patched(input);

  piship::CollectingSink sink;
  const auto summary = piship::ReadBytes(bytes, sink, {.threads = 1, .limits = {}});
  if (!sink.faults.empty()) std::abort();
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
