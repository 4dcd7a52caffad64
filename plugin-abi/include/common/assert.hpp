/// Checks that end the program.
#ifndef NVIDIA_COMMON_ASSERT_HPP_
#define NVIDIA_COMMON_ASSERT_HPP_

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/backtrace.hpp"
#include "common/logger.hpp"

/// Logs a text as printf does, shows how the program got here, and ends it with status 1.
#define GXF_PANIC(...)        \
  {                           \
    GXF_LOG_PANIC(__VA_ARGS__); \
    PrettyPrintBacktrace();   \
    std::exit(1);             \
  }

/// Ends the program with a text unless the expression holds.
#define GXF_ASSERT(EXPRESSION, ...) \
  if (!(EXPRESSION)) { GXF_PANIC(__VA_ARGS__); }

/// Ends the program unless the expression is the result code of success.
#define GXF_ASSERT_SUCCESS(EXPRESSION)                                                       \
  {                                                                                          \
    const auto gxf_assert_result = (EXPRESSION);                                             \
    GXF_ASSERT(static_cast<int>(gxf_assert_result) == 0, "`%s` failed with the result %d",   \
               #EXPRESSION, static_cast<int>(gxf_assert_result));                            \
  }

/// Ends the program unless the expression is true.
#define GXF_ASSERT_TRUE(A) GXF_ASSERT((A), "`%s` is not true", #A)
/// Ends the program unless the expression is false.
#define GXF_ASSERT_FALSE(A) GXF_ASSERT(!(A), "`%s` is not false", #A)

#define GXF_ASSERT_COMPARISON_(A, B, OPERATOR)                                           \
  GXF_ASSERT((A)OPERATOR(B), "`%s " #OPERATOR " %s` does not hold: %s and %s", #A, #B,  \
             std::to_string(A).c_str(), std::to_string(B).c_str())

/// Each ends the program unless the two numbers compare as it says.
#define GXF_ASSERT_EQ(A, B) GXF_ASSERT_COMPARISON_(A, B, ==)
#define GXF_ASSERT_NE(A, B) GXF_ASSERT_COMPARISON_(A, B, !=)
#define GXF_ASSERT_GT(A, B) GXF_ASSERT_COMPARISON_(A, B, >)
#define GXF_ASSERT_GE(A, B) GXF_ASSERT_COMPARISON_(A, B, >=)
#define GXF_ASSERT_LT(A, B) GXF_ASSERT_COMPARISON_(A, B, <)
#define GXF_ASSERT_LE(A, B) GXF_ASSERT_COMPARISON_(A, B, <=)

/// Ends the program unless the two texts are equal.
#define GXF_ASSERT_STREQ(A, B) \
  GXF_ASSERT(std::strcmp((A), (B)) == 0, "`%s` and `%s` differ: \"%s\" and \"%s\"", #A, #B, (A), (B))

/// Ends the program unless the two numbers differ by at most `EPSILON`.
#define GXF_ASSERT_NEAR(A, B, EPSILON)                                                        \
  GXF_ASSERT(std::abs((A) - (B)) <= (EPSILON), "`%s` and `%s` are too far apart: %s and %s",  \
             #A, #B, std::to_string(A).c_str(), std::to_string(B).c_str())

#endif  // NVIDIA_COMMON_ASSERT_HPP_
