/// `CudaEventCondition`, which is declared with all conditions.
#ifndef HOLOSCAN_CORE_CONDITIONS_GXF_CUDA_EVENT_HPP_
#define HOLOSCAN_CORE_CONDITIONS_GXF_CUDA_EVENT_HPP_

#include "holoscan/core/condition.hpp"

#endif  // HOLOSCAN_CORE_CONDITIONS_GXF_CUDA_EVENT_HPP_
