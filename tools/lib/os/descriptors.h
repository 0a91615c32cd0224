// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace piship {

// Descriptors below this are a program's standard streams.
inline constexpr int kFirstOwnDescriptor = 3;

// Opens each standard stream that is closed, so that no file opened later gets its number and, with it, what is
// printed. Only for programs that print; a launch leaves closed streams closed.
void OpenClosedStandardStreams();

// Makes a write beyond RLIMIT_FSIZE fail like any other write, instead of ending the process. Programs that this one
// executes would inherit that, so it is not for a launch.
void ReportFileSizeLimit();

// open(2) without O_CLOEXEC, so that programs which this process executes inherit the file, with a number that no
// standard stream has. The lowest free number is taken: engines mark the low and adjacent descriptors that they find as
// not to be passed on.
Result<UniqueFd> OpenInherited(const std::string& path, int flags);

}  // namespace piship
