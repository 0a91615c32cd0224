// SPDX-License-Identifier: MIT
// The loaders' paths are fixed by the ABI supplements that programs are linked by: glibc's "ABI List"
// (sourceware.org/glibc/wiki/ABIList), musl's "ld-musl-$ARCH.so.1".
#include "os/c_library.h"

#include <unistd.h>

namespace piship {
namespace {

struct Loaders {
  std::string_view cpu;
  const char* glibc;
  const char* musl;
};

constexpr Loaders kLoaders[] = {
    {"x64", "/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"},
    {"arm64", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-aarch64.so.1"},
    {"riscv64", "/lib/ld-linux-riscv64-lp64d.so.1", "/lib/ld-musl-riscv64.so.1"},
    {"s390x", "/lib/ld64.so.1", "/lib/ld-musl-s390x.so.1"},
};

}  // namespace

bool HasCLibrary(CLibrary library, std::string_view cpu) {
  for (const Loaders& loaders : kLoaders) {
    if (loaders.cpu == cpu) return access(library == CLibrary::kGlibc ? loaders.glibc : loaders.musl, F_OK) == 0;
  }
  return true;
}

}  // namespace piship
