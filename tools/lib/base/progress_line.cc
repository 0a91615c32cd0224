// SPDX-License-Identifier: MIT
#include "base/progress_line.h"

#include <unistd.h>

#include <cstdio>

#include "base/files.h"

namespace piship {
namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr std::string_view kEraseLine = "\r\x1b[K";

bool IsSet(const std::string& value) { return !value.empty() && value != "0" && value != "false"; }

}  // namespace

bool WantsProgress(int fd, const std::function<std::string(std::string_view name)>& variable) {
  const std::string terminal = variable("TERM");
  return fd >= 0 && !terminal.empty() && terminal != "dumb" && !IsSet(variable("CI")) && isatty(fd) == 1;
}

std::string Megabytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

ProgressLine ProgressLine::On(int fd, const std::function<std::string(std::string_view name)>& variable) {
  if (!WantsProgress(fd, variable)) return ProgressLine({});
  return ProgressLine([fd](std::string_view text) { static_cast<void>(WriteAll(fd, text, "the terminal")); });
}

void ProgressLine::Show(const std::function<std::string()>& text) {
  if (!write_) return;
  const auto now = now_();
  if (now < next_) return;
  next_ = now + kInterval;
  write_(std::string(kEraseLine) + text());
  drawn_ = true;
}

void ProgressLine::Clear() {
  if (drawn_) write_(kEraseLine);
  drawn_ = false;
}

}  // namespace piship
