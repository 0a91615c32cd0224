// SPDX-License-Identifier: MIT
// Opening files below a directory that somebody else may be changing: no link in any component is ever followed and no
// path leaves the directory, whatever is swapped meanwhile.
//
// One openat2(2) does it in the kernel (Linux 5.6); where that is missing or forbidden (old sandboxes), the path is
// walked component by component with O_NOFOLLOW, to the same effect.
#pragma once

#include <cerrno>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace piship {

// A descriptor (close-on-exec) for `path`, relative and without "..", below the open directory `root`; or -errno: ELOOP
// or ENOTDIR where a component is a link. `flags` as for open(2); a link at the last component is not followed either.
int OpenBeneath(int root, const char* path, int flags, unsigned mode = 0);
// Whether what OpenBeneath has returned says that nothing is at the path, or something else than a path of files and
// directories. Any other failure says nothing about what is there.
constexpr bool IsAbsent(int opened) { return opened == -ENOENT || opened == -ENOTDIR || opened == -ELOOP; }

// Makes each directory of `path` that is missing, with exactly mode 0755. 0 or -errno: ELOOP or ENOTDIR where a
// component is not a directory.
int MakeDirectoriesBeneath(int root, std::string_view path);

// Removes what has this name in the directory `parent`: files and links by name, directories with all that they hold.
// No link is followed, no mount point entered. 0 or -errno; a missing name is 0. `stop`, where there is one, is asked
// before the first file and now and then; once it says so, the rest is left and the result is -ECANCELED.
using Stop = std::function<bool()>;
int RemoveBeneath(int parent, const char* name, const Stop& stop = {});

struct DirectoryEntry {
  std::string name;
  unsigned char type = 0;  // DT_REG, DT_DIR, DT_LNK, ...: as readdir(3), but never DT_UNKNOWN
};
// The names in an open directory, without "." and "..", in no order. 0 or -errno.
int ReadDirectory(int directory, std::vector<DirectoryEntry>& entries);

}  // namespace piship
