// SPDX-License-Identifier: MIT
// Assertions on Result: the error's text is shown when one is not expected, and codes are compared, not prose.
#pragma once

#include <gmock/gmock.h>

#include "base/result.h"

#define PISHIP_ASSERT_OK(expression)                                                                \
  do {                                                                                              \
    const auto& assert_result = (expression);                                                       \
    ASSERT_TRUE(assert_result.has_value()) << ::piship::FormatError("test", assert_result.error()); \
  } while (false)

#define PISHIP_EXPECT_ERROR(expression, error_code)                                                     \
  do {                                                                                                  \
    const auto& expect_result = (expression);                                                           \
    ASSERT_FALSE(expect_result.has_value()) << "no error";                                              \
    EXPECT_EQ(::piship::ErrorCodeName(expect_result.error().code), ::piship::ErrorCodeName(error_code)) \
        << ::piship::FormatError("test", expect_result.error());                                        \
  } while (false)
