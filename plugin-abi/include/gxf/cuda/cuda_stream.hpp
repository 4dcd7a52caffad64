/// Streams of a device.
#ifndef NVIDIA_GXF_CUDA_CUDA_STREAM_HPP_
#define NVIDIA_GXF_CUDA_CUDA_STREAM_HPP_

#include <cstdint>
#include <functional>

#include "gxf/core/entity.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/cuda/cuda_common.hpp"
#include "gxf/cuda/cuda_event.hpp"

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
  Expected<void> record(cudaEvent_t event, std::function<void(cudaEvent_t)> callback) {
    (void)event;
    (void)callback;
    return detail::NoCudaStreams();
  }
  /// As above, for an event that is a payload; would keep the message until then.
  Expected<void> record(Handle<CudaEvent> event, Entity message,
                        std::function<void()> callback = nullptr) {
    (void)event;
    (void)message;
    (void)callback;
    return detail::NoCudaStreams();
  }
  Expected<void> resetEvents() { return detail::NoCudaStreams(); }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_STREAM_HPP_
