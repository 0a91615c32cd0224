// SPDX-License-Identifier: MIT
// A path that is accepted can't leave the directory that it is joined to, whoever takes it apart.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "model/path_set.h"
#include "model/relative_path.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto path = piship::RelativePath::Parse(text);
  if (!path) return 0;
  if (path->str() != text) std::abort();
  if (text.find('\0') != std::string_view::npos) std::abort();
  const std::filesystem::path other(path->str());
  if (other.is_absolute() || other.lexically_normal() != other) std::abort();
  const std::string folded = piship::FoldPath(text);
  if (piship::FoldPath(folded) != folded) std::abort();
  piship::PathSet set;
  if (!set.Add(*path) || set.Add(*path)) std::abort();
  return 0;
}
