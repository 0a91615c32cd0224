// SPDX-License-Identifier: MIT
// Says on standard error where the time of a run went, for whoever sets PISHIP_DEBUG_TIMING=1: a line for each phase
// and one line of JSON (docs/runtime.md). Without that variable no clock is read and nothing is kept.
#pragma once

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

namespace piship {

class DebugTiming {
 public:
  // The first phase begins. `verb` must outlive this, as the names of phases must.
  explicit DebugTiming(std::string_view verb);
  // The phase that has just ended; the next one begins.
  void Ended(std::string_view phase) {
    if (on_) Note(phase);
  }
  // Where it can't be written, nothing happens.
  void Print() const {
    if (on_) Write();
  }

 private:
  using Clock = std::chrono::steady_clock;
  void Note(std::string_view phase);
  void Write() const;

  const bool on_;
  std::string_view verb_;
  Clock::time_point begin_;
  std::vector<std::pair<std::string_view, Clock::time_point>> ends_;
};

}  // namespace piship
