// SPDX-License-Identifier: MIT
#include "home/debug_timing.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/files.h"
#include "base/json.h"

namespace piship {
namespace {

bool WantsTiming() {
  const char* value = std::getenv("PISHIP_DEBUG_TIMING");
  return value != nullptr && std::string_view(value) == "1";
}

std::int64_t Nanoseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

// "0.042": of a millisecond.
std::string Milliseconds(std::int64_t nanoseconds) {
  const std::string thousandths = std::to_string(nanoseconds / 1000 % 1000);
  return std::to_string(nanoseconds / 1'000'000) + "." + std::string(3 - thousandths.size(), '0') + thousandths;
}

}  // namespace

DebugTiming::DebugTiming(std::string_view verb) : on_(WantsTiming()), verb_(verb) {
  if (on_) begin_ = Clock::now();
}

void DebugTiming::Note(std::string_view phase) { ends_.emplace_back(phase, Clock::now()); }

void DebugTiming::Write() const {
  std::string lines;
  std::string phases;
  Clock::time_point previous = begin_;
  for (const auto& [name, end] : ends_) {
    const std::int64_t took = Nanoseconds(end - previous);
    previous = end;
    lines += "piship " + std::string(verb_) + ": " + Milliseconds(took) + " ms " + std::string(name) + "\n";
    phases += (phases.empty() ? "" : ", ") + ("{\"name\": " + json::Quote(name)) +
              ", \"nanoseconds\": " + std::to_string(took) + "}";
  }
  lines += "{\"format\": 1, \"nanoseconds\": " + std::to_string(Nanoseconds(previous - begin_)) + ", \"phases\": [" +
           phases + "], \"verb\": " + json::Quote(verb_) + "}\n";
  static_cast<void>(WriteAll(STDERR_FILENO, lines, "standard error"));
}

}  // namespace piship
