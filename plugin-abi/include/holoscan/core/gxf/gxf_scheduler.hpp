/// Schedulers of the engine, which are declared with all schedulers.
#ifndef HOLOSCAN_CORE_GXF_GXF_SCHEDULER_HPP_
#define HOLOSCAN_CORE_GXF_GXF_SCHEDULER_HPP_

#include "holoscan/core/scheduler.hpp"

#endif  // HOLOSCAN_CORE_GXF_GXF_SCHEDULER_HPP_
