/// Device memory in the order of streams.
#ifndef NVIDIA_GXF_CUDA_STREAM_ORDERED_ALLOCATOR_HPP_
#define NVIDIA_GXF_CUDA_STREAM_ORDERED_ALLOCATOR_HPP_

#include "gxf/cuda/cuda_allocator.hpp"

namespace nvidia {
namespace gxf {

/// A component of `libgxf_cuda.so`; a handle to one allocates.
class StreamOrderedAllocator : public CudaAllocator {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<StreamOrderedAllocator> : ProxyOf<CudaAllocatorProxyOf<StreamOrderedAllocator>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_STREAM_ORDERED_ALLOCATOR_HPP_
