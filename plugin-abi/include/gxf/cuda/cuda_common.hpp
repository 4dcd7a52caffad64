/// The types of CUDA the headers name.
#ifndef NVIDIA_GXF_CUDA_CUDA_COMMON_HPP_
#define NVIDIA_GXF_CUDA_CUDA_COMMON_HPP_

#include "common/logger.hpp"
#include "gxf/core/expected.hpp"

#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#else
// Without CUDA there is nothing behind these.
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
#endif

namespace nvidia {
namespace gxf {

namespace detail {

/// What everything about streams answers: this SDK moves data without them.
inline Unexpected NoCudaStreams() {
  GXF_LOG_ERROR("this SDK has no CUDA streams; call CUDA itself, or leave the parameter out");
  return Unexpected{GXF_NOT_IMPLEMENTED};
}

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_COMMON_HPP_
