/// The types of CUDA the headers name.
#ifndef NVIDIA_GXF_CUDA_CUDA_COMMON_HPP_
#define NVIDIA_GXF_CUDA_CUDA_COMMON_HPP_

#include <cstdarg>
#include <cstdio>

#include "common/logger.hpp"
#include "gxf/core/expected.hpp"

#if __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>
#else
// Without CUDA's headers the handles pass through; the driver's own have the same values.
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
#endif

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Logs what a failed call was for, and what CUDA says of it.
__attribute__((format(printf, 5, 6))) inline void LogCudaError(const char* file, int line,
                                                               const char* name,
                                                               const char* description,
                                                               const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  ::nvidia::Log(file, line, ::nvidia::Severity::ERROR, "%s: %s, %s", text, name, description);
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

/// Logs a failed call of CUDA's and goes on: the call, then a format and its values, as for printf.
#define CONTINUE_CUDA_ERROR(CALL, ...)                                                             \
  do {                                                                                             \
    const cudaError_t gxf_cuda_error = (CALL);                                                     \
    if (gxf_cuda_error != cudaSuccess) {                                                           \
      ::nvidia::gxf::sdk::LogCudaError(__FILE__, __LINE__, cudaGetErrorName(gxf_cuda_error),       \
                                       cudaGetErrorString(gxf_cuda_error), __VA_ARGS__);           \
    }                                                                                              \
  } while (0)
/// Logs a failed call of CUDA's and returns from a function whose result is an `Expected`.
#define CHECK_CUDA_ERROR(CALL, ...)                                                                \
  GXF_CUDA_ERROR_RETURNS(::nvidia::gxf::Unexpected{GXF_FAILURE}, CALL, __VA_ARGS__)
/// As above, in a function whose result is a `gxf_result_t`.
#define CHECK_CUDA_ERROR_RESULT(CALL, ...) GXF_CUDA_ERROR_RETURNS(GXF_FAILURE, CALL, __VA_ARGS__)

#define GXF_CUDA_ERROR_RETURNS(RESULT, CALL, ...)                                                  \
  do {                                                                                             \
    const cudaError_t gxf_cuda_result = (CALL);                                                    \
    CONTINUE_CUDA_ERROR(gxf_cuda_result, __VA_ARGS__);                                             \
    if (gxf_cuda_result != cudaSuccess) { return RESULT; }                                         \
  } while (0)

#endif  // NVIDIA_GXF_CUDA_CUDA_COMMON_HPP_
