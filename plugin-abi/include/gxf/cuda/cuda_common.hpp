/// The types of CUDA the headers name.
#ifndef NVIDIA_GXF_CUDA_CUDA_COMMON_HPP_
#define NVIDIA_GXF_CUDA_CUDA_COMMON_HPP_

#include "common/logger.hpp"
#include "gxf/core/expected.hpp"

#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#else
// Without CUDA's headers the handles pass through; the driver's own have the same values.
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
#endif

/// Logs a failed call of CUDA's and goes on. `FORMAT` is a literal, as for printf.
#define CONTINUE_CUDA_ERROR(CALL, FORMAT, ...)                                                     \
  do {                                                                                             \
    const cudaError_t gxf_cuda_error = (CALL);                                                     \
    if (gxf_cuda_error != cudaSuccess) {                                                           \
      GXF_LOG_ERROR(FORMAT ": %s, %s", ##__VA_ARGS__, cudaGetErrorName(gxf_cuda_error),            \
                    cudaGetErrorString(gxf_cuda_error));                                           \
    }                                                                                              \
  } while (0)
/// Logs a failed call of CUDA's and returns from a function whose result is an `Expected`.
#define CHECK_CUDA_ERROR(CALL, FORMAT, ...)                                                        \
  GXF_CUDA_ERROR_RETURNS(::nvidia::gxf::Unexpected{GXF_FAILURE}, CALL, FORMAT, ##__VA_ARGS__)
/// As above, in a function whose result is a `gxf_result_t`.
#define CHECK_CUDA_ERROR_RESULT(CALL, FORMAT, ...)                                                 \
  GXF_CUDA_ERROR_RETURNS(GXF_FAILURE, CALL, FORMAT, ##__VA_ARGS__)

#define GXF_CUDA_ERROR_RETURNS(RESULT, CALL, FORMAT, ...)                                          \
  do {                                                                                             \
    const cudaError_t gxf_cuda_result = (CALL);                                                    \
    CONTINUE_CUDA_ERROR(gxf_cuda_result, FORMAT, ##__VA_ARGS__);                                   \
    if (gxf_cuda_result != cudaSuccess) { return RESULT; }                                         \
  } while (0)

#endif  // NVIDIA_GXF_CUDA_CUDA_COMMON_HPP_
