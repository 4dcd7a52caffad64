/// Resources of the engine, which are declared with all resources.
#ifndef HOLOSCAN_CORE_GXF_GXF_RESOURCE_HPP_
#define HOLOSCAN_CORE_GXF_GXF_RESOURCE_HPP_

#include "holoscan/core/resource.hpp"

#endif  // HOLOSCAN_CORE_GXF_GXF_RESOURCE_HPP_
