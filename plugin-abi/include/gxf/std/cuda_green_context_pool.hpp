/// Divides the multiprocessors of a device.
#ifndef NVIDIA_GXF_STD_CUDA_GREEN_CONTEXT_POOL_HPP_
#define NVIDIA_GXF_STD_CUDA_GREEN_CONTEXT_POOL_HPP_

#include "gxf/core/component.hpp"
#include "gxf/sdk/proxies/proxy.hpp"

namespace nvidia {
namespace gxf {

/// A component of `libgxf_cuda.so`; a handle to one names it.
class CudaGreenContextPool : public Component {};

namespace sdk __attribute__((visibility("hidden"))) {

class CudaGreenContextPoolProxy : public CudaGreenContextPool {
 public:
  Expected<void> Connect() { return Success; }
};
template <>
struct Proxy<CudaGreenContextPool> : ProxyOf<CudaGreenContextPoolProxy> {};

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_CUDA_GREEN_CONTEXT_POOL_HPP_
