// SPDX-License-Identifier: MIT
// The last bytes of an installer, and the first ones of a program: what the trailer's parser accepts is exactly what
// the writer makes and adds up to the file; a program ends where its header says, without an overflow.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/installer_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::uint64_t file_bytes : {std::uint64_t{size}, std::uint64_t{6'000'096}, UINT64_MAX}) {
    const auto trailer = piship::ParseInstallerTrailer(bytes, file_bytes, "fuzz");
    if (!trailer || !*trailer) continue;
    if (!bytes.ends_with(piship::InstallerTrailerBytes(**trailer))) std::abort();
    const std::uint64_t left = file_bytes - piship::kInstallerTrailerBytes;
    if ((*trailer)->program_bytes > left || left - (*trailer)->program_bytes != (*trailer)->archive_bytes) std::abort();
  }
  const auto end = piship::EndOfProgram(bytes);
  if (end && *end == 0) std::abort();
  return 0;
}
