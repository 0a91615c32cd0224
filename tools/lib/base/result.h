// SPDX-License-Identifier: MIT
// Result<T>: a value or an Error. PISHIP_TRY unwraps or returns.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace piship {

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(hint)});
}

}  // namespace piship

#define PISHIP_CONCATENATE_(a, b) a##b
#define PISHIP_CONCATENATE(a, b) PISHIP_CONCATENATE_(a, b)

// PISHIP_TRY(auto name, expression): declares `name` with the value of a Result, or returns its error from the
// function.
#define PISHIP_TRY(declaration, expression) \
  PISHIP_TRY_(PISHIP_CONCATENATE(try_result_, __LINE__), declaration, expression)
#define PISHIP_TRY_(result, declaration, expression)             \
  auto result = (expression);                                    \
  if (!result) return ::piship::Fail(std::move(result).error()); \
  declaration = *std::move(result)

// PISHIP_CHECK(expression): returns the error of a Status (or any Result whose value is not needed).
#define PISHIP_CHECK(expression)                                                                                 \
  do {                                                                                                           \
    if (auto check_result = (expression); !check_result) return ::piship::Fail(std::move(check_result).error()); \
  } while (false)
