/// Terms that wait for a device.
#ifndef NVIDIA_GXF_CUDA_CUDA_SCHEDULING_TERMS_HPP_
#define NVIDIA_GXF_CUDA_CUDA_SCHEDULING_TERMS_HPP_

#include "gxf/std/scheduling_term.hpp"

namespace nvidia {
namespace gxf {

/// Waits for the streams of a message. A component of `libgxf_cuda.so`; a handle to one names it.
class CudaStreamSchedulingTerm : public SchedulingTerm {};

/// Waits for an event of a message.
class CudaEventSchedulingTerm : public SchedulingTerm {};

/// Waits for the CudaBuffer of a message.
class CudaBufferAvailableSchedulingTerm : public SchedulingTerm {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<CudaStreamSchedulingTerm> : ProxyOf<SchedulingTermProxy<CudaStreamSchedulingTerm>> {};
template <>
struct Proxy<CudaEventSchedulingTerm> : ProxyOf<SchedulingTermProxy<CudaEventSchedulingTerm>> {};
template <>
struct Proxy<CudaBufferAvailableSchedulingTerm> : ProxyOf<SchedulingTermProxy<CudaBufferAvailableSchedulingTerm>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_SCHEDULING_TERMS_HPP_
