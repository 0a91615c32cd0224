// SPDX-License-Identifier: MIT
// A platform, "<os>-<cpu>[-musl]" with npm's words for os and cpu: linux-x64, linux-arm64-musl, darwin-arm64,
// win32-x64.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace piship {

class Platform {
 public:
  Platform() = default;  // names no platform
  // Known: os linux, darwin, win32; cpu x64, arm64 (linux also arm, ia32, loong64, ppc64, riscv64, s390x); musl on
  // linux only.
  static Result<Platform> Parse(std::string_view text);
  // The os and cpu that this program was built for, without "-musl": a static program runs with either C library.
  static Platform OfThisProgram();

  const std::string& str() const { return text_; }
  std::string_view os() const;
  std::string_view cpu() const;
  // npm's `libc`: "glibc" or "musl" on linux, empty elsewhere.
  std::string_view libc() const;
  bool operator==(const Platform&) const = default;

 private:
  explicit Platform(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace piship
