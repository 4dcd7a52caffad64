/// Moved to gxf/core.
#ifndef NVIDIA_GXF_STD_TYPE_REGISTRY_HPP_
#define NVIDIA_GXF_STD_TYPE_REGISTRY_HPP_

#include "gxf/core/type_registry.hpp"

#endif  // NVIDIA_GXF_STD_TYPE_REGISTRY_HPP_
