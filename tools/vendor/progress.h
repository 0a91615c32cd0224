// SPDX-License-Identifier: MIT
// How far fetching is, for a person who waits: one line, rewritten at most ten times a second, only on a terminal, gone
// at the end. Plain text without colours, so NO_COLOR changes nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "vendor/npmrc.h"

namespace piship {

// Whether progress belongs on this descriptor: a terminal that can rewrite a line, and not under CI.
bool WantsProgress(int fd, const Environment& environment);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  // An empty `write` draws nothing. `now` tells the time.
  explicit Progress(std::function<void(std::string_view)> write, std::function<Clock::time_point()> now = Clock::now)
      : write_(std::move(write)), now_(std::move(now)) {}
  // From any thread.
  void AddPackages(std::size_t count);
  void AddBytes(std::uint64_t count);
  void FinishPackage();
  // Removes the line.
  void Clear();

 private:
  void Draw();
  std::function<void(std::string_view)> write_;
  std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  std::size_t packages_ = 0;
  std::size_t finished_ = 0;
  std::uint64_t bytes_ = 0;
  bool drawn_ = false;
  Clock::time_point next_{};
};

}  // namespace piship
