/// Moved to gxf/core.
#ifndef NVIDIA_GXF_STD_RESOURCE_MANAGER_HPP_
#define NVIDIA_GXF_STD_RESOURCE_MANAGER_HPP_

#include "gxf/core/resource_manager.hpp"

#endif  // NVIDIA_GXF_STD_RESOURCE_MANAGER_HPP_
