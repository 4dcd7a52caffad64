/// `ExpiringMessageAvailableCondition`, which is declared with all conditions.
#ifndef HOLOSCAN_CORE_CONDITIONS_GXF_EXPIRING_MESSAGE_HPP_
#define HOLOSCAN_CORE_CONDITIONS_GXF_EXPIRING_MESSAGE_HPP_

#include "holoscan/core/condition.hpp"

#endif  // HOLOSCAN_CORE_CONDITIONS_GXF_EXPIRING_MESSAGE_HPP_
