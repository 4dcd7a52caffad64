/// `CudaBufferAvailableCondition`, which is declared with all conditions.
#ifndef HOLOSCAN_CORE_CONDITIONS_GXF_CUDA_BUFFER_AVAILABLE_HPP_
#define HOLOSCAN_CORE_CONDITIONS_GXF_CUDA_BUFFER_AVAILABLE_HPP_

#include "holoscan/core/condition.hpp"

#endif  // HOLOSCAN_CORE_CONDITIONS_GXF_CUDA_BUFFER_AVAILABLE_HPP_
