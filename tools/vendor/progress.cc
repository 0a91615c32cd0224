// SPDX-License-Identifier: MIT
#include "vendor/progress.h"

#include <unistd.h>

#include <cstdio>

namespace piship {
namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr std::string_view kEraseLine = "\r\x1b[K";

bool IsSet(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found != environment.end() && !found->second.empty() && found->second != "0" && found->second != "false";
}

}  // namespace

bool WantsProgress(int fd, const Environment& environment) {
  const auto terminal = environment.find("TERM");
  const bool dumb = terminal == environment.end() || terminal->second.empty() || terminal->second == "dumb";
  return fd >= 0 && !dumb && !IsSet(environment, "CI") && isatty(fd) == 1;
}

void Progress::AddPackages(std::size_t count) {
  const std::lock_guard lock(mutex_);
  packages_ += count;
  Draw();
}

void Progress::AddBytes(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  bytes_ += count;
  Draw();
}

void Progress::FinishPackage() {
  const std::lock_guard lock(mutex_);
  ++finished_;
  Draw();
}

void Progress::Clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_) write_(kEraseLine);
  drawn_ = false;
}

void Progress::Draw() {
  if (!write_) return;
  const auto now = now_();
  if (now < next_) return;
  next_ = now + kInterval;
  char size[32];
  std::snprintf(size, sizeof size, "%.1f MB", static_cast<double>(bytes_) / 1e6);
  write_(std::string(kEraseLine) + "fetching packages: " + std::to_string(finished_) + " of " +
         std::to_string(packages_) + ", " + size);
  drawn_ = true;
}

}  // namespace piship
