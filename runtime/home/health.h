// SPDX-License-Identifier: MIT
// What doctor says of one thing that it has looked at. docs/adr/0022 says what the three words mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace piship {

enum class Health : std::uint8_t {
  kOk,
  kWarn,  // works, and somebody should know
  kFail,  // does not start, or is not what was installed
};
std::string_view HealthName(Health health);  // "ok", "warn", "fail"

struct Check {
  std::string name;  // "payload"
  Health health = Health::kOk;
  std::string text;         // what was found, with its subject
  std::string advice = {};  // what to do; empty where there is nothing
};
// A failed check out of an error.
Check FailedCheck(std::string name, const Error& error, std::string advice);

}  // namespace piship
