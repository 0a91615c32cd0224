// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace piship {

// Waits until everything that was written to the file system of `fd` is on its device. `name` is the subject of errors.
Status SyncFileSystem(int fd, std::string_view name);

// The same for what was written to the file, or the directory, of `fd` alone.
Status SyncFile(int fd, std::string_view name);

// WriteFileAtomically, whose rename waits until the bytes are on their device: a power cut leaves the old file or the
// new one. It may lose the rename, which is as if nothing had been written.
Status ReplaceFileDurably(const std::string& path, std::string_view bytes, unsigned mode = 0666,
                          Umask umask = Umask::kApplies);

}  // namespace piship
