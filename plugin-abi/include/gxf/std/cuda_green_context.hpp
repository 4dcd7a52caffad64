/// Some of a device's multiprocessors.
#ifndef NVIDIA_GXF_STD_CUDA_GREEN_CONTEXT_HPP_
#define NVIDIA_GXF_STD_CUDA_GREEN_CONTEXT_HPP_

#include "gxf/std/cuda_green_context_pool.hpp"

namespace nvidia {
namespace gxf {

/// A partition of a `CudaGreenContextPool`, which a `CudaStreamPool` makes its streams for. A component
/// of `libgxf_cuda.so`; a handle to one names it.
class CudaGreenContext : public Component {};

namespace sdk __attribute__((visibility("hidden"))) {

class CudaGreenContextProxy : public CudaGreenContext {
 public:
  Expected<void> Connect() { return Success; }
};
template <>
struct Proxy<CudaGreenContext> : ProxyOf<CudaGreenContextProxy> {};

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_CUDA_GREEN_CONTEXT_HPP_
