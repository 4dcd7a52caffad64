/// `GXFCondition`, which is declared with all conditions.
#ifndef HOLOSCAN_CORE_GXF_GXF_CONDITION_HPP_
#define HOLOSCAN_CORE_GXF_GXF_CONDITION_HPP_

#include "holoscan/core/condition.hpp"

#endif  // HOLOSCAN_CORE_GXF_GXF_CONDITION_HPP_
