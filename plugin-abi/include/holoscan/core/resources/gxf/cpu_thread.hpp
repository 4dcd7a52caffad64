/// `SchedulingPolicy`, which is declared with thread pools.
#ifndef HOLOSCAN_CORE_RESOURCES_GXF_CPU_THREAD_HPP_
#define HOLOSCAN_CORE_RESOURCES_GXF_CPU_THREAD_HPP_

#include "holoscan/core/thread_pool.hpp"

#endif  // HOLOSCAN_CORE_RESOURCES_GXF_CPU_THREAD_HPP_
