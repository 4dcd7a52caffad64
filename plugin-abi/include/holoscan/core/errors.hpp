/// `RuntimeError` and `ErrorCode`, which are declared with `expected`.
#ifndef HOLOSCAN_CORE_ERRORS_HPP_
#define HOLOSCAN_CORE_ERRORS_HPP_

#include "holoscan/core/expected.hpp"

#endif  // HOLOSCAN_CORE_ERRORS_HPP_
