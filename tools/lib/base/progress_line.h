// SPDX-License-Identifier: MIT
// How far something is, for a person who waits: one line, rewritten at most ten times a second, only on a terminal,
// gone at the end. Plain text without colours, so NO_COLOR changes nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace piship {

// Whether progress belongs on this descriptor: a terminal that can rewrite a line, and not under CI. `variable` gives
// a variable of the environment, empty where it is not set.
bool WantsProgress(int fd, const std::function<std::string(std::string_view name)>& variable);

// "12.3 MB": millions of bytes.
std::string Megabytes(std::uint64_t bytes);

// Not for several threads at once.
class ProgressLine {
 public:
  // Draws on the descriptor where WantsProgress says so, else nothing.
  static ProgressLine On(int fd, const std::function<std::string(std::string_view name)>& variable);

  using Clock = std::chrono::steady_clock;
  using Writer = std::function<void(std::string_view)>;
  // An empty `write` draws nothing. `now` tells the time.
  explicit ProgressLine(Writer write, std::function<Clock::time_point()> now = Clock::now)
      : write_(std::move(write)), now_(std::move(now)) {}
  // `text` is asked only where it is drawn.
  void Show(const std::function<std::string()>& text);
  // Removes the line.
  void Clear();

 private:
  Writer write_;
  std::function<Clock::time_point()> now_;
  bool drawn_ = false;
  Clock::time_point next_{};
};

}  // namespace piship
