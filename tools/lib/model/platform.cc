// SPDX-License-Identifier: MIT
#include "model/platform.h"

#include <algorithm>
#include <array>

namespace piship {
namespace {

constexpr std::string_view kMusl = "-musl";
constexpr std::array<std::string_view, 8> kLinuxCpus = {"x64",     "arm64", "arm",     "ia32",
                                                        "loong64", "ppc64", "riscv64", "s390x"};

#if defined(__linux__)
constexpr std::string_view kOs = "linux";
#elif defined(__APPLE__)
constexpr std::string_view kOs = "darwin";
#else
#error "this operating system has no platform name yet"
#endif

#if defined(__x86_64__)
constexpr std::string_view kCpu = "x64";
#elif defined(__aarch64__)
constexpr std::string_view kCpu = "arm64";
#elif defined(__arm__)
constexpr std::string_view kCpu = "arm";
#elif defined(__i386__)
constexpr std::string_view kCpu = "ia32";
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::string_view kCpu = "riscv64";
#elif defined(__powerpc64__)
constexpr std::string_view kCpu = "ppc64";
#elif defined(__s390x__)
constexpr std::string_view kCpu = "s390x";
#elif defined(__loongarch64)
constexpr std::string_view kCpu = "loong64";
#else
#error "this processor has no platform name yet"
#endif

}  // namespace

Result<Platform> Platform::Parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view os = text.substr(0, dash);
  std::string_view cpu = dash == std::string_view::npos ? std::string_view() : text.substr(dash + 1);
  bool known = false;
  if (os == "linux") {
    if (cpu.ends_with(kMusl)) cpu.remove_suffix(kMusl.size());
    known = std::find(kLinuxCpus.begin(), kLinuxCpus.end(), cpu) != kLinuxCpus.end();
  } else if (os == "darwin" || os == "win32") {
    known = cpu == "x64" || cpu == "arm64";
  }
  if (!known) {
    return Fail(ErrorCode::kPlatformInvalid, "'" + std::string(text.substr(0, 80)) + "' is not a platform",
                "a platform is <os>-<cpu>[-musl], for example linux-x64, linux-arm64-musl or darwin-arm64");
  }
  return Platform(std::string(text));
}

Platform Platform::OfThisProgram() { return Platform(std::string(kOs) + "-" + std::string(kCpu)); }

std::string_view Platform::os() const { return std::string_view(text_).substr(0, text_.find('-')); }

std::string_view Platform::cpu() const {
  std::string_view rest = std::string_view(text_).substr(text_.find('-') + 1);
  return rest.substr(0, rest.find('-'));
}

std::string_view Platform::libc() const {
  if (os() != "linux") return {};
  return text_.ends_with(kMusl) ? "musl" : "glibc";
}

}  // namespace piship
