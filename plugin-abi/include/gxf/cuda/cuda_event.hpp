/// Events of a device.
#ifndef NVIDIA_GXF_CUDA_CUDA_EVENT_HPP_
#define NVIDIA_GXF_CUDA_CUDA_EVENT_HPP_

#include "gxf/cuda/cuda_common.hpp"

namespace nvidia {
namespace gxf {

/// An event. None can be made here.
class CudaEvent {
 public:
  Expected<cudaEvent_t> event() const { return detail::NoCudaStreams(); }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_EVENT_HPP_
