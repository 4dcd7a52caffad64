/// Moved to gxf/core.
#ifndef NVIDIA_GXF_STD_PARAMETER_REGISTRAR_HPP_
#define NVIDIA_GXF_STD_PARAMETER_REGISTRAR_HPP_

#include "gxf/core/parameter_registrar.hpp"

#endif  // NVIDIA_GXF_STD_PARAMETER_REGISTRAR_HPP_
