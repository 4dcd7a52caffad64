/// Memory in the order of streams.
#ifndef NVIDIA_GXF_CUDA_CUDA_ALLOCATOR_HPP_
#define NVIDIA_GXF_CUDA_CUDA_ALLOCATOR_HPP_

#include "gxf/cuda/cuda_common.hpp"
#include "gxf/std/allocator.hpp"

namespace nvidia {
namespace gxf {

/// An allocator of memory for work on streams.
class CudaAllocator : public Allocator {
 public:
  /// Allocates `size` bytes of device memory for work on the stream from now on.
  virtual gxf_result_t allocate_async_abi(uint64_t size, void** pointer, void* stream) = 0;
  /// Frees memory behind the work that is on the stream so far.
  virtual gxf_result_t free_async_abi(void* pointer, void* stream) = 0;
  /// Bytes that the allocator holds of this kind, in use or not.
  virtual uint64_t get_pool_size(MemoryStorageType type) const = 0;

  Expected<byte*> allocate_async(uint64_t size, cudaStream_t stream) {
    void* pointer = nullptr;
    const gxf_result_t code = allocate_async_abi(size, &pointer, stream);
    return ExpectedOrCode(code, static_cast<byte*>(pointer));
  }
  Expected<void> free_async(byte* pointer, cudaStream_t stream) {
    return ExpectedOrCode(free_async_abi(static_cast<void*>(pointer), stream));
  }
};

namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class CudaAllocatorProxyOf : public AllocatorProxy<Base> {
 public:
  Expected<void> Connect() {
    const auto connected = AllocatorProxy<Base>::Connect();
    if (!connected) { return connected; }
    return ordered_.Connect(this->context(), this->cid(), GXE_TID_CUDA_ALLOCATOR);
  }
  using AllocatorProxy<Base>::free_abi;
  gxf_result_t free_abi(void* pointer, void* stream) override {
    return stream == nullptr ? free_abi(pointer) : free_async_abi(pointer, stream);
  }
  gxf_result_t allocate_async_abi(uint64_t size, void** pointer, void* stream) override {
    uint8_t* memory = nullptr;
    const GxeResultCode code = ordered_.table().allocate_async(
        ordered_.object(), size, static_cast<int32_t>(MemoryStorageType::kDevice), stream, &memory);
    *pointer = memory;
    return ToGxf(code);
  }
  gxf_result_t free_async_abi(void* pointer, void* stream) override {
    return ToGxf(ordered_.table().free_async(ordered_.object(), static_cast<uint8_t*>(pointer),
                                             stream));
  }
  uint64_t get_pool_size(MemoryStorageType type) const override {
    return ordered_.table().pool_size(ordered_.object(), static_cast<int32_t>(type));
  }

 private:
  Link<GxeCudaAllocatorVtable> ordered_;
};
template <>
struct Proxy<CudaAllocator> : ProxyOf<CudaAllocatorProxyOf<CudaAllocator>> {};
inline const Announced<CudaAllocator> kCudaAllocatorAnnounced;

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_ALLOCATOR_HPP_
