/// Where streams come from.
#ifndef NVIDIA_GXF_CUDA_CUDA_STREAM_POOL_HPP_
#define NVIDIA_GXF_CUDA_CUDA_STREAM_POOL_HPP_

#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/std/allocator.hpp"

namespace nvidia {
namespace gxf {

/// A pool of streams. Sources that name it compile; a call fails with `GXF_NOT_IMPLEMENTED`, so that
/// a pool belongs into optional parameters that stay without a value.
class CudaStreamPool : public Allocator {
 public:
  Expected<Handle<CudaStream>> allocateStream() { return detail::NoCudaStreams(); }
  Expected<void> releaseStream(Handle<CudaStream> stream) {
    (void)stream;
    return detail::NoCudaStreams();
  }
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<CudaStreamPool> : ProxyOf<AllocatorProxy<CudaStreamPool>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_STREAM_POOL_HPP_
