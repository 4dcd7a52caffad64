/// `ThreadPool`, which is declared by itself.
#ifndef HOLOSCAN_CORE_RESOURCES_GXF_SYSTEM_RESOURCES_HPP_
#define HOLOSCAN_CORE_RESOURCES_GXF_SYSTEM_RESOURCES_HPP_

#include "holoscan/core/thread_pool.hpp"

#endif  // HOLOSCAN_CORE_RESOURCES_GXF_SYSTEM_RESOURCES_HPP_
