/// `Expected` with GXF's result codes as errors.
#ifndef NVIDIA_GXF_CORE_EXPECTED_HPP_
#define NVIDIA_GXF_CORE_EXPECTED_HPP_

#include <utility>

#include "common/expected.hpp"
#include "gxf/core/gxf.h"

namespace nvidia {
namespace gxf {

/// A value or a result code.
template <typename T>
using Expected = nvidia::Expected<T, gxf_result_t>;

/// A result code instead of a value.
using Unexpected = nvidia::Unexpected<gxf_result_t>;

/// Success without a value.
const Expected<void> Success{};

/// The error of an `Expected`, to be returned in another one.
template <typename T>
Unexpected ForwardError(const Expected<T>& expected) {
  return Unexpected{expected.error()};
}
template <typename T>
Unexpected ForwardError(Expected<T>&& expected) {
  return Unexpected{std::move(expected).error()};
}

/// `GXF_SUCCESS` or the error.
template <typename T>
gxf_result_t ToResultCode(const Expected<T>& expected) {
  return expected ? GXF_SUCCESS : expected.error();
}

/// Success, or the error for a code.
inline Expected<void> ExpectedOrCode(gxf_result_t code) {
  if (code != GXF_SUCCESS) { return Unexpected{code}; }
  return Expected<void>{};
}
/// A value, or the error for a code.
template <typename T>
Expected<std::decay_t<T>> ExpectedOrCode(gxf_result_t code, T&& value) {
  if (code != GXF_SUCCESS) { return Unexpected{code}; }
  return std::forward<T>(value);
}
/// A value, unless there was an error before.
template <typename S, typename T>
Expected<std::decay_t<T>> ExpectedOrError(const Expected<S>& before, T&& value) {
  if (!before) { return ForwardError(before); }
  return std::forward<T>(value);
}

/// The latest failure of the two.
inline gxf_result_t AccumulateError(gxf_result_t previous, gxf_result_t current) {
  return current == GXF_SUCCESS ? previous : current;
}
inline Expected<void> AccumulateError(Expected<void> previous, Expected<void> current) {
  return current ? previous : current;
}

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_EXPECTED_HPP_
