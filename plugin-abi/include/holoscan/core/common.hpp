/// Components, which are declared by themselves.
#ifndef HOLOSCAN_CORE_COMMON_HPP_
#define HOLOSCAN_CORE_COMMON_HPP_

#include "holoscan/core/component.hpp"

#endif  // HOLOSCAN_CORE_COMMON_HPP_
