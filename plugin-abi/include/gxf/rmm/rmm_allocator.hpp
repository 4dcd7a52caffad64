/// Device and host memory in the order of streams.
#ifndef NVIDIA_GXF_RMM_RMM_ALLOCATOR_HPP_
#define NVIDIA_GXF_RMM_RMM_ALLOCATOR_HPP_

#include "gxf/cuda/cuda_allocator.hpp"

namespace nvidia {
namespace gxf {

/// A component of `libgxf_rmm.so`; a handle to one allocates.
class RMMAllocator : public CudaAllocator {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<RMMAllocator> : ProxyOf<CudaAllocatorProxyOf<RMMAllocator>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_RMM_RMM_ALLOCATOR_HPP_
