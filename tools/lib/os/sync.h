// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"

namespace piship {

// Waits until everything that was written to the file system of `fd` is on its device. `name` is the subject of errors.
Status SyncFileSystem(int fd, std::string_view name);

// The same for what was written to the file, or the directory, of `fd` alone.
Status SyncFile(int fd, std::string_view name);

}  // namespace piship
