/// Conversions between tensors and DLPack. They are declared with the tensor.
#ifndef NVIDIA_GXF_STD_DLPACK_UTILS_HPP_
#define NVIDIA_GXF_STD_DLPACK_UTILS_HPP_

#include "gxf/std/tensor.hpp"

#endif  // NVIDIA_GXF_STD_DLPACK_UTILS_HPP_
