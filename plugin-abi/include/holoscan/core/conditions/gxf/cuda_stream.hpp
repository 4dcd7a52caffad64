/// `CudaStreamCondition`, which is declared with all conditions.
#ifndef HOLOSCAN_CORE_CONDITIONS_GXF_CUDA_STREAM_HPP_
#define HOLOSCAN_CORE_CONDITIONS_GXF_CUDA_STREAM_HPP_

#include "holoscan/core/condition.hpp"

#endif  // HOLOSCAN_CORE_CONDITIONS_GXF_CUDA_STREAM_HPP_
