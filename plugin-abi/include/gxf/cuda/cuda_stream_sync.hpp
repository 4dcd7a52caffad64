/// Waits for the streams of messages.
#ifndef NVIDIA_GXF_CUDA_CUDA_STREAM_SYNC_HPP_
#define NVIDIA_GXF_CUDA_CUDA_STREAM_SYNC_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// Waits for the streams of a message and passes it on. A component of `libgxf_cuda.so`; a handle to
/// one names it.
class CudaStreamSync : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<CudaStreamSync> : ProxyOf<CodeletProxy<CudaStreamSync>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_STREAM_SYNC_HPP_
