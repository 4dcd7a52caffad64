/// Checks of calls of CUDA, for programs that include its headers.
#ifndef HOLOSCAN_UTILS_CUDA_MACROS_HPP_
#define HOLOSCAN_UTILS_CUDA_MACROS_HPP_

#include <stdexcept>
#include <string>

#include "gxf/cuda/cuda_common.hpp"
#include "holoscan/logger/logger.hpp"

/// Makes a call, logs its failure by a macro with a text and its values, and is what the call returned.
#define HOLOSCAN_CUDA_CALL_LOGGED(CALL, LOG, ...)                                               \
  ({                                                                                            \
    const cudaError_t holoscan_cuda_error = (CALL);                                             \
    if (holoscan_cuda_error != cudaSuccess) {                                                   \
      LOG("{}: {} failed with {} ({})", ::holoscan::detail::Format(__VA_ARGS__), #CALL,         \
          cudaGetErrorString(holoscan_cuda_error), static_cast<int>(holoscan_cuda_error));      \
    }                                                                                           \
    holoscan_cuda_error;                                                                        \
  })

#define HOLOSCAN_CUDA_CALL_ERR_MSG(CALL, ...) \
  HOLOSCAN_CUDA_CALL_LOGGED(CALL, HOLOSCAN_LOG_ERROR, __VA_ARGS__)
#define HOLOSCAN_CUDA_CALL_WARN_MSG(CALL, ...) \
  HOLOSCAN_CUDA_CALL_LOGGED(CALL, HOLOSCAN_LOG_WARN, __VA_ARGS__)
#define HOLOSCAN_CUDA_CALL(CALL) HOLOSCAN_CUDA_CALL_ERR_MSG(CALL, "CUDA")
#define HOLOSCAN_CUDA_CALL_WARN(CALL) HOLOSCAN_CUDA_CALL_WARN_MSG(CALL, "CUDA")
/// Makes a call, and throws its failure with a text and its values.
#define HOLOSCAN_CUDA_CALL_THROW_ERROR(CALL, ...)                                               \
  do {                                                                                          \
    const cudaError_t holoscan_cuda_thrown = HOLOSCAN_CUDA_CALL_ERR_MSG(CALL, __VA_ARGS__);     \
    if (holoscan_cuda_thrown != cudaSuccess) {                                                  \
      throw std::runtime_error(::holoscan::detail::Format(__VA_ARGS__) + ": " +                 \
                               cudaGetErrorString(holoscan_cuda_thrown));                       \
    }                                                                                           \
  } while (0)

#endif  // HOLOSCAN_UTILS_CUDA_MACROS_HPP_
