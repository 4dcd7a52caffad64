/// Moved to gxf/core.
#ifndef NVIDIA_GXF_STD_PARAMETER_STORAGE_HPP_
#define NVIDIA_GXF_STD_PARAMETER_STORAGE_HPP_

#include "gxf/core/parameter_storage.hpp"

#endif  // NVIDIA_GXF_STD_PARAMETER_STORAGE_HPP_
