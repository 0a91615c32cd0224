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
  // An empty `write` draws nothing.
  explicit Progress(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  // From any thread.
  void AddPackages(std::size_t count);
  void AddBytes(std::uint64_t count);
  void FinishPackage();
  // Removes the line.
  void Clear();

 private:
  void Draw();
  std::function<void(std::string_view)> write_;
  std::mutex mutex_;
  std::size_t packages_ = 0;
  std::size_t finished_ = 0;
  std::uint64_t bytes_ = 0;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace piship
