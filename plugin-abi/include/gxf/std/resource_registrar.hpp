/// Moved to gxf/core.
#ifndef NVIDIA_GXF_STD_RESOURCE_REGISTRAR_HPP_
#define NVIDIA_GXF_STD_RESOURCE_REGISTRAR_HPP_

#include "gxf/core/resource_registrar.hpp"

#endif  // NVIDIA_GXF_STD_RESOURCE_REGISTRAR_HPP_
