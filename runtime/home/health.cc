// SPDX-License-Identifier: MIT
#include "home/health.h"

namespace piship {

std::string_view HealthName(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kWarn:
      return "warn";
    case Health::kFail:
      return "fail";
  }
  return "fail";
}

Check FailedCheck(std::string name, const Error& error, std::string advice) {
  return {std::move(name), Health::kFail, error.message, std::move(advice)};
}

}  // namespace piship
