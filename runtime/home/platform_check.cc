// SPDX-License-Identifier: MIT
#include "home/platform_check.h"

#include <string>

#include "os/c_library.h"

namespace piship {

Status CheckPlatform(const Platform& platform, std::string_view subject) {
  const Platform own = Platform::OfThisProgram();
  std::string machine = own.str();
  bool fits = platform.os() == own.os() && platform.cpu() == own.cpu();
  if (fits && !platform.libc().empty()) {
    const bool wants_musl = platform.libc() == "musl";
    const CLibrary wanted = wants_musl ? CLibrary::kMusl : CLibrary::kGlibc;
    const CLibrary other = wants_musl ? CLibrary::kGlibc : CLibrary::kMusl;
    // A machine with neither loader (an empty root, NixOS) proves nothing.
    fits = HasCLibrary(wanted, own.cpu()) || !HasCLibrary(other, own.cpu());
    if (!wants_musl) machine += "-musl";
  }
  if (fits) return {};
  return Fail(ErrorCode::kPlatformMismatch,
              std::string(subject) + " is for " + platform.str() + ", this machine is " + machine,
              "get the release for " + machine);
}

}  // namespace piship
