/// `BooleanCondition`, which is declared with all conditions.
#ifndef HOLOSCAN_CORE_CONDITIONS_GXF_BOOLEAN_HPP_
#define HOLOSCAN_CORE_CONDITIONS_GXF_BOOLEAN_HPP_

#include "holoscan/core/condition.hpp"

#endif  // HOLOSCAN_CORE_CONDITIONS_GXF_BOOLEAN_HPP_
