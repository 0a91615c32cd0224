// SPDX-License-Identifier: MIT
// A point in time after which an operation gives up; on the steady clock, so a changed wall clock changes nothing.
#pragma once

#include <algorithm>
#include <chrono>

namespace piship {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;
  static Deadline Never() { return Deadline(Clock::time_point::max()); }
  static Deadline In(std::chrono::milliseconds duration) { return Deadline(Clock::now() + duration); }
  static Deadline Earlier(Deadline a, Deadline b) { return Deadline(std::min(a.at_, b.at_)); }

  bool Passed() const { return at_ != Clock::time_point::max() && Clock::now() >= at_; }
  // For poll(2): milliseconds that are left, rounded up; 0 when it has passed, at most an hour.
  int PollMilliseconds() const {
    constexpr std::chrono::milliseconds kLongest = std::chrono::hours(1);
    if (at_ == Clock::time_point::max()) return static_cast<int>(kLongest.count());
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_ - Clock::now());
    return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), kLongest).count());
  }

 private:
  explicit Deadline(Clock::time_point at) : at_(at) {}
  Clock::time_point at_;
};

}  // namespace piship
