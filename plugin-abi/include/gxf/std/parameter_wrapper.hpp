/// Moved to gxf/core.
#ifndef NVIDIA_GXF_STD_PARAMETER_WRAPPER_HPP_
#define NVIDIA_GXF_STD_PARAMETER_WRAPPER_HPP_

#include "gxf/core/parameter_wrapper.hpp"

#endif  // NVIDIA_GXF_STD_PARAMETER_WRAPPER_HPP_
