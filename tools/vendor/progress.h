// SPDX-License-Identifier: MIT
// How far fetching is.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/progress_line.h"

namespace piship {

// From any thread.
class Progress {
 public:
  explicit Progress(ProgressLine line) : line_(std::move(line)) {}
  void AddPackages(std::size_t count);
  void AddBytes(std::uint64_t count);
  void FinishPackage();
  // Removes the line.
  void Clear();

 private:
  void Draw();
  ProgressLine line_;
  std::mutex mutex_;
  std::size_t packages_ = 0;
  std::size_t finished_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace piship
