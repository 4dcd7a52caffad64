/// Where streams come from.
#ifndef NVIDIA_GXF_CUDA_CUDA_STREAM_POOL_HPP_
#define NVIDIA_GXF_CUDA_CUDA_STREAM_POOL_HPP_

#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/std/allocator.hpp"

namespace nvidia {
namespace gxf {

/// A pool of streams of one device.
class CudaStreamPool : public Allocator {
 public:
  /// Takes a stream from the pool.
  virtual Expected<Handle<CudaStream>> allocateStream() = 0;
  /// Gives it back. Its work goes on.
  virtual Expected<void> releaseStream(Handle<CudaStream> stream) = 0;
};

namespace sdk __attribute__((visibility("hidden"))) {

class CudaStreamPoolProxy : public AllocatorProxy<CudaStreamPool> {
 public:
  Expected<void> Connect() {
    const auto connected = AllocatorProxy<CudaStreamPool>::Connect();
    if (!connected) { return connected; }
    return pool_.Connect(context(), cid(), GXE_TID_CUDA_STREAM_POOL);
  }
  Expected<Handle<CudaStream>> allocateStream() override {
    gxf_uid_t cid = kNullUid;
    const GxeResultCode code = pool_.table().allocate_stream(pool_.object(), &cid);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{ToGxf(code)}; }
    return Handle<CudaStream>::Create(context(), cid);
  }
  Expected<void> releaseStream(Handle<CudaStream> stream) override {
    return ExpectedOrCode(ToGxf(pool_.table().release_stream(pool_.object(), stream.cid())));
  }

 private:
  Link<GxeCudaStreamPoolVtable> pool_;
};
template <>
struct Proxy<CudaStreamPool> : ProxyOf<CudaStreamPoolProxy> {};
inline const Announced<CudaStreamPool> kCudaStreamPoolAnnounced;

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_STREAM_POOL_HPP_
