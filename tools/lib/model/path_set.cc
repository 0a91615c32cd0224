// SPDX-License-Identifier: MIT
#include "model/path_set.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "base/utf8.h"

namespace piship {

std::string FoldPath(std::string_view path) {
  std::string folded(path);
  bool ascii = true;
  for (char& c : folded) {
    if (static_cast<unsigned char>(c) >= 0x80) ascii = false;
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  if (ascii) return folded;
  utf8proc_uint8_t* mapped = nullptr;
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                                           UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(path.data()),
                                             static_cast<utf8proc_ssize_t>(path.size()), &mapped, kOptions);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(mapped, &std::free);
  // Only memory can run out for valid UTF-8; the text itself is then the finest fold there is.
  if (size < 0) return folded;
  return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)};
}

Status PathSet::AddName(std::string_view exact, bool directory) {
  const auto [found, added] = names_.try_emplace(FoldPath(exact), Name{std::string(exact), directory});
  if (added) return {};
  const Name& present = found->second;
  if (present.directory && directory && present.exact == exact) return {};
  std::string message = "'" + std::string(exact) + "' ";
  if (present.exact == exact) {
    message += present.directory == directory ? "appears twice" : "is both a file and a directory";
  } else {
    message += "and '" + present.exact + "' are one name on some file systems";
  }
  return Fail(ErrorCode::kPathConflict, std::move(message));
}

Status PathSet::Add(const RelativePath& path) {
  PISHIP_CHECK(AddName(path.str(), false));
  // Paths mostly come sorted, so the directories of the path before this one are usually known.
  const std::string_view parent = path.parent();
  if (parent == last_parent_) return {};
  for (std::size_t end = parent.size(); end > 0 && end != std::string_view::npos; end = parent.rfind('/', end - 1)) {
    const std::string_view directory = parent.substr(0, end);
    if (last_parent_.size() > end && last_parent_.starts_with(directory) && last_parent_[end] == '/') break;
    if (last_parent_ == directory) break;
    PISHIP_CHECK(AddName(directory, true));
  }
  last_parent_ = parent;
  return {};
}

}  // namespace piship
