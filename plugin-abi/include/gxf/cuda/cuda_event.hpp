/// Events of a device.
#ifndef NVIDIA_GXF_CUDA_CUDA_EVENT_HPP_
#define NVIDIA_GXF_CUDA_CUDA_EVENT_HPP_

#include <cstdint>
#include <functional>

#include "gxf/cuda/cuda_common.hpp"

namespace nvidia {
namespace gxf {

/// An event. None can be made here.
class CudaEvent {
 public:
  Expected<cudaEvent_t> event() const { return detail::NoCudaStreams(); }
  /// Would adopt a CUDA event; `release` is called with it at the end.
  Expected<void> initWithEvent(cudaEvent_t event, int32_t dev_id = -1,
                               std::function<void(cudaEvent_t)> release = nullptr) {
    (void)event;
    (void)dev_id;
    (void)release;
    return detail::NoCudaStreams();
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_EVENT_HPP_
