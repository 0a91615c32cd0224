// SPDX-License-Identifier: MIT
#include "home/mend.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "os/beneath.h"

namespace piship {
namespace {

struct Place {
  UniqueFd parent;  // not valid where it is not there
  std::string leaf;
};

Result<Place> PlaceOf(int root, std::string_view path, std::string_view name) {
  const std::size_t slash = path.rfind('/');
  const bool top = slash == std::string_view::npos;
  const std::string parent(top ? "." : path.substr(0, slash));
  Place place{UniqueFd(), std::string(path.substr(top ? 0 : slash + 1))};
  const int fd = OpenBeneath(root, parent.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (fd < 0 && !IsAbsent(fd)) return Fail(SystemError("open '" + JoinPath(name, parent) + "'", -fd));
  if (fd >= 0) place.parent.Reset(fd);
  return place;
}

Status Remove(int payload, std::string_view name, const std::string& path) {
  PISHIP_TRY(const Place place, PlaceOf(payload, path, name));
  if (!place.parent.valid()) return {};
  if (const int error = RemoveBeneath(place.parent.get(), place.leaf.c_str()); error != 0) {
    return Fail(SystemError("remove '" + JoinPath(name, path) + "'", -error));
  }
  return {};
}

Status MoveIn(int payload, std::string_view name, int staged, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos) {
    if (const int error = MakeDirectoriesBeneath(payload, std::string_view(path).substr(0, slash)); error != 0) {
      return Fail(SystemError("make the directory of '" + JoinPath(name, path) + "'", -error));
    }
  }
  PISHIP_TRY(const Place from, PlaceOf(staged, path, name));
  PISHIP_TRY(const Place to, PlaceOf(payload, path, name));
  if (renameat(from.parent.get(), from.leaf.c_str(), to.parent.get(), to.leaf.c_str()) == 0) return {};
  return Fail(SystemError("replace '" + JoinPath(name, path) + "'", errno));
}

}  // namespace

bool IsWritten(const Difference& difference, bool listed) {
  switch (difference.kind) {
    case DifferenceKind::kMissing:
    case DifferenceKind::kChanged:
    case DifferenceKind::kWrongMode:
      return true;
    case DifferenceKind::kWrongType:
      return listed;
    case DifferenceKind::kExtra:
    case DifferenceKind::kExtraDirectory:
      return false;
  }
  return false;
}

Status MendPayload(int payload, std::string_view name, int staged, const std::vector<Difference>& differences,
                   const std::vector<std::string>& written) {
  for (const Difference& difference : differences) {
    const bool in_the_way = difference.kind == DifferenceKind::kWrongType || !IsWritten(difference, true);
    if (in_the_way) PISHIP_CHECK(Remove(payload, name, difference.path));
  }
  for (const std::string& path : written) PISHIP_CHECK(MoveIn(payload, name, staged, path));
  return {};
}

}  // namespace piship
