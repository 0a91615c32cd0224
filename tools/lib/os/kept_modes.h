// SPDX-License-Identifier: MIT
#pragma once

namespace piship {

// Whether the file system that `fd` lies on keeps the mode that a file is given. False for those that show one mode
// for all files, or may do so: FAT, exFAT, NTFS, FUSE, network shares of Windows and what a virtual machine shares.
// There a mode says nothing about who changed what. Leaves errno alone, so that it can be asked about a failure.
bool KeepsModes(int fd);

}  // namespace piship
