// SPDX-License-Identifier: MIT
// What is read from a tarball can be placed: sorted paths that a file system can hold side by side, within the limits.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/path_set.h"
#include "vendor/tarball.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  piship::TarballLimits limits;
  limits.gunzip.bytes = std::uint64_t{16} << 20;
  limits.entries = 10'000;
  const auto tarball = piship::ReadTarball({reinterpret_cast<const char*>(data), size}, "fuzz@1.0.0", limits);
  if (!tarball) return 0;
  if (tarball->files.empty() || tarball->data.view().size() > limits.gunzip.bytes) std::abort();
  piship::PathSet paths;
  const std::string_view all = tarball->data.view();
  for (const piship::TarballFile& file : tarball->files) {
    if (!paths.Add(file.path)) std::abort();
    if (file.bytes.empty()) continue;
    if (file.bytes.data() < all.data() || file.bytes.data() + file.bytes.size() > all.data() + all.size()) std::abort();
  }
  return 0;
}
