/// Streams of a device.
#ifndef NVIDIA_GXF_CUDA_CUDA_STREAM_HPP_
#define NVIDIA_GXF_CUDA_CUDA_STREAM_HPP_

#include "gxf/cuda/cuda_common.hpp"

namespace nvidia {
namespace gxf {

/// A stream. None can be made here, see `CudaStreamPool`.
class CudaStream {
 public:
  Expected<cudaStream_t> stream() const { return detail::NoCudaStreams(); }
  Expected<void> syncStream() { return detail::NoCudaStreams(); }
  /// Number of the device; -1: none.
  int32_t dev_id() const { return -1; }
  /// Would call back when the device has reached this point of the stream.
  template <typename Callback>
  Expected<void> record(cudaEvent_t event, Callback&& callback) {
    (void)event;
    (void)callback;
    return detail::NoCudaStreams();
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_STREAM_HPP_
