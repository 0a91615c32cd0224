// SPDX-License-Identifier: MIT
#include "os/kept_modes.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace piship {
namespace {

// statfs(2) lists these; the last two are in no header of Debian 12.
constexpr std::array<unsigned, 8> kModeless = {
    0x4d44,      // FAT
    0x65735546,  // FUSE: what a program in user space makes of a mode is its own affair
    0x01021997,  // 9p: a Windows drive under WSL 2
    0x53464846,  // a Windows drive under WSL 1
    0xff534d42,  // SMB 1
    0xfe534d42,  // SMB 2 and 3
    0x2011bab0,  // exFAT
    0x7366746e,  // NTFS (ntfs3)
};

}  // namespace

bool KeepsModes(int fd) {
  struct statfs status {};
  const int error_number = errno;
  const bool told = fstatfs(fd, &status) == 0;
  errno = error_number;
  if (!told) return true;
  return std::find(kModeless.begin(), kModeless.end(), static_cast<unsigned>(status.f_type)) == kModeless.end();
}

}  // namespace piship
