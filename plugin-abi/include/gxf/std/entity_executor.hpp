/// Where sources of GXF 2.x to 4.x find it.
#ifndef NVIDIA_GXF_STD_ENTITY_EXECUTOR_HPP_
#define NVIDIA_GXF_STD_ENTITY_EXECUTOR_HPP_

#include "gxf/core/entity_executor.hpp"

#endif  // NVIDIA_GXF_STD_ENTITY_EXECUTOR_HPP_
